"""A file's line on its way into a batch: as a worker process makes it, then with its vectors.

Vectors are packed here: little-endian float32, as the line holds them in base64.
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

# Every quotation mark inside of a text is escaped, so that only a chunk's own member reads so.
_EMPTY: Final = b'"vector":null'
_AROUND: Final = len(b'""') - len(b"null")


class _Content(Struct):
    """What is looked at in a long line."""

    content: str


_CONTENT: Final = Decoder(_Content)


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file's line in a batch, and what its run counts of it."""

    record: FileRecord  # without all that was read of the content: that is in the line
    line: bytes
    chunks: int
    symbols: int
    references: int
    embedded: int = 0  # chunks whose vector this run had made


@dataclass(frozen=True, slots=True)
class PointData:
    """What a chunk's point has beside its vector; terms and weights packed as in the line."""

    type: str
    terms: bytes
    weights: bytes


@dataclass(frozen=True, slots=True)
class ExtractedFile:
    """A file's line without vectors and, in the order of its chunks, what it takes to add them."""

    file: FileLine
    inputs: Sequence[str] = ()  # of the embedder
    digests: Sequence[bytes] = ()  # of the inputs
    points: Sequence[PointData] = ()  # only for a run that writes points itself


def insert_vectors(line: bytes, vectors: Sequence[bytes | None]) -> bytes:
    """The line with these vectors in its chunks, which have none yet; None leaves a chunk so."""
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
    """The bytes of a line once all its chunks have vectors."""
    packed = 4 * dimensions
    return len(file.line) + file.chunks * (_AROUND + 4 * -(-packed // 3))


def is_readable(line: bytes) -> bool:
    """Whether a reader takes so many values, and so many lines of content, at once."""
    if len(line) <= BATCH_VALUES:
        return True
    if len(line) > 2 * FILE_LINES and count_lines(_CONTENT.decode(line).content) > FILE_LINES:
        return False
    return not has_more_values(line, BATCH_VALUES)
