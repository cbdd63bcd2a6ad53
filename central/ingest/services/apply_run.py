"""The apply of a run: points first, without a lock, then all rows in one transaction.

Most points were written as the batches arrived (services.vectors).
A reader sees the old index or the new one. A crash leaves either, and points that no chunk names.
"""

import errno
import time
from collections.abc import Iterator

import structlog
from django.db import InterfaceError, OperationalError, transaction

from central.background import STORE
from central.corpus.trigrams.segments import SegmentWriter
from central.extensions import added
from central.ingest.models import IndexRun
from central.ingest.services.apply_commit import (
    GenerationMovedError,
    IncompleteRunError,
    commit_run,
)
from central.ingest.services.claims import RunClaim
from central.ingest.services.run_lifecycle import end_claimed_run
from central.ingest.services.stored_batches import StoredBatch, StoredBatches
from central.ingest.services.vectors import (
    EmbeddingGoneError,
    PointsMissingError,
    delete_stale_points,
    prepare_vectors,
)
from central.jobs import ClaimLostError
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


def apply_next() -> bool:
    """Apply the run whose turn it is; return whether there was one."""
    claim = RunClaim.take(RunClaim.in_turn("queued_at"))
    if claim is not None:
        apply_claimed(claim)
    return claim is not None


def apply_claimed(claim: RunClaim) -> RunState | None:
    """Apply a run; returns its final state, or None if the claim was lost or it must wait.

    Must not be called in a transaction. An unexpected error is recorded on the run and raised;
    the run is tried RUN_MAX_ATTEMPTS times.
    """
    started = time.perf_counter()
    with (
        structlog.contextvars.bound_contextvars(run=str(claim.row.pk)),
        span("code.index.build", path=str(claim.row.repository), mode=claim.row.mode) as apply_span,
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
        STORE.wake()
        _follow_up(claim.row)
    return state


def _follow_up(run: IndexRun) -> None:
    for follow_up in added("follow_ups"):
        try:
            follow_up()
        except Exception:  # noqa: BLE001 (the run is applied; other work must go on)
            _log.exception("follow_up_failed", run=str(run.pk))


def _attempt(claim: RunClaim, apply_span: Span) -> RunState | None:
    try:
        return _apply(claim, apply_span)
    except ClaimLostError:
        raise
    except Exception as exc:
        if _is_full(exc):
            _log.error("disk_full", run=str(claim.row.pk))
            metrics.UNAVAILABLE.labels("disk_full").inc()
            return _end(claim, RunState.FAILED, _DISK_FULL)
        if _is_outage(exc):
            metrics.UNAVAILABLE.labels("apply").inc()
            claim.requeue(str(exc))
            return None
        if isinstance(exc, StoreError) and claim.is_last:
            _log.error("store_refused", run=str(claim.row.pk), error=str(exc))
            return _end(claim, RunState.FAILED, str(exc))
        claim.retry(f"{type(exc).__name__}; see the service's log.")
        raise


def _apply(claim: RunClaim, apply_span: Span) -> RunState:
    try:
        _require_generation(claim.row)
        batches = StoredBatches(claim.row)
        with SegmentWriter[str]() as segments:
            prepare_vectors(claim=claim, batches=_add_texts(segments, batches))
            segments.finish()
            delta, before = commit_run(claim, batches, segments)
    except GenerationMovedError:
        return _end(claim, RunState.STALE, _OVERTAKEN)
    except (IncompleteRunError, PointsMissingError, EmbeddingGoneError) as exc:
        return _end(claim, RunState.FAILED, str(exc))
    apply_span.set_attributes(fileCount=len(delta.inserted), commit=claim.row.commit_sha)
    delete_stale_points(claim.row, delta.orphans, before)
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
def _end(claim: RunClaim, state: RunState, error: str) -> RunState:
    """End the run without applying it; `services.salvage` deletes its points."""
    claim.lock()
    if not end_claimed_run(run=claim.row, state=state, error=error):
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
