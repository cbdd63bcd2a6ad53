import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0019_scip"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="file",
            index=models.Index(
                django.contrib.postgres.indexes.OpClass(
                    models.Func("path", template="reverse('/' || %(expressions)s)"),
                    name="text_pattern_ops",
                ),
                name="file_path_ends",
            ),
        ),
    ]
