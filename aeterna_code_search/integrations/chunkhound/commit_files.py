"""The files and chunks of an indexed commit, in ChunkHound's form.

The index of a file is a function of the commit and the extractor, so the same code computes it from
the checkout, without requests to a service.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Any, Final

from indexer.bundle.encode import FileLine
from indexer.git.repository import Repository
from indexer.pipeline.plan import selected_entries
from indexer.pipeline.tasks import extract_in_worker
from indexer.pipeline.worker_pool import WorkerPool, worker_count
from indexer.records.files import (
    RECORD_FIELDS,
    SkipReason,
    SourceFile,
    Span,
    TreeEntry,
    line_span,
    split_lines,
)
from indexer.records.runs import BATCH_BYTES

# Names of languages that differ in ChunkHound; others are equal or unknown there.
_LANGUAGES: Final = {"docker": "text", "make": "makefile", "objective-c": "objc"}
# Chunk types for code outside of definitions and for windows of lines.
_CHUNK_TYPES: Final = {"module": "block", "text": "block"}
_LARGEST_INTEGER: Final = 2**31 - 1
_LATEST: Final = 4_000_000_000  # seconds: in 2096
# Entries that ChunkHound does not list either, or whose path it cannot find.
_NO_FILES: Final = frozenset(
    {
        SkipReason.PATH_INVALID,
        SkipReason.PATH_NOT_UTF8,
        SkipReason.PATH_TOO_LONG,
        SkipReason.SUBMODULE,
        SkipReason.SYMLINK,
    }
)


@dataclass(frozen=True, slots=True)
class CommitFile:
    """A row of `files` and the rows of its chunks, by column, without ids."""

    row: dict[str, Any]
    chunks: tuple[dict[str, Any], ...] = ()


def commit_files(
    repository: Repository, commit: str, *, dimensions: int
) -> tuple[int, Iterator[CommitFile]]:
    """Return the number of files, and the files in no particular order.

    `dimensions` are those of the index's own embedder: files that are too large with their vectors
    are skipped. Raises IndexerError.
    """
    entries = selected_entries(repository, commit, repository.tree(commit))
    entries = [entry for entry in entries if entry.skipped not in _NO_FILES]
    # Without a time ChunkHound ignores the hash and embeds each file again.
    time = {"modified_time": _committed_at(repository, commit)}
    files = _files(repository, entries, dimensions)
    return len(entries), (CommitFile({**file.row, **time}, file.chunks) for file in files)


def _committed_at(repository: Repository, commit: str) -> str:
    output = repository.run("rev-list", "--max-count=1", "--timestamp", commit)
    seconds = min(int(output.split()[0]), _LATEST)  # a commit may have any time
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _files(
    repository: Repository, entries: list[TreeEntry], dimensions: int
) -> Iterator[CommitFile]:
    for entry in entries:
        if entry.skipped:
            yield _skipped(entry, entry.skipped)
    selected = [entry for entry in entries if not entry.skipped]
    if not selected:
        return
    import xxhash

    hashes: dict[str, str] = {}

    def sources() -> Iterator[SourceFile]:
        for entry in selected:
            content = repository.blobs.read(entry.blob)
            # By this hash ChunkHound recognises an unchanged file.
            hashes[entry.path] = xxhash.xxh3_64_hexdigest(content)
            yield SourceFile(entry, content)

    extract = partial(
        extract_in_worker,
        dimensions=dimensions,
        batch_bytes=BATCH_BYTES,
        record_fields=RECORD_FIELDS,
    )
    with WorkerPool(worker_count(sum(entry.size for entry in selected))) as pool:
        for file in pool.extract(sources(), extract):
            yield _file(file.file, hashes.pop(file.file.record.path))


def _skipped(entry: TreeEntry, reason: SkipReason) -> CommitFile:
    """Return a skipped file without a hash, so that ChunkHound may index it itself."""
    return CommitFile({**_named(entry.path, entry.size), "skip_reason": reason.value})


def _file(line: FileLine, content_hash: str) -> CommitFile:
    record = line.record
    reason = SkipReason.GENERATED if record.generated else record.skipped
    if reason:  # a generated file has no chunks
        return CommitFile({**_named(record.path, record.size), "skip_reason": reason.value})
    document = json.loads(line.line)
    language = _LANGUAGES.get(document["language"], document["language"])
    row = {
        **_named(record.path, record.size),
        "content_hash": content_hash,
        "language": language,
    }
    return CommitFile(row, tuple(_chunks(document, language)))


def _named(path: str, size: int) -> dict[str, Any]:
    pure = PurePosixPath(path)
    return {
        "path": path,
        "name": pure.name,
        "extension": pure.suffix.removeprefix("."),
        "size": min(size, _LARGEST_INTEGER),
    }


def _chunks(document: dict[str, Any], language: str) -> Iterator[dict[str, Any]]:
    lines = split_lines(document["content"])
    lengths = [len(line.encode()) for line in lines]
    # Bytes of the byte order mark, if any. In another encoding, bytes are of the text as UTF-8.
    bom = 0 if document.get("encoding") else document["size"] - sum(lengths)
    starts = list(accumulate(lengths, initial=bom))
    for chunk in document["chunks"]:
        span = Span(chunk["start"], chunk["end"])
        code = line_span(lines, span)
        start = starts[span.start - 1]
        container = chunk["container"]
        yield {
            "chunk_type": _CHUNK_TYPES.get(chunk["type"], chunk["type"]),
            "symbol": chunk["name"] or None,
            "code": code,
            "start_line": span.start,
            "end_line": span.end,
            "start_byte": start,
            "end_byte": start + len(code.encode()),
            "language": language,
            "metadata": json.dumps({"container": container}) if container else None,
        }
