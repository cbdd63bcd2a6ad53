"""A file's line before it enters a batch: first from a worker process, then with vectors.

Vectors are packed: little-endian float32, which the line holds in base64.
"""

from binascii import b2a_base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import Struct
from msgspec.json import Decoder

from indexer.http_bodies import has_more_values
from indexer.limits import BATCH_VALUES, FILE_LINES
from indexer.records.files import FileRecord, count_lines

# Quotation marks in strings are escaped, so only a chunk's own member matches.
_EMPTY: Final = b'"vector":null'
_AROUND: Final = len(b'""') - len(b"null")


class _Content(Struct):
    """The fields of a long line that are checked."""

    content: str


_CONTENT: Final = Decoder(_Content)


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file's line in a batch, and its counts for the run's statistics."""

    record: FileRecord  # without the data extracted from the content, which is in the line
    line: bytes
    chunks: int
    symbols: int
    references: int
    embedded: int = 0  # chunks whose vector this run computed


@dataclass(frozen=True, slots=True)
class PointData:
    """A chunk's point without its vector; terms and weights packed as in the line."""

    type: str
    terms: bytes
    weights: bytes


@dataclass(frozen=True, slots=True)
class ExtractedFile:
    """A file's line without vectors and, in the order of its chunks, the data to add them."""

    file: FileLine
    inputs: Sequence[str] = ()  # of the embedder
    digests: Sequence[bytes] = ()  # of the inputs
    points: Sequence[PointData] = ()  # only for a run with direct upload


def insert_vectors(line: bytes, vectors: Sequence[bytes | None]) -> bytes:
    """Insert vectors into the line's chunks, which have none yet; None skips a chunk."""
    head, *rest = line.split(_EMPTY)
    parts = [head]
    for vector, following in zip(vectors, rest, strict=True):
        if vector is None:
            parts.append(_EMPTY)
        else:
            parts += (b'"vector":"', b2a_base64(vector, newline=False), b'"')
        parts.append(following)
    return b"".join(parts)


def size_with_vectors(file: FileLine, *, dimensions: int) -> int:
    """Return the bytes of a line once all its chunks have vectors."""
    packed = 4 * dimensions
    return len(file.line) + file.chunks * (_AROUND + 4 * -(-packed // 3))


def is_readable(line: bytes) -> bool:
    """Whether the line is within a reader's limits of values and of lines of content."""
    if len(line) <= BATCH_VALUES:
        return True
    if len(line) > 2 * FILE_LINES and count_lines(_CONTENT.decode(line).content) > FILE_LINES:
        return False
    return not has_more_values(line, BATCH_VALUES)
