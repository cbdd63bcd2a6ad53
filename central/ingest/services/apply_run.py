"""Applying a run: vectors first, without a lock; then everything else in one transaction.

The last points are written while the transaction makes its rows, and before it commits.
A reader sees the old index or the new one. A crash leaves either, and points that no chunk names.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple
from uuid import UUID

import structlog
from django.db import transaction
from django.utils import timezone

from central.corpus.backends import collection_of, vector_store
from central.corpus.models import File
from central.corpus.packages import refresh_packages
from central.corpus.replace import Change, insert_files, move_term_stats, remove_files
from central.corpus.rows import Origin
from central.corpus.signals import index_applied
from central.ingest.models import IndexRun, RunState
from central.ingest.services.batches import StoredRecords, path_key, stored_path_keys
from central.ingest.services.claims import Claim, ClaimLostError, claim_next, claim_run
from central.ingest.services.failures import is_full, is_outage
from central.ingest.services.points import (
    EmbeddingGoneError,
    PointWriter,
    delete_points,
    remove_points,
    upload_points,
)
from central.ingest.services.run_lifecycle import end_claimed_run, leaves_uploads
from central.ingest.services.salvage import PointsLackingError, adopt_points
from central.ingest.services.trees import LoadedTree, stored_tree
from central.observability import metrics
from central.observability.tracing import Span, span
from central.repositories.models import Repository
from central.repositories.services import settle_adoption
from indexer.errors import StoreError
from indexer.records.files import FileRecord
from indexer.records.runs import Mode
from indexer.store.base import VectorStore

_PATHS = 500  # paths a statement

_DISK_FULL = "The disk of the service is full. Free some space there and run the indexer again."

_log = structlog.get_logger(__name__)


class IncompleteRunError(Exception):
    """The uploads are not what the run's mode asks for; the message is shown to the client."""


class GenerationMovedError(Exception):
    """Another run was applied since this one was opened."""


class Attempt(NamedTuple):
    """At applying a run: the state that it ended in, or None if it must wait."""

    state: RunState | None


def apply_run(*, run_id: UUID) -> RunState | None:
    """Claim and apply a run; the state it ended in, or None if it is not to be had or must wait.

    Must not be called in a transaction. An unexpected error is raised after it has been noted on
    the run, which is tried again RUN_MAX_ATTEMPTS times.
    """
    claim = claim_run(run_id=run_id)
    return None if claim is None else _apply_claimed(claim)


def apply_next() -> Attempt | None:
    """As `apply_run`, of the run whose turn it is; None if there is none to be had."""
    claim = claim_next()
    return None if claim is None else Attempt(_apply_claimed(claim))


def _apply_claimed(claim: Claim) -> RunState | None:
    started = time.perf_counter()
    with (
        structlog.contextvars.bound_contextvars(run=str(claim.run.pk)),
        span("code.index.build", path=str(claim.run.repository), mode=claim.run.mode) as told,
    ):
        try:
            state = _attempt(claim, told)
            told.set_attributes(state=state or "waiting")
        except ClaimLostError:
            state = None
            told.set_attributes(state="claim_lost")
        finally:
            outcome = told.attributes.get("state", "crashed")
            metrics.APPLY_SECONDS.labels(outcome).observe(time.perf_counter() - started)
    return state


def _attempt(claim: Claim, told: Span) -> RunState | None:
    try:
        return _apply(claim, told)
    except ClaimLostError:
        raise
    except Exception as exc:
        if is_full(exc):
            _log.error("disk_full", run=str(claim.run.pk))
            metrics.UNAVAILABLE.labels("disk_full").inc()
            return _fail(claim, _DISK_FULL)
        if is_outage(exc):
            metrics.UNAVAILABLE.labels("apply").inc()
            claim.postpone(str(exc))
            return None
        if isinstance(exc, StoreError) and claim.is_last:
            _log.error("store_refused", run=str(claim.run.pk), error=str(exc))
            return _fail(claim, str(exc))
        claim.crashed(f"{type(exc).__name__}; see the service's log.")
        raise


def _apply(claim: Claim, told: Span) -> RunState:
    store = vector_store()
    try:
        _require_generation(claim.run)
        records = StoredRecords(claim.run)
        with PointWriter(store, collection_of(claim.run.repository, claim.run.embedder)) as writer:
            if claim.run.is_direct:
                adopt_points(claim=claim, records=records, store=store)
            else:
                upload_points(claim=claim, records=records, writer=writer)
            change, before = _commit(claim, records, writer)
    except GenerationMovedError:
        return _end(
            claim,
            store,
            RunState.STALE,
            "Another run was applied meanwhile; plan again from the new base.",
        )
    except (IncompleteRunError, PointsLackingError, EmbeddingGoneError) as exc:
        return _end(claim, store, RunState.FAILED, str(exc))
    told.set_attributes(fileCount=len(change.inserted), commit=claim.run.commit_sha)
    _sweep_up(claim.run, store, change, before)
    for _, result in index_applied.send_robust(
        sender=Repository, repository=Repository.objects.get(pk=claim.run.repository_id)
    ):
        if isinstance(result, Exception):
            _log.error("index_applied_receiver_failed", run=str(claim.run.pk), exc_info=result)
    return RunState.APPLIED


def _require_generation(run: IndexRun) -> None:
    if run.repository.generation != run.generation:
        raise GenerationMovedError


@transaction.atomic
def _commit(claim: Claim, stored: StoredRecords, writer: PointWriter) -> tuple[Change, Repository]:
    """All or nothing; returns what changed and the repository as it was before."""
    run = claim.run
    claim.lock()
    before = _advance(run)
    change = Change()
    tree = _loaded_tree(run)
    for paths in _gone(run, tree):
        remove_files(repository_id=run.repository_id, paths=paths, change=change)
    origin = Origin(repository_id=run.repository_id, run_id=run.pk, extractor=run.extractor)
    for records in stored:
        remove_files(
            repository_id=run.repository_id,
            paths=[record.path for record in records],
            change=change,
        )
        files = [record for record in records if isinstance(record, FileRecord)]
        insert_files(origin=origin, records=files, change=change)
    if tree and (path := tree.different_file()) is not None:
        raise IncompleteRunError(f"{path!r} came with another mode or blob than the tree says.")
    refresh_packages(
        repository_id=run.repository_id,
        manifests_changed=change.manifests,
        inserted=change.inserted,
    )
    move_term_stats(repository_id=run.repository_id, differences=change.terms)
    _count(before, change)
    settle_adoption(repository_id=run.repository_id, opened_at=run.opened_at)
    run.batch_set.all().delete()
    writer.finish()
    IndexRun.objects.filter(pk=run.pk).update(
        state=RunState.APPLIED,
        claim=None,
        lease_until=None,
        ended_at=timezone.now(),
        error="",
        progress={"stage": "applied", "percent": 100},
    )
    return change, before


def _loaded_tree(run: IndexRun) -> LoadedTree | None:
    """The tree that a full run uploaded. Raises IncompleteRunError if its batches do not fit it."""
    lines = None if run.mode == Mode.INCREMENTAL else stored_tree(run)
    if lines is None:
        return None
    tree = LoadedTree(run)
    tree.fill(lines)
    lacking = tree.lacking(everything=run.mode == Mode.FORCE)
    if lacking.missing:
        raise IncompleteRunError(
            f"{lacking.missing} changed paths of the tree did not come, among them "
            f"{lacking.example!r}."
        )
    if lacking.foreign:
        raise IncompleteRunError(f"{lacking.foreign} paths came that the tree does not have.")
    return tree


def _gone(run: IndexRun, tree: LoadedTree | None) -> Iterator[list[str]]:
    """Stored paths that the run's commit does not have, some at a time."""
    if tree:
        yield from tree.removed()
    elif run.mode != Mode.INCREMENTAL:  # a forced run may leave the tree out: its batches are it
        came = stored_path_keys(run)
        stored = File.objects.filter(repository_id=run.repository_id).values_list("path", flat=True)
        paths = [path for path in stored.iterator() if path_key(path) not in came]
        for start in range(0, len(paths), _PATHS):
            yield paths[start : start + _PATHS]


def _advance(run: IndexRun) -> Repository:
    """Compare and set the generation; the row stays locked until the commit."""
    before = Repository.objects.select_related("organization").get(pk=run.repository_id)
    done = Repository.objects.filter(pk=run.repository_id, generation=run.generation).update(
        generation=run.generation + 1,
        last_indexed_commit=run.commit_sha,
        indexed_at=timezone.now(),
        extractor=run.extractor,
        embedder=run.embedder,
        last_mode=run.mode,
        last_reason=run.reason,
        trouble="",
        trouble_detail="",
        trouble_commit="",
    )
    if not done:
        raise GenerationMovedError
    if run.mode == Mode.FORCE:  # what was asked for since it was opened, its client does not know
        Repository.objects.filter(
            pk=run.repository_id, reindex_requested_at__lte=run.opened_at
        ).update(reindex_requested_at=None)
    return before


def _count(before: Repository, change: Change) -> None:
    languages = dict(before.languages)
    for language, difference in change.languages.items():
        languages[language] = languages.get(language, 0) + difference
    Repository.objects.filter(pk=before.pk).update(
        files=before.files + change.files,
        skipped=before.skipped + change.skipped,
        chunks=before.chunks + change.chunks,
        symbols=before.symbols + change.symbols,
        references=before.references + change.references,
        languages={name: count for name, count in sorted(languages.items()) if count},
    )


@transaction.atomic
def _end(claim: Claim, store: VectorStore, state: RunState, error: str) -> RunState:
    """End without applying. The points go first: the batches say which they are.

    The run stays locked meanwhile: whoever else applied it would lose the points, which are the
    same. Where the uploads are left, the points go with them (services.keeping).
    """
    claim.lock()
    if not leaves_uploads(claim.run):
        remove_points(run=claim.run, store=store)
    if not end_claimed_run(run=claim.run, state=state, error=error):
        raise ClaimLostError
    return state


@transaction.atomic
def _fail(claim: Claim, error: str) -> RunState:
    """As `_end`, whatever the store says to it."""
    claim.lock()
    if not leaves_uploads(claim.run):
        with suppress(StoreError):  # the reconcile removes them later
            remove_points(run=claim.run, store=vector_store())
    if not end_claimed_run(run=claim.run, state=RunState.FAILED, error=error):
        raise ClaimLostError
    return RunState.FAILED


def _sweep_up(run: IndexRun, store: VectorStore, change: Change, before: Repository) -> None:
    """Delete the points whose chunks are gone. What fails here is left to the reconcile."""
    try:
        if before.embedder and before.embedder != run.embedder:
            store.drop(collection_of(before, before.embedder))
        else:
            delete_points(
                store=store, collection=collection_of(before, run.embedder), ids=change.orphans
            )
    except StoreError as exc:
        _log.warning("orphans_left_to_reconcile", run=str(run.pk), error=str(exc))
