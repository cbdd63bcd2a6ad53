"""What a full run must bring: the commit's tree against the stored rows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings

from central.corpus.models import File
from central.ingest.models import IndexRun
from indexer.bundle.compression import decompress
from indexer.bundle.decoding import decode_tree
from indexer.records import SKIPPED_BY_CONTENT, SkipReason, TreeEntry

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
    A client that has not read a file cannot know the reasons that its content gives: a line
    without a reason agrees with them.
    """
    stored = {path: rest for path, *rest in _stored_lines(run)}
    new_vectors = run.embedder != run.repository.embedder
    changed = []
    for entry in entries:
        *row, skipped = stored.pop(entry.path, ["", ""])
        same = row == [entry.mode, entry.blob, run.extractor] and _agree(entry.skipped, skipped)
        if not same or (new_vectors and not entry.skipped and not skipped):
            changed.append(entry.path)
    return TreeDifference(changed=changed, removed=list(stored))


def _agree(said: SkipReason | None, skipped: str) -> bool:
    return (said or "") == skipped or (said is None and skipped in SKIPPED_BY_CONTENT)


def stored_tree(run: IndexRun) -> Iterator[TreeEntry] | None:
    """The tree that the run uploaded, if it did."""
    batch = run.batch_set.filter(number=TREE_NUMBER).first()
    if batch is None:
        return None
    return decode_tree(decompress(bytes(batch.body), limit_bytes=settings.TREE_MAX_BYTES))


def _stored_lines(run: IndexRun) -> Iterator[tuple[str, ...]]:
    rows = File.objects.filter(repository_id=run.repository_id)
    return rows.values_list("path", "mode", "blob", "extractor", "skipped").iterator(
        chunk_size=2000
    )
