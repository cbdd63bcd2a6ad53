"""Stored edges at the reconcile: some, which chance takes, are compared with what resolution says."""

from typing import Final

from central.db import id_array, one_moment
from central.maintenance.reconcile import Difference
from central.repositories.models import Repository
from central.trace.stored.comparing import different
from central.trace.stored.models import Source
from central.trace.stored.state import is_current

_SAMPLED_FILES: Final = 200


def compare_edges(repository: Repository, *, repair: bool) -> Difference:
    """Return of how many files the edges differ; with `repair`, these are resolved again.

    While the follower has work, nothing can be said: that is `due`.
    """
    organization = repository.organization
    sources = Source.objects.filter(repository_id=repository.pk)
    with one_moment():
        present = Repository.objects.filter(organization=organization, retired_at=None)
        if not is_current(organization, id_array(present.values_list("id", flat=True))):
            return Difference(due=1, differing=0)
        paths = sources.order_by("?").values_list("path_id", flat=True)[:_SAMPLED_FILES]
        wrong = different(organization, list(paths))
    if repair:
        Source.objects.filter(path_id__in=wrong).update(due=True)
    return Difference(due=0, differing=len(wrong))
