from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0007_local_tokens"),
    ]

    operations = [
        migrations.AlterField(
            model_name="organization",
            name="direct_uploads",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Its indexers may write vectors to the vector store themselves "
                "(docs/how-to/vector-stores.md)",
            ),
        ),
    ]
