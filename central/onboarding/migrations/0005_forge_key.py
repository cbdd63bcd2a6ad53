"""GitHub's id becomes the key at any forge. The column, whose values stay, keeps its name."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0004_history")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint(
                    "backfillrepository", "backfill_github_id_in_organization"
                ),
                migrations.RemoveConstraint("backfillrepository", "backfill_url_in_organization"),
                migrations.RenameField("backfillrepository", "github_id", "forge_key"),
                migrations.AlterField(
                    "backfillrepository",
                    "forge_key",
                    models.BigIntegerField(blank=True, db_column="github_id", null=True),
                ),
                migrations.AddConstraint(
                    "backfillrepository",
                    models.UniqueConstraint(
                        fields=["organization", "forge_key"],
                        condition=models.Q(forge_key__isnull=False),
                        name="backfill_github_id_in_organization",
                    ),
                ),
                migrations.AddConstraint(
                    "backfillrepository",
                    models.UniqueConstraint(
                        fields=["organization", "url"],
                        condition=models.Q(forge_key__isnull=True),
                        name="backfill_url_in_organization",
                    ),
                ),
            ]
        )
    ]
