"""The states of runs and of indexes: their values, and the rules of an index's state."""

from typing import Any

from django.db import models
from django.db.models import Case, CharField, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import JSONObject

from aeterna_code_search.contract.status import RUN_STATES_NOT_ENDED, IndexState
from central.repositories.models import IndexProblem, Repository
from indexer.records.runs import Reason


class RunState(models.TextChoices):
    """The state of a run. All but the first three are final."""

    OPEN = "open"
    QUEUED = "queued"
    APPLYING = "applying"
    APPLIED = "applied"
    FAILED = "failed"
    STALE = "stale"
    ABANDONED = "abandoned"
    EXPIRED = "expired"


LIVE_RUN_STATES = tuple(map(RunState, RUN_STATES_NOT_ENDED))
BUSY_RUN_STATES = (RunState.QUEUED, RunState.APPLYING)
FAILURES = (IndexProblem.FAILED, IndexProblem.NOT_CLONED)
# Reasons of an abandoned run that mean: the index is as new as its commit.
NOTHING_TO_DO = (
    Reason.UP_TO_DATE.value,
    Reason.SUPERSEDED.value,
    Reason.BRANCH_NOT_WANTED.value,
)


def had_nothing_to_do(state: str, reason: str) -> bool:
    """Whether a run ended because the index is as new as its commit: it was not cancelled."""
    return state == RunState.ABANDONED and reason in NOTHING_TO_DO


def with_live_runs(repositories: QuerySet[Repository]) -> QuerySet[Repository]:
    """Annotate `live_run`, the newest run that has not ended, in the same query.

    It is a dict of id, state and progress, or None; the partial index on live runs serves it.
    """
    live = (
        Repository.objects.filter(pk=OuterRef("pk"), runs__state__in=LIVE_RUN_STATES)
        .order_by("-runs__opened_at")
        .values(live_run=JSONObject(id="runs__id", state="runs__state", progress="runs__progress"))
    )
    return repositories.annotate(live_run=Subquery(live[:1]))


def index_state(repository: Repository) -> IndexState:
    """Return the state of a repository from `with_live_runs`."""
    if repository.paused:
        return IndexState.PAUSED
    if repository.live_run:  # type: ignore[attr-defined]
        return IndexState.INDEXING
    if repository.trouble in FAILURES:
        return IndexState.FAILED
    if repository.trouble == IndexProblem.BEHIND:
        return IndexState.BEHIND
    return IndexState.CURRENT if repository.generation else IndexState.NEVER


def with_states(repositories: QuerySet[Repository]) -> QuerySet[Any]:
    """Annotate `index_state`, the same rules in SQL, to filter and to count by."""
    live = Repository.objects.filter(runs__state__in=LIVE_RUN_STATES).order_by().values("pk")
    return repositories.annotate(
        index_state=Case(
            When(paused=True, then=Value(IndexState.PAUSED)),
            When(pk__in=live, then=Value(IndexState.INDEXING)),
            When(trouble__in=FAILURES, then=Value(IndexState.FAILED)),
            When(trouble=IndexProblem.BEHIND, then=Value(IndexState.BEHIND)),
            When(generation=0, then=Value(IndexState.NEVER)),
            default=Value(IndexState.CURRENT),
            output_field=CharField(),
        )
    )
