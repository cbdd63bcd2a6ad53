from django.db import migrations, models


class Migration(migrations.Migration):
    """A batch has its rows, ready for COPY; they are gzip, and stored as they are."""

    dependencies = [
        ("ingest", "0007_direct_refused"),
    ]

    operations = [
        migrations.AddField("batch", "rows", models.BinaryField(null=True)),
        migrations.AddField(
            "batch", "rows_format", models.CharField(db_default="", default="", max_length=16)
        ),
        migrations.RunSQL(
            "ALTER TABLE ingest_batch ALTER COLUMN rows SET STORAGE EXTERNAL",
            "ALTER TABLE ingest_batch ALTER COLUMN rows SET STORAGE EXTENDED",
        ),
    ]
