"""Stored edges at the reconcile: those of some files are compared with what resolution says."""

from typing import Final

from central.db import id_array, one_moment
from central.maintenance.reconcile import Difference
from central.repositories.models import Repository
from central.trace.stored.comparing import different
from central.trace.stored.models import Source
from central.trace.stored.state import live_files

_SAMPLED_FILES: Final = 200


def compare_edges(repository: Repository, *, repair: bool) -> Difference:
    """Return of how many files the edges differ; with `repair`, these are resolved again.

    While the follower has work, nothing can be said: that is `due`.
    """
    organization = repository.organization
    sources = Source.objects.filter(repository_id=repository.pk)
    with one_moment():
        present = Repository.objects.filter(organization=organization, retired_at=None)
        live = live_files(organization, id_array(present.values_list("id", flat=True)))
        if live is None:
            return Difference(due=1, differing=0)
        paths = sources.exclude(due=True).exclude(is_cut=True).order_by("?")
        sample = paths.values_list("path_id", flat=True)[:_SAMPLED_FILES]
        wrong = different(organization, list(sample))
        due = sources.filter(due=True).count()
    if repair:
        Source.objects.filter(path_id__in=wrong).update(due=True)
    return Difference(due=due, differing=len(wrong))
