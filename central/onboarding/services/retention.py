"""What becomes of a queue's rows with their repository or organisation."""

from collections.abc import Iterable, Iterator

from central.maintenance.organization_export import rows_of
from central.maintenance.repository_deletion import deletion
from central.onboarding.models import Backfill, BackfillRepository
from central.tenancy.models import Organization

DELETION = deletion(BackfillRepository, "repository_id = %s")


def export_members(organization: Organization) -> Iterator[tuple[str, Iterable[object]]]:
    """Yield the organisation's backfills and their repositories."""
    of_it = {"organization": organization}
    yield "backfills.ndjson", rows_of(Backfill.objects.filter(**of_it))
    yield "backfill_repositories.ndjson", rows_of(BackfillRepository.objects.filter(**of_it))
