from django.db import migrations


class Migration(migrations.Migration):
    """Uploads are gzip: stored as they come, a part of one can be read without the rest."""

    dependencies = [
        ("ingest", "0003_newest_runs"),
    ]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE ingest_batch ALTER COLUMN body SET STORAGE EXTERNAL",
            "ALTER TABLE ingest_batch ALTER COLUMN body SET STORAGE EXTENDED",
        ),
    ]
