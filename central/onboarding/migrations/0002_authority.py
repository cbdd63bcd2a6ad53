"""What a backfill may use is stored with it, and who asked for a repository for the last time.

Addresses keep the operator's credentials if the operator's command named them. Repositories of
cancelled backfills no longer wait.
"""

from typing import Any

from django.db import migrations, models


def fill(apps: Any, _schema_editor: Any) -> None:
    """Read the authority from who asked: no token and no user is called `command`."""
    backfills = apps.get_model("onboarding", "Backfill").objects
    rows = apps.get_model("onboarding", "BackfillRepository").objects
    backfills.filter(owner_id=None, requested_by="command").update(may_use_credentials=True)
    asked = backfills.filter(pk=models.OuterRef("backfill")).values("requested_by")
    rows.update(requested_by=models.Subquery(asked))
    rows.filter(backfill__state="cancelled", state__in=["queued", "running"]).update(
        state="skipped", error="The backfill was cancelled.", claim=None, lease_until=None, stage=""
    )


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0001_onboarding")]

    operations = [
        migrations.AddField(
            model_name="backfill",
            name="may_use_credentials",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Of the operator, for the addresses"
            ),
        ),
        migrations.AddField(
            model_name="backfillrepository",
            name="requested_by",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="For the last time",
                max_length=200,
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
