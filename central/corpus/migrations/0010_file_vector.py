"""The vector of a file, from those of its chunks (decision 0043). The next migration fills it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0009_locked_dependencies")]

    operations = [
        migrations.AddField(
            model_name="file",
            name="vector",
            field=models.BinaryField(
                help_text="Direction of its chunks together, under the repository's embedder",
                null=True,
            ),
        ),
    ]
