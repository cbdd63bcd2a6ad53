"""GitHub's id becomes the key at any forge. The column, whose values stay, keeps its name."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("repositories", "0014_branches"),
        ("onboarding", "0004_history"),  # whose code reads the earlier name
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint("repository", "repository_github_id_in_organization"),
                migrations.RemoveConstraint("forgestatement", "forge_statement_of_github_id"),
                migrations.RemoveConstraint(
                    "installedrepository", "installed_repository_of_github_id"
                ),
                migrations.RenameField("repository", "github_id", "forge_key"),
                migrations.AlterField(
                    "repository",
                    "forge_key",
                    models.BigIntegerField(
                        blank=True,
                        db_column="github_id",
                        help_text="central.forges.keys: the forge, and its id of the repository; empty: unknown",
                        null=True,
                    ),
                ),
                migrations.RenameField("forgestatement", "github_id", "forge_key"),
                migrations.AlterField(
                    "forgestatement", "forge_key", models.BigIntegerField(db_column="github_id")
                ),
                migrations.RenameField("installedrepository", "github_id", "forge_key"),
                migrations.AlterField(
                    "installedrepository",
                    "forge_key",
                    models.BigIntegerField(db_column="github_id"),
                ),
                migrations.AddConstraint(
                    "repository",
                    models.UniqueConstraint(
                        fields=["organization", "forge_key"],
                        condition=models.Q(forge_key__isnull=False),
                        name="repository_github_id_in_organization",
                    ),
                ),
                migrations.AddConstraint(
                    "forgestatement",
                    models.UniqueConstraint(
                        fields=["organization", "forge_key"], name="forge_statement_of_github_id"
                    ),
                ),
                migrations.AddConstraint(
                    "installedrepository",
                    models.UniqueConstraint(
                        fields=["organization", "forge_key"],
                        name="installed_repository_of_github_id",
                    ),
                ),
            ]
        )
    ]
