"""Repositories whose first clone has failed become rows, as they are from now on when chosen."""

from typing import Any

from django.db import migrations


def announce(apps: Any, _schema_editor: Any) -> None:
    """Create a private row for each; what the forge says of it is asked with its next clone."""
    queue = apps.get_model("onboarding", "BackfillRepository").objects
    repositories = apps.get_model("repositories", "Repository").objects
    failed = queue.filter(
        repository=None,
        state="failed",
        backfill__state="listed",
        organization__retired_at=None,
    )
    for row in failed:
        here = repositories.filter(organization_id=row.organization_id)
        is_known = row.github_id is not None and here.filter(github_id=row.github_id).exists()
        if is_known or here.filter(name=row.name).exists():
            continue
        made = repositories.create(
            organization_id=row.organization_id,
            name=row.name,
            github_id=row.github_id,
            tracked_ref="",
            visibility="private",
            indexed_by="central",
            expected_by="backfill",
            trouble="not_cloned",
            trouble_detail=row.error,
        )
        queue.filter(pk=row.pk).update(repository=made)


class Migration(migrations.Migration):
    dependencies = [
        ("onboarding", "0002_authority"),
        ("repositories", "0011_expectations"),
    ]

    operations = [migrations.RunPython(announce, migrations.RunPython.noop)]
