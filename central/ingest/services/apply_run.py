"""The apply of a run: points first, without a lock, then all rows in one transaction.

Most points were written as the batches arrived (services.vectors).
A reader sees the old index or the new one. A crash leaves either, and points that no chunk names.
"""

import errno
import time
from collections.abc import Iterator
from typing import NamedTuple
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError, transaction

from central.corpus.trigrams.segments import SegmentWriter
from central.extensions import added
from central.ingest.models import IndexRun
from central.ingest.services.apply_commit import (
    GenerationMovedError,
    IncompleteRunError,
    commit_run,
)
from central.ingest.services.claims import Claim, ClaimLostError, claim_next, claim_run
from central.ingest.services.run_lifecycle import end_claimed_run
from central.ingest.services.stored_batches import StoredBatch, StoredBatches
from central.ingest.services.vectors import (
    EmbeddingGoneError,
    PointsMissingError,
    delete_stale_points,
    prepare_vectors,
)
from central.observability import metrics
from central.observability.tracing import Span, span
from central.repositories.states import RunState
from indexer.errors import StoreError, StoreFullError

_FULL_STATE = "53100"  # SQLSTATE
_IDLE_TOO_LONG = "25P03"  # SQLSTATE: see central.db.end_if_idle
_PROGRAM_LIMITS = "54"  # SQLSTATE class: a row too large for its index, and the like
_OVERTAKEN = "Another run was applied meanwhile; plan again from the new base."
_DISK_FULL = "The disk of the service is full. Free some space there and run the indexer again."

_log = structlog.get_logger(__name__)


class Attempt(NamedTuple):
    """The result of an apply: the run's final state, or None if it must wait."""

    state: RunState | None


def apply_run(*, run_id: UUID) -> RunState | None:
    """Claim and apply a run; returns its final state, or None if it is taken or must wait.

    Must not be called in a transaction. An unexpected error is recorded on the run and raised;
    the run is tried RUN_MAX_ATTEMPTS times.
    """
    claim = claim_run(run_id=run_id)
    return None if claim is None else _apply_claimed(claim)


def apply_next() -> Attempt | None:
    """Apply the run whose turn it is; None if none can be claimed."""
    claim = claim_next()
    return None if claim is None else Attempt(_apply_claimed(claim))


def _apply_claimed(claim: Claim) -> RunState | None:
    started = time.perf_counter()
    with (
        structlog.contextvars.bound_contextvars(run=str(claim.run.pk)),
        span("code.index.build", path=str(claim.run.repository), mode=claim.run.mode) as apply_span,
    ):
        try:
            with claim.kept_alive():
                state = _attempt(claim, apply_span)
            apply_span.set_attributes(state=state or "waiting")
        except ClaimLostError:
            state = None
            apply_span.set_attributes(state="claim_lost")
        finally:
            outcome = apply_span.attributes.get("state", "crashed")
            metrics.APPLY_SECONDS.labels(outcome).observe(time.perf_counter() - started)
    if state == RunState.APPLIED:
        _follow_up(claim.run)
    return state


def _follow_up(run: IndexRun) -> None:
    for follow_up in added("follow_ups"):
        try:
            follow_up()
        except Exception:  # noqa: BLE001 (the run is applied; other work must go on)
            _log.exception("follow_up_failed", run=str(run.pk))


def _attempt(claim: Claim, apply_span: Span) -> RunState | None:
    try:
        return _apply(claim, apply_span)
    except ClaimLostError:
        raise
    except Exception as exc:
        if _is_full(exc):
            _log.error("disk_full", run=str(claim.run.pk))
            metrics.UNAVAILABLE.labels("disk_full").inc()
            return _end(claim, RunState.FAILED, _DISK_FULL)
        if _is_outage(exc):
            metrics.UNAVAILABLE.labels("apply").inc()
            claim.requeue(str(exc))
            return None
        if isinstance(exc, StoreError) and claim.is_last:
            _log.error("store_refused", run=str(claim.run.pk), error=str(exc))
            return _end(claim, RunState.FAILED, str(exc))
        claim.record_crash(f"{type(exc).__name__}; see the service's log.")
        raise


def _apply(claim: Claim, apply_span: Span) -> RunState:
    try:
        _require_generation(claim.run)
        batches = StoredBatches(claim.run)
        with SegmentWriter[str]() as segments:
            prepare_vectors(claim=claim, batches=_add_texts(segments, batches))
            segments.finish()
            delta, before = commit_run(claim, batches, segments)
    except GenerationMovedError:
        return _end(claim, RunState.STALE, _OVERTAKEN)
    except (IncompleteRunError, PointsMissingError, EmbeddingGoneError) as exc:
        return _end(claim, RunState.FAILED, str(exc))
    apply_span.set_attributes(fileCount=len(delta.inserted), commit=claim.run.commit_sha)
    delete_stale_points(claim.run, delta.orphans, before)
    return RunState.APPLIED


def _add_texts(segments: SegmentWriter[str], batches: StoredBatches) -> Iterator[StoredBatch]:
    """Yield the batches, whose texts are added to the segments by path as they are read."""
    for batch in batches:
        for file in batch.rows.files.files:
            if file.content:
                segments.add(file.path, file.content)
        yield batch


def _require_generation(run: IndexRun) -> None:
    if run.repository.generation != run.generation:
        raise GenerationMovedError


@transaction.atomic
def _end(claim: Claim, state: RunState, error: str) -> RunState:
    """End the run without applying it; `services.salvage` deletes its points."""
    claim.lock()
    if not end_claimed_run(run=claim.run, state=state, error=error):
        raise ClaimLostError
    return state


def _is_full(exc: Exception) -> bool:
    """Whether a disk is full: that is not transient, and a waiting run takes space."""
    sqlstate = getattr(exc.__cause__, "sqlstate", None)
    is_no_space = isinstance(exc, OSError) and exc.errno == errno.ENOSPC
    return isinstance(exc, StoreFullError) or sqlstate == _FULL_STATE or is_no_space


def _is_outage(exc: Exception) -> bool:
    """Whether the database or store is unavailable rather than refusing the request."""
    if isinstance(exc, StoreError):
        return exc.retryable
    sqlstate = getattr(exc.__cause__, "sqlstate", None) or ""
    if sqlstate == _IDLE_TOO_LONG:  # an InternalError to Django
        return True
    return isinstance(exc, OperationalError | InterfaceError) and not sqlstate.startswith(
        _PROGRAM_LIMITS
    )
