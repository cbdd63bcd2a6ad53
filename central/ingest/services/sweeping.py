"""Finding work: the runs table is the queue, and this is how it is read."""

from uuid import UUID

from django.utils import timezone

from central.github.services.waiting import carry_out_waiting
from central.ingest.services.claims import claimable_runs
from central.ingest.services.ending import abandon_runs_of_retired, expire_runs
from central.repositories.services import flag_unindexed_pushes


def sweep() -> list[UUID]:
    """Carry out what GitHub told and had to wait; end runs of silence and of retired repositories;
    note what is behind.

    Returns the runs that wait to be applied, oldest first.
    """
    carry_out_waiting()
    expire_runs()
    abandon_runs_of_retired()
    flag_unindexed_pushes(now=timezone.now())
    return list(claimable_runs().values_list("pk", flat=True))
