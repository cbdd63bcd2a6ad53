"""Which files of a repository are not indexed, and why."""

from django.db.models import Count

from central.corpus.models import File
from central.repositories.models import Repository

PAGE_SIZE = 100


def skipped_counts(*, repository: Repository) -> list[tuple[str, int]]:
    """(reason, files), the most frequent first. One query, none where nothing was skipped."""
    if not repository.skipped:
        return []
    rows = (
        File.objects.filter(repository=repository)
        .exclude(skipped="")
        .values_list("skipped")
        .annotate(count=Count("pk"))
        .order_by("-count", "skipped")
    )
    return list(rows)


def skipped_paths(*, repository: Repository, reason: str, after: str) -> tuple[list[str], bool]:
    """A page of the paths behind `after` in the order of their characters, and whether more."""
    paths = list(
        File.objects.filter(repository=repository, skipped=reason, path__gt=after)
        .order_by("path")
        .values_list("path", flat=True)[: PAGE_SIZE + 1]
    )
    return paths[:PAGE_SIZE], len(paths) > PAGE_SIZE
