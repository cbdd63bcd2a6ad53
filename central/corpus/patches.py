"""The changed lines of a commit as they are stored: a JSON array of pairs, compressed with zlib.

A pair is a path and its hunks as text (indexer.records.hunks).
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import json

from indexer.records.history import COMMIT_HUNKS_BYTES, PathChange
from indexer.records.hunks import parse_hunks

_MOST_BYTES: Final = 8 * COMMIT_HUNKS_BYTES  # of JSON, whose escapes are up to six characters
_DECODER: Final = json.Decoder(list[tuple[str, str]])


def pack_patch(changes: Iterable[PathChange]) -> bytes | None:
    """Pack the hunks of a commit; None if it has none."""
    pairs = [(change.path, change.hunks) for change in changes if change.hunks]
    return pack_pairs(pairs) if pairs else None


def pack_pairs(pairs: Sequence[tuple[str, str]]) -> bytes:
    """Pack pairs of path and hunks."""
    return zlib.compress(json.encode(pairs))


def patch_json(data: bytes) -> bytes:
    """Return the JSON of what `pack_patch` packed."""
    return zlib.decompressobj().decompress(data, _MOST_BYTES)


def read_patch(patch: bytes) -> list[tuple[str, str]]:
    """Read the JSON of a patch: pairs of path and hunks, by path."""
    return _DECODER.decode(patch)


def unpack_patch(data: bytes | None) -> list[tuple[str, str]]:
    """Read what `pack_patch` packed: pairs of path and hunks, by path; none of no patch."""
    return [] if data is None else read_patch(patch_json(data))


def commit_text(subject: str, body: str, hunks: Iterable[str]) -> str:
    """Return what the text index has of a commit: its message, its changed lines without signs."""
    return "\n".join([subject, body, *changed_lines(hunks)])


def changed_lines(hunks: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the hunks of a commit, without their signs."""
    return (text for own in hunks for hunk in parse_hunks(own) for _, text in hunk.rows)
