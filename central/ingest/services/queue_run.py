"""The webhook: a verified delivery becomes a row and queues its run; a worker is notified.

The work is constant, whatever the run's size.
"""

import hashlib
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Max, Sum
from django.utils import timezone

from central.errors import ConflictError, InvalidError
from central.ingest.models import Delivery, IndexRun
from central.ingest.selectors import locked_run, require_open
from central.ingest.services.access import writable_run
from central.ingest.services.trees import TREE_NUMBER
from central.repositories.states import RunState
from central.tenancy.credentials import Credential
from indexer.records.runs import Mode


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The webhook's description of a run."""

    run_id: UUID
    commit_sha: str
    mode: str
    reason: str
    batches: int
    stats: dict[str, Any]
    base_commit: str = ""  # without a base


@transaction.atomic
def queue_run(
    *, credential: Credential, summary: RunSummary, webhook_id: UUID, body: bytes
) -> IndexRun:
    """Queue the run; a repeated delivery changes nothing and returns the run.

    The signature has been verified. Raises NotFoundError, ForbiddenError (of `writable_run`),
    InvalidError (`run_mismatch`, `base_mismatch`, `mode_impossible`, `tree_missing`,
    `tree_unexpected`, `removal_in_full_run`), ConflictError (`delivery_conflict`, `run_not_open`,
    `batches_missing`).
    """
    run = writable_run(credential=credential, run_id=webhook_id)
    if _is_repeated(credential, webhook_id, body):  # before the lock, which an apply may hold
        return run
    locked = locked_run(run)
    if _is_repeated(credential, webhook_id, body):
        return run
    require_open(locked)
    _check_identity(run, summary)
    _check_uploads(run, summary)
    Delivery.objects.create(
        organization=credential.organization,
        webhook_id=str(webhook_id),
        digest=_digest(body),
        run=run,
    )
    now = timezone.now()
    IndexRun.objects.filter(pk=run.pk).update(
        state=RunState.QUEUED,
        mode=summary.mode,
        reason=summary.reason,
        batches=summary.batches,
        stats=summary.stats,
        touched_at=now,
        queued_at=now,
    )
    return run


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()


def _is_repeated(credential: Credential, webhook_id: UUID, body: bytes) -> bool:
    earlier = Delivery.objects.filter(
        organization=credential.organization, webhook_id=webhook_id
    ).first()
    if earlier is None:
        return False
    if bytes(earlier.digest) != _digest(body):
        raise ConflictError(
            "This webhook-id was delivered with another body; open another run.",
            code="delivery_conflict",
        )
    return True


def _check_identity(run: IndexRun, summary: RunSummary) -> None:
    # Not the project's name: the repository may have been renamed or displaced since Open, and the
    # run, whose own secret signed this, is of the repository whatever that is called by now.
    if (summary.run_id, summary.commit_sha) != (run.pk, run.commit_sha):
        raise InvalidError(
            "run_id and commit_sha must be those that the run was opened with.",
            code="run_mismatch",
        )
    if summary.base_commit != run.base_commit:
        raise InvalidError("base_commit must be the one that Open answered.", code="base_mismatch")
    index = run.index
    was_reindexed = index.run_generation != run.generation  # the apply will find the run stale
    same_base = (index.extractor, index.embedder) == (run.extractor, run.embedder)
    if summary.mode == Mode.INCREMENTAL and not (run.base_commit and (same_base or was_reindexed)):
        raise InvalidError(
            "An incremental run needs a base commit with the same extractor and embedder; send a "
            "full one.",
            code="mode_impossible",
        )


def _check_uploads(run: IndexRun, summary: RunSummary) -> None:
    batches = run.batch_set.filter(number__gt=TREE_NUMBER).aggregate(
        count=Count("id"), last=Max("number"), removals=Sum("removals")
    )
    has_tree = run.batch_set.filter(number=TREE_NUMBER).exists()
    if not batches["count"] == (batches["last"] or 0) == summary.batches:
        raise ConflictError(
            f"The webhook says {summary.batches} batches; {batches['count']} came, the last "
            f"one numbered {batches['last'] or 0}. Upload 1 to {summary.batches}, then send "
            "the webhook.",
            code="batches_missing",
        )
    if summary.mode == Mode.FULL and not has_tree:
        raise InvalidError("A full run must upload its tree first.", code="tree_missing")
    if summary.mode == Mode.INCREMENTAL and has_tree:
        raise InvalidError(
            "An incremental run has no tree; say mode 'full'.", code="tree_unexpected"
        )
    if summary.mode != Mode.INCREMENTAL and batches["removals"]:
        raise InvalidError(
            "In a full run the tree says what is gone; send no removals.",
            code="removal_in_full_run",
        )
