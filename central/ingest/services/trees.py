"""What a full run must bring: the commit's tree against the stored rows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings

from central.corpus.models import File
from central.ingest.models import IndexRun
from indexer.bundle import decode_tree, decompress
from indexer.records import TreeEntry

TREE_NUMBER = 0  # the tree's number among a run's batches


@dataclass(frozen=True, slots=True)
class TreeDifference:
    """Paths that must be processed, and stored paths that the tree no longer has."""

    changed: list[str]
    removed: list[str]


def compare_tree(run: IndexRun, entries: Iterable[TreeEntry]) -> TreeDifference:
    """Compare the tree to the rows of the run's repository in one pass over each.

    A line is changed if its mode, blob, skip reason or extractor differs from the row's; every
    indexed file is, if the embedder differs from the one that the repository is indexed with.
    """
    stored = {path: rest for path, *rest in _stored_lines(run)}
    new_vectors = run.embedder != run.repository.embedder
    changed = []
    for entry in entries:
        line = [entry.mode, entry.blob, entry.skipped or "", run.extractor]
        if stored.pop(entry.path, None) != line or (new_vectors and not entry.skipped):
            changed.append(entry.path)
    return TreeDifference(changed=changed, removed=list(stored))


def stored_tree(run: IndexRun) -> Iterator[TreeEntry] | None:
    """The tree that the run uploaded, if it did."""
    batch = run.batch_set.filter(number=TREE_NUMBER).first()
    if batch is None:
        return None
    return decode_tree(decompress(bytes(batch.body), limit_bytes=settings.TREE_MAX_BYTES))


def _stored_lines(run: IndexRun) -> Iterator[tuple[str, ...]]:
    rows = File.objects.filter(repository_id=run.repository_id)
    return rows.values_list("path", "mode", "blob", "skipped", "extractor").iterator(
        chunk_size=2000
    )
