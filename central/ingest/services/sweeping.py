"""Finding work: the runs table is the queue, and this is how it is read."""

from uuid import UUID

from central.ingest.services.claims import claimable_runs
from central.ingest.services.ending import expire_runs


def sweep() -> list[UUID]:
    """Expire silent runs; return the runs that wait to be applied, oldest first."""
    expire_runs()
    return list(claimable_runs().values_list("pk", flat=True))
