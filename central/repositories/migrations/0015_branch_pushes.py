"""Pushes to branches beside the default one that nothing has followed yet."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("repositories", "0014_branches")]

    operations = [
        migrations.CreateModel(
            name="BranchPush",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("ref", models.CharField(max_length=255)),
                ("commit_sha", models.CharField(max_length=64)),
                ("pushed_at", models.DateTimeField(help_text="By the forge's clock")),
                (
                    "repository",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="repositories.repository",
                    ),
                ),
            ],
            options={"verbose_name_plural": "branch pushes"},
        ),
        migrations.AddConstraint(
            model_name="branchpush",
            constraint=models.UniqueConstraint(fields=("repository", "ref"), name="push_of_branch"),
        ),
    ]
