"""The apply of a run: points first, without a lock, then all rows in one transaction.

Most points were written as the batches arrived (services.vectors).
A reader sees the old index or the new one. A crash leaves either, and points that no chunk names.
"""

import errno
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import structlog
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import BigIntegerField, Case, F, Value, When
from django.utils import timezone

from central.background import EDGES, GRAPH, STORE
from central.corpus.branches.scope import ChosenBranch, on_branches
from central.corpus.commits import kept_commits
from central.corpus.models import File
from central.corpus.patches import commit_text
from central.corpus.replace import Replacement
from central.corpus.replace_branch import BranchReplacement
from central.corpus.trigrams.indexed import Indexed
from central.corpus.trigrams.segments import SegmentWriter
from central.ingest.models import IndexRun
from central.ingest.run_waits import end_run
from central.ingest.services.batches import path_key
from central.ingest.services.claims import RunClaim, guard_writer
from central.ingest.services.run_lifecycle import end_claimed_run
from central.ingest.services.stored_batches import (
    BatchRows,
    StoredBatch,
    StoredBatches,
    stored_path_keys,
)
from central.ingest.services.trees import LoadedTree, stored_tree
from central.ingest.services.vectors import (
    EmbeddingGoneError,
    PointsMissingError,
    prepare_vectors,
    read_file_vectors,
    settle_points,
)
from central.jobs import ClaimLostError
from central.observability import metrics
from central.observability.tracing import Span, span
from central.repositories.models import Branch, IndexState, Repository
from central.repositories.services import settle_adoption
from central.repositories.states import RunState
from indexer.errors import StoreError, StoreFullError
from indexer.records.history import Commit
from indexer.records.runs import Mode

_FULL_STATE = "53100"  # SQLSTATE
_IDLE_TOO_LONG = "25P03"  # SQLSTATE: see central.db.end_if_idle
_PROGRAM_LIMITS = "54"  # SQLSTATE class: a row too large for its index, and the like
_OVERTAKEN = "Another run was applied meanwhile; plan again from the new base."
_DISK_FULL = "The disk of the service is full. Free some space there and run the indexer again."

_COUNTED = (
    *("files", "skipped", "generated", "partly_parsed"),
    *("chunks", "symbols", "references"),
)
_PATHS = 500  # paths a statement
_IDLE_SECONDS = 30  # so long does a stopped worker, or one whose machine is gone, keep its locks

_log = structlog.get_logger(__name__)


class IncompleteRunError(Exception):
    """The uploads do not fit the run's mode; the message is shown to the client."""


class GenerationMovedError(Exception):
    """Another run was applied since this one was opened."""


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
        for due in (STORE, EDGES, GRAPH):
            due.wake()
    return state


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
        with (
            SegmentWriter[str](_files_of(claim.row)) as files,
            SegmentWriter[str](Indexed.COMMITS) as commits,
        ):
            texts = _Texts(claim.row, files, commits)
            prepare_vectors(claim=claim, batches=texts.add(batches))
            texts.finish()
            replaced, before = commit_run(claim, batches, texts)
    except GenerationMovedError:
        return _end(claim, RunState.STALE, _OVERTAKEN)
    except (IncompleteRunError, PointsMissingError, EmbeddingGoneError) as exc:
        return _end(claim, RunState.FAILED, str(exc))
    settle_points(claim.row, replaced, before)
    apply_span.set_attributes(fileCount=len(replaced.inserted), commit=claim.row.commit_sha)
    return RunState.APPLIED


def _files_of(run: IndexRun) -> Indexed:
    return Indexed.OTHER_FILES if run.branch_id else Indexed.FILES


class _Texts(NamedTuple):
    """The texts of a run for the text index: files by path, commits by id.

    Commits are those of the default branch.
    """

    run: IndexRun
    files: SegmentWriter[str]
    commits: SegmentWriter[str]

    def add(self, batches: StoredBatches) -> Iterator[StoredBatch]:
        """Yield the batches, whose texts are added as they are read.

        Raises IncompleteRunError for a commit that comes in two of them.
        """
        came: set[str] = set()
        for batch in batches:
            for file in batch.rows.files.files:
                if file.content:
                    self.files.add(file.path, file.content)
            if batch.rows.commits and not self.run.branch_id:
                self._add_commits(batch.rows.commits, came)
            yield batch

    def _add_commits(self, commits: Sequence[Commit], came: set[str]) -> None:
        for commit in kept_commits(self.run.repository_id, commits):
            if commit.sha in came:
                raise IncompleteRunError(f"The commit {commit.sha} came twice.")
            came.add(commit.sha)
            hunks = (change.hunks for change in commit.changes)
            self.commits.add(commit.sha, commit_text(commit.subject, commit.body, hunks))

    def finish(self) -> None:
        """Encode the last segments; after it, `insert` only copies."""
        self.files.finish()
        self.commits.finish()

    def insert(self, replaced: Replacement | BranchReplacement) -> None:
        """Store them with the keys of what was inserted. In a transaction."""
        files = {file.path: file.id for file in replaced.inserted}
        self.files.insert(replaced.repository_id, files)
        if isinstance(replaced, Replacement):
            self.commits.insert(replaced.repository_id, replaced.commits)


def _require_generation(run: IndexRun) -> None:
    if run.index.run_generation != run.generation:
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


@transaction.atomic
def commit_run(
    claim: RunClaim, batches: StoredBatches, texts: _Texts
) -> tuple[Replacement | BranchReplacement, IndexState]:
    """Commit all or nothing; returns what was replaced and the former state of the index.

    `batches` are staged; `texts` are all of theirs.
    """
    run = claim.row
    claim.lock()
    guard_writer(run_id=run.pk, idle_seconds=_IDLE_SECONDS)
    before = _advance(run)
    replaced = _replacement(run)
    tree = _loaded_tree(run)
    for paths in _removed_paths(run, tree):
        replaced.remove_files(paths)
    for group in batches.groups():
        contents = [batch.rows for batch in group]
        replaced.remove_files([path for rows in contents for path in rows.paths])
        if isinstance(replaced, Replacement):
            _put_documents_and_commits(replaced, contents)
        replaced.insert_files([rows.files for rows in contents], read_file_vectors(run.pk, group))
    if tree and isinstance(replaced, BranchReplacement):
        replaced.share(tree.stored())
    if tree and (path := tree.different_file()) is not None:
        raise IncompleteRunError(f"{path!r} came with another mode or blob than the tree says.")
    texts.insert(replaced)
    replaced.finish()
    if isinstance(replaced, Replacement):
        replaced.settle_commits(
            head=run.commit_sha, base=run.base_commit if run.mode == Mode.INCREMENTAL else ""
        )
        _count(before, before, replaced)
        settle_adoption(repository_id=run.repository_id, opened_at=run.opened_at)
    elif run.mode == Mode.INCREMENTAL:
        _count(before, before, replaced)
    else:
        _count(before, run.repository, replaced.difference_from_default())
    run.batch_set.all().delete()
    end_run(
        run,
        of=IndexRun.objects.all(),  # it is locked
        state=RunState.APPLIED,
        claim=None,
        lease_until=None,
        error="",
        progress={"stage": "applied", "percent": 100},
    )
    return replaced, before


def _replacement(run: IndexRun) -> Replacement | BranchReplacement:
    if run.branch is None:
        return Replacement(run.repository_id, run.repository.branch_bits)
    # What applies of a version without branches left is not what was derived.
    is_shared = run.branch.default_generation == run.repository.generation
    return BranchReplacement(ChosenBranch.of(run.branch), manifests=not is_shared)


def _put_documents_and_commits(replaced: Replacement, contents: Sequence[BatchRows]) -> None:
    """Store what only the default branch has beside files."""
    replaced.put_documents(
        [document for rows in contents for document in rows.documents],
        [path for rows in contents for path in rows.removed_documents],
    )
    replaced.put_commits(
        [commit for rows in contents for commit in rows.commits],
        [sha for rows in contents for sha in rows.removed_commits],
    )


def _loaded_tree(run: IndexRun) -> LoadedTree | None:
    """Load the tree of a full run. Raises IncompleteRunError if its batches do not fit it."""
    lines = None if run.mode == Mode.INCREMENTAL else stored_tree(run)
    if lines is None:
        return None
    tree = LoadedTree(run)
    tree.fill(lines)
    mismatch = tree.mismatch(of_all=run.mode == Mode.FORCE)
    if mismatch.missing:
        if run.branch is not None and run.mode == Mode.FULL:
            # What it was to take from the default branch is not there any more.
            raise GenerationMovedError
        raise IncompleteRunError(
            f"{mismatch.missing} changed paths of the tree did not come, among them "
            f"{mismatch.example!r}."
        )
    if mismatch.foreign:
        raise IncompleteRunError(f"{mismatch.foreign} paths came that the tree does not have.")
    return tree


def _removed_paths(run: IndexRun, tree: LoadedTree | None) -> Iterator[list[str]]:
    """Yield stored paths that the run's commit does not have, in portions."""
    if tree:
        if run.branch is None:  # of another, `BranchReplacement.share` knows
            yield from tree.removed()
    elif run.mode != Mode.INCREMENTAL:  # a forced run may leave the tree out: its batches are it
        came = stored_path_keys(run)
        paths = [path for path in _stored_paths(run) if path_key(path) not in came]
        for start in range(0, len(paths), _PATHS):
            yield paths[start : start + _PATHS]


def _stored_paths(run: IndexRun) -> list[str]:
    chosen = [ChosenBranch.of(run.branch)] if run.branch else []
    with on_branches(chosen):
        stored = File.objects.filter(repository_id=run.repository_id).values_list("path", flat=True)
        return list(stored)


def _advance(run: IndexRun) -> IndexState:
    """Compare and set the generation; the repository's row stays locked until the commit."""
    locked = Repository.objects.select_related("organization").select_for_update(
        no_key=True, of=("self",)
    )
    repository = run.repository = locked.get(pk=run.repository_id)
    state = {
        "last_indexed_commit": run.commit_sha,
        "indexed_at": timezone.now(),
        "extractor": run.extractor,
        "embedder": run.embedder,
        "last_mode": run.mode,
        "last_reason": run.reason,
        "last_vectors": run.vectors,
        "trouble": "",
        "trouble_detail": "",
        "trouble_commit": "",
    }
    if run.branch is not None:
        return _advance_branch(run, repository, state)
    done = Repository.objects.filter(pk=run.repository_id, generation=run.generation).update(
        generation=run.generation + 1,
        text_generation=_next_if_complete(run.generation),
        not_expected_at=None,
        **state,
    )
    if not done:
        raise GenerationMovedError
    Branch.objects.filter(repository=repository, default_generation=run.generation).update(
        default_generation=run.generation + 1
    )
    if run.mode == Mode.FORCE:  # its client does not know of later requests
        Repository.objects.filter(
            pk=run.repository_id, reindex_requested_at__lte=run.opened_at
        ).update(reindex_requested_at=None)
    return repository


def _advance_branch(run: IndexRun, repository: Repository, state: dict[str, Any]) -> Branch:
    """Do so for a branch beside the default one.

    What it shares must be as it was left; if an apply of the default branch did not leave it so, a
    full run is needed.
    """
    before = run.branch and Branch.objects.filter(pk=run.branch.pk).first()
    if before is None or before.run_generation != run.generation:
        raise GenerationMovedError
    is_shared = before.default_generation == repository.generation
    if run.mode == Mode.INCREMENTAL and not is_shared:
        raise GenerationMovedError
    Branch.objects.filter(pk=before.pk).update(
        generation=before.generation + 1, default_generation=repository.generation, **state
    )
    return before


def _next_if_complete(generation: int) -> Case:
    """The text index stays complete: this run adds all of its texts."""
    was_complete = When(text_generation=generation, then=Value(generation + 1))
    return Case(was_complete, default=F("text_generation"), output_field=BigIntegerField())


def _count(
    changed: IndexState, before: IndexState, replaced: Replacement | BranchReplacement
) -> None:
    """Add the differences from a former state to its counters."""
    languages = Counter(before.languages)
    languages.update(replaced.languages)
    type(changed)._default_manager.filter(pk=changed.pk).update(
        **{name: getattr(before, name) + getattr(replaced, name) for name in _COUNTED},
        languages={name: count for name, count in sorted(languages.items()) if count},
    )
