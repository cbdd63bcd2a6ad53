"""Content of files is stored as it is (decision 0040)."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("corpus", "0006_segment_format")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE corpus_file ALTER COLUMN content SET STORAGE EXTERNAL",
            "ALTER TABLE corpus_file ALTER COLUMN content SET STORAGE EXTENDED",
        ),
    ]
