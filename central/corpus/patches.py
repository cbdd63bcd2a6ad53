"""The changed lines of a commit as they are stored: a JSON array of pairs, compressed with zlib.

A pair is a path and its hunks as text (indexer.records.hunks).
"""

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import json

from indexer.records.history import COMMIT_HUNKS_BYTES
from indexer.records.hunks import parse_hunks

_MOST_BYTES: Final = 8 * COMMIT_HUNKS_BYTES  # of JSON, whose escapes are up to six characters
_DECODER: Final = json.Decoder(list[tuple[str, str]])


def pack_patch(pairs: Iterable[tuple[str, str]]) -> bytes | None:
    """Pack pairs of path and hunks, without those of no hunks; None if none are left."""
    kept = [(path, hunks) for path, hunks in pairs if hunks]
    return zlib.compress(json.encode(kept)) if kept else None


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
