"""The changed lines of a commit as they are stored: a JSON array of pairs, compressed with zlib.

A pair is a path and its hunks as text (indexer.records.hunks).
"""

import zlib
from collections.abc import Iterable
from typing import Final

from msgspec import json

from indexer.records.history import COMMIT_HUNKS_BYTES, PathChange
from indexer.records.hunks import parse_hunks

_MOST_BYTES: Final = 8 * COMMIT_HUNKS_BYTES  # of JSON, whose escapes are up to six characters
_DECODER: Final = json.Decoder(list[tuple[str, str]])


def pack_patch(changes: Iterable[PathChange]) -> bytes | None:
    """Pack the hunks of a commit; None if it has none."""
    pairs = [(change.path, change.hunks) for change in changes if change.hunks]
    return zlib.compress(json.encode(pairs)) if pairs else None


def unpack_patch(data: bytes) -> list[tuple[str, str]]:
    """Read what `pack_patch` packed: pairs of path and hunks, by path."""
    return _DECODER.decode(zlib.decompressobj().decompress(data, _MOST_BYTES))


def changed_text(changes: Iterable[PathChange]) -> str:
    """Return all changed lines of a commit, without their signs, for the text index."""
    return "\n".join(
        text for change in changes for hunk in parse_hunks(change.hunks) for _, text in hunk.rows
    )
