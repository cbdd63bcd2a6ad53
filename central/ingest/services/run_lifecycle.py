"""The ends of a run: abandoned, expired, failed, stale (applied: see services.apply_run)."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from central.errors import ConflictError
from central.ingest.models import Batch, IndexRun
from central.ingest.run_waits import end_run
from central.ingest.services.access import writable_run
from central.repositories.models import Branch, IndexProblem, Repository
from central.repositories.states import NOTHING_TO_DO, RunState
from central.tenancy.credentials import Credential
from indexer.records.vectors import EmbedderSpec

ABANDON_REASONS = (*NOTHING_TO_DO, "cancelled")
_FREE = "builtin"  # the provider that embeds on the client's own machine


@transaction.atomic
def abandon_run(*, credential: Credential, run_id: UUID, reason: str = "") -> None:
    """Abandon an open run. Raises NotFoundError, ForbiddenError, ConflictError.

    An abandoned run is no error. Without a `reason`, a commit that is or was indexed counts as
    nothing to do. That resets `behind` only if the index is behind this commit.
    """
    run = writable_run(credential=credential, run_id=run_id)
    if run.state == RunState.ABANDONED:
        return
    if not end_run(
        run,
        of=IndexRun.objects.filter(state=RunState.OPEN),
        state=RunState.ABANDONED,
        reason=reason,
    ):
        raise ConflictError(
            f"The run is {run.state} and can no longer be given up.",
            code="run_not_open",
            state=run.state,
        )
    _release_uploads(run)
    if reason in NOTHING_TO_DO or _was_applied(run):
        _clear_behind(run)
    else:
        _set_behind(run, "The last run was cancelled")


def expire_runs() -> int:
    """End open runs whose client was silent for RUN_EXPIRES_MINUTES; returns their number."""
    silent_since = timezone.now() - timedelta(minutes=settings.RUN_EXPIRES_MINUTES)
    silent = IndexRun.objects.filter(state=RunState.OPEN, touched_at__lt=silent_since)
    return sum(_expire(run, silent_since) for run in silent.select_related("repository"))


@transaction.atomic
def _expire(run: IndexRun, silent_since: object) -> bool:
    error = f"Its client was silent for {settings.RUN_EXPIRES_MINUTES} minutes."
    silent = IndexRun.objects.filter(state=RunState.OPEN, touched_at__lt=silent_since)
    if not end_run(run, of=silent, state=RunState.EXPIRED, error=error):
        return False
    _release_uploads(run)
    _set_behind(run, "The last run expired")
    return True


def abandon_runs_of_retired() -> int:
    """End open and queued runs of retired repositories; returns their number.

    A run that is being applied ends as stale.
    """
    waiting = IndexRun.objects.filter(
        state__in=(RunState.OPEN, RunState.QUEUED), repository__retired_at__isnull=False
    )
    return sum(_abandon_of_retired(run) for run in waiting)


@transaction.atomic
def _abandon_of_retired(run: IndexRun) -> bool:
    if not end_run(
        run,
        of=IndexRun.objects.filter(state__in=(RunState.OPEN, RunState.QUEUED)),
        state=RunState.ABANDONED,
        error="The repository is gone from here: deleted, transferred or purged.",
        lease_until=None,
    ):
        return False
    _delete_uploads(run)
    return True


def end_claimed_run(
    *, run: IndexRun, state: RunState, error: str, is_unprocessable: bool = False
) -> bool:
    """End a run that is being applied as failed or stale; false if the claim was lost.

    Needs a transaction. The uploads of an unprocessable run are deleted, not salvaged.
    """
    mine = IndexRun.objects.filter(state=RunState.APPLYING, claim=run.claim)
    if not end_run(run, of=mine, state=state, error=error, claim=None, lease_until=None):
        return False
    if is_unprocessable:
        _delete_uploads(run)
    else:
        _release_uploads(run)
    if state == RunState.FAILED:
        _index_of(run).update(
            trouble=IndexProblem.FAILED, trouble_detail=error, trouble_commit=run.commit_sha
        )
    else:
        _set_behind(run, "The last run was overtaken by another", at_any_generation=True)
    return True


def are_vectors_paid(run: IndexRun) -> bool:
    """Whether the vectors of a run that is not applied are worth keeping."""
    return EmbedderSpec.parse(run.embedder).provider != _FREE


def _release_uploads(run: IndexRun) -> None:
    """Delete uploads, but for those that `services.salvage` needs.

    Their vectors were paid for, or their points were written: by the client, or as they arrived.
    """
    if not run.is_direct and not are_vectors_paid(run):
        Batch.objects.filter(run_id=run.pk, file_vectors=None).delete()


def _delete_uploads(run: IndexRun) -> None:
    Batch.objects.filter(run_id=run.pk).delete()


def _index_of(run: IndexRun) -> "QuerySet[Repository] | QuerySet[Branch]":
    """Select the state of the index that the run was to change."""
    if run.branch_id:
        return Branch.objects.filter(pk=run.branch_id)
    return Repository.objects.filter(pk=run.repository_id)


def _was_applied(run: IndexRun) -> bool:
    return IndexRun.objects.filter(
        repository_id=run.repository_id,
        branch=run.branch,
        state=RunState.APPLIED,
        commit_sha=run.commit_sha,
    ).exists()


def _clear_behind(run: IndexRun) -> None:
    _index_of(run).filter(trouble=IndexProblem.BEHIND, trouble_commit=run.commit_sha).update(
        trouble="", trouble_detail="", trouble_commit=""
    )


def _set_behind(run: IndexRun, why: str, *, at_any_generation: bool = False) -> None:
    """Record that the run's commit is not indexed, unless the index has changed since."""
    index = _index_of(run)
    if not at_any_generation:
        index = index.filter(generation=-1 - run.generation if run.branch_id else run.generation)
    index.exclude(last_indexed_commit=run.commit_sha).update(
        trouble=IndexProblem.BEHIND,
        trouble_detail=f"{why}; commit {run.commit_sha} is not indexed.",
        trouble_commit=run.commit_sha,
    )
