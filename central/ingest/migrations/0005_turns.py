from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # runs are claimed meanwhile

    dependencies = [
        ("ingest", "0004_plain_uploads"),
    ]

    operations = [
        migrations.AddField(
            model_name="indexrun",
            name="claimed_at",
            field=models.DateTimeField(help_text="When it was last taken to be applied", null=True),
        ),
        migrations.AddField(
            model_name="indexrun",
            name="uploaded_bytes",
            field=models.BigIntegerField(
                db_default=0, default=0, help_text="As they are stored: of its tree and batches"
            ),
        ),
        AddIndexConcurrently(
            model_name="indexrun",
            index=models.Index(
                condition=models.Q(("claimed_at__isnull", False)),
                fields=["claimed_at"],
                name="run_claimed",
            ),
        ),
    ]
