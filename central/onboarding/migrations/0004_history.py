"""A backfill may ask for all commits again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0003_announced")]

    operations = [
        migrations.AddField(
            "backfill",
            "sends_history",
            models.BooleanField(
                default=False, db_default=False, help_text="All commits are sent again, once"
            ),
        )
    ]
