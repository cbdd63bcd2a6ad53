"""In which state a repository's index is, for the status and for the receipts of answers."""

from enum import StrEnum

from django.db.models import BooleanField, Exists, OuterRef, QuerySet
from django.db.models.expressions import ExpressionWrapper

from central.repositories.models import Repository, Trouble


class IndexState(StrEnum):
    """What can be said of an index; the first that holds, in this order."""

    PAUSED = "paused"  # an administrator stopped indexing
    INDEXING = "indexing"  # a run is open, queued or being applied
    FAILED = "failed"  # the newest run failed
    BEHIND = "behind"  # a newer commit is known that is not indexed
    NEVER = "never"
    CURRENT = "current"


def with_live_runs(repositories: QuerySet[Repository]) -> QuerySet[Repository]:
    """Annotate `is_indexing`, in the same query (served by the partial index on live runs)."""
    live = Repository.objects.filter(
        pk=OuterRef("pk"), runs__state__in=("open", "queued", "applying")
    )
    return repositories.annotate(
        is_indexing=ExpressionWrapper(Exists(live), output_field=BooleanField())
    )


def index_state(repository: Repository) -> IndexState:
    """The state of a repository that comes from `with_live_runs`."""
    if repository.paused:
        return IndexState.PAUSED
    if repository.is_indexing:  # type: ignore[attr-defined]
        return IndexState.INDEXING
    if repository.trouble == Trouble.FAILED:
        return IndexState.FAILED
    if repository.trouble == Trouble.BEHIND:
        return IndexState.BEHIND
    return IndexState.CURRENT if repository.generation else IndexState.NEVER
