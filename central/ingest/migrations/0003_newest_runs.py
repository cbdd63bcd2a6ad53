from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # runs are opened meanwhile

    dependencies = [
        ("ingest", "0002_direct_uploads"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="indexrun",
            index=models.Index(fields=["-opened_at"], name="run_newest"),
        ),
    ]
