"""Decoding of trees, which have a line for each file of a commit."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, get_args

from msgspec.json import Decoder

from indexer.bundle.lines import parse_line, path_problem, require_path
from indexer.bundle.schema import EntryFields, Mode
from indexer.errors import BundleError
from indexer.records.files import PATH_BYTES, SkipReason

TREE_LINE_BYTES: Final = 8_192  # a path whose every byte is escaped has 6 KiB
_COMPONENT = r'(?!\.{1,2}[/"])[^/"\\\x00-\x1f]++'
_USUAL_LINE = re.compile(
    rf'^\{{"path":"({_COMPONENT}(?:/{_COMPONENT})*)","mode":"({"|".join(get_args(Mode))})",'
    r'"blob":"([0-9a-f]{40}(?:[0-9a-f]{24})?)","size":(0|[1-9][0-9]{0,17}),'
    rf'"skipped":(?:null|"({"|".join(SkipReason)})")\}}$',
    re.MULTILINE,
)
_ENTRY: Final = Decoder(EntryFields)


class TreeColumns(NamedTuple):
    """Lines of a tree by column, with the fields of TreeEntry. `skipped` may be None."""

    path: Sequence[str]
    mode: Sequence[str]
    blob: Sequence[str]
    size: Sequence[int]
    skipped: Sequence[str | None]


def decode_tree(parts: Iterable[bytes]) -> Iterator[TreeColumns]:
    """Check and read a tree in parts; yields for each part the lines that end in it.

    Does not check that paths are unique, which would hold all paths in memory. Raises BundleError:
    `batch_malformed` or `batch_path_invalid`.
    """
    number = 1
    for block in _blocks(parts):
        columns = _usual_lines(block)
        yield columns or _any_lines(block.removesuffix(b"\n").split(b"\n"), number)
        number += block.count(b"\n")


def _blocks(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the whole lines that end in each part."""
    rest = b""
    for part in parts:
        lines, end, rest = (rest + part).rpartition(b"\n")
        if len(rest) > TREE_LINE_BYTES:
            raise _long_line()
        if end:
            yield lines + end
    if rest:
        yield rest + b"\n"


def _long_line() -> BundleError:
    return BundleError(f"a line of the tree has more than {TREE_LINE_BYTES} bytes")


def _usual_lines(block: bytes) -> TreeColumns | None:
    """Read the lines if all have the form that `encode` writes, without escapes; else None."""
    try:
        rows = _USUAL_LINE.findall(block.decode())
    except UnicodeDecodeError:
        return None
    if len(rows) != block.count(b"\n"):
        return None
    path, mode, blob, size, skipped = zip(*rows, strict=True)
    if max(map(len, path)) > PATH_BYTES // 4 and any(map(path_problem, path)):
        return None
    return TreeColumns(path, mode, blob, list(map(int, size)), [word or None for word in skipped])


def _any_lines(lines: Sequence[bytes], first: int) -> TreeColumns:
    entries = []
    for number, line in enumerate(lines, start=first):
        if len(line) > TREE_LINE_BYTES:
            raise _long_line()
        entry = parse_line(_ENTRY.decode, line, f"line {number}")
        require_path(entry.path, f"line {number}")
        entries.append(entry)
    return TreeColumns(
        *([getattr(entry, name) for entry in entries] for name in TreeColumns._fields)
    )
