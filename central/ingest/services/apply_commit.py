"""The transaction that applies a run: files, packages, term statistics and counters."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import BigIntegerField, Case, F, Value, When
from django.utils import timezone

from central.corpus.models import File
from central.corpus.packages import refresh_packages
from central.corpus.replace import CorpusDelta, insert_files, remove_files, update_term_stats
from central.corpus.scip import put_documents, refresh_scip
from central.corpus.trigrams.segments import SegmentWriter
from central.ingest.models import IndexRun
from central.ingest.run_waits import end_run
from central.ingest.services.batches import path_key
from central.ingest.services.claims import RunClaim
from central.ingest.services.sessions import guard_writer
from central.ingest.services.stored_batches import StoredBatches, stored_path_keys
from central.ingest.services.trees import LoadedTree, stored_tree
from central.ingest.services.vectors import read_file_vectors
from central.repositories.models import Repository
from central.repositories.services import settle_adoption
from central.repositories.states import RunState
from indexer.records.runs import Mode

_PATHS = 500  # paths a statement
_IDLE_SECONDS = 30  # so long does a stopped worker, or one whose machine is gone, keep its locks


class IncompleteRunError(Exception):
    """The uploads do not fit the run's mode; the message is shown to the client."""


class GenerationMovedError(Exception):
    """Another run was applied since this one was opened."""


@transaction.atomic
def commit_run(
    claim: RunClaim, batches: StoredBatches, segments: SegmentWriter[str]
) -> tuple[CorpusDelta, Repository]:
    """Commit all or nothing; returns the differences and the former repository.

    `batches` are staged; `segments` are those of the run's texts, by path.
    """
    run = claim.row
    claim.lock()
    guard_writer(run_id=run.pk, idle_seconds=_IDLE_SECONDS)
    before = _advance(run)
    delta = CorpusDelta()
    tree = _loaded_tree(run)
    for paths in _removed_paths(run, tree):
        remove_files(repository_id=run.repository_id, paths=paths, delta=delta)
    for group in batches.groups():
        contents = [batch.rows for batch in group]
        remove_files(
            repository_id=run.repository_id,
            paths=[path for rows in contents for path in rows.paths],
            delta=delta,
        )
        put_documents(
            repository_id=run.repository_id,
            documents=[document for rows in contents for document in rows.documents],
            removed=[path for rows in contents for path in rows.removed_documents],
            delta=delta,
        )
        insert_files(
            parts=[rows.files for rows in contents],
            vectors=read_file_vectors(run.pk, group),
            delta=delta,
        )
    if tree and (path := tree.different_file()) is not None:
        raise IncompleteRunError(f"{path!r} came with another mode or blob than the tree says.")
    segments.insert(run.repository_id, {file.path: file.id for file in delta.inserted})
    refresh_packages(
        repository_id=run.repository_id,
        manifests_changed=delta.manifests,
        regular_changed=bool(delta.regular),
        inserted=delta.inserted,
    )
    refresh_scip(repository_id=run.repository_id, delta=delta)
    update_term_stats(repository_id=run.repository_id, differences=delta.terms)
    _count(before, delta)
    settle_adoption(repository_id=run.repository_id, opened_at=run.opened_at)
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
    return delta, before


def _loaded_tree(run: IndexRun) -> LoadedTree | None:
    """Load the tree of a full run. Raises IncompleteRunError if its batches do not fit it."""
    lines = None if run.mode == Mode.INCREMENTAL else stored_tree(run)
    if lines is None:
        return None
    tree = LoadedTree(run)
    tree.fill(lines)
    mismatch = tree.mismatch(of_all=run.mode == Mode.FORCE)
    if mismatch.missing:
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
        text_generation=_next_if_complete(run.generation),
        last_indexed_commit=run.commit_sha,
        indexed_at=timezone.now(),
        extractor=run.extractor,
        embedder=run.embedder,
        last_mode=run.mode,
        last_reason=run.reason,
        last_vectors=run.vectors,
        trouble="",
        trouble_detail="",
        trouble_commit="",
        not_expected_at=None,
    )
    if not done:
        raise GenerationMovedError
    if run.mode == Mode.FORCE:  # its client does not know of later requests
        Repository.objects.filter(
            pk=run.repository_id, reindex_requested_at__lte=run.opened_at
        ).update(reindex_requested_at=None)
    return before


def _next_if_complete(generation: int) -> Case:
    """The text index stays complete: this run adds all of its texts."""
    was_complete = When(text_generation=generation, then=Value(generation + 1))
    return Case(was_complete, default=F("text_generation"), output_field=BigIntegerField())


def _count(before: Repository, delta: CorpusDelta) -> None:
    languages = dict(before.languages)
    for language, difference in delta.languages.items():
        languages[language] = languages.get(language, 0) + difference
    Repository.objects.filter(pk=before.pk).update(
        files=before.files + delta.files,
        skipped=before.skipped + delta.skipped,
        generated=before.generated + delta.generated,
        partly_parsed=before.partly_parsed + delta.partly_parsed,
        chunks=before.chunks + delta.chunks,
        symbols=before.symbols + delta.symbols,
        references=before.references + delta.references,
        languages={name: count for name, count in sorted(languages.items()) if count},
    )
