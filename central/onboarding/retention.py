"""What of backfills goes with a repository that is purged, and into an organisation's export."""

from typing import Final

from central.maintenance.organization_export import members_of
from central.maintenance.repository_deletion import deletion
from central.onboarding.models import Backfill, BackfillRepository

DELETIONS: Final = (deletion(BackfillRepository, "repository_id = %s"),)

export_members = members_of(backfills=Backfill, backfill_repositories=BackfillRepository)
