"""Jupyter notebooks: the cells of one are one module. The format is JSON (nbformat 3 and 4).

The text of a cell is parsed where it stands, without quotes and escapes. Outputs are data.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from indexer.languages.base import HOSTS_VERSION, HostFormat, Language, Region
from indexer.languages.python import PYTHON
from indexer.languages.rewrites import spaces

_PYTHON: Final = re.compile(r"i?python\d*")
_CELLS: Final = ([b"", b"cells", b""], [b"", b"worksheets", b"", b"cells", b""])
_SOURCES: Final = frozenset({b"source", b"input"})
_NAMES_OF_LANGUAGE: Final = (
    ([b"", b"metadata", b"kernelspec"], b"language"),
    ([b"", b"metadata", b"language_info"], b"name"),
)
# The closing quotation mark may be missing, or each would be looked for up to the file's end.
_TOKEN: Final = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"?|[{}\[\],:]', re.DOTALL)
# First what stands before them if no space may: a line's indentation, or the prefix of a string.
_ESCAPES: Final = re.compile(
    rb"((?:\A|(?<=\\n)) *+|(?<=[A-Za-z])(?=\\\"))?((?:\\(?:u[0-9a-fA-F]{4}|[^u]))++)", re.DOTALL
)
_LINE_END: Final = re.compile(rb'"[ \t]*+,?[ \t\r]*+(?=\n)')
# Commands of IPython. Some take a statement of Python, or are of a cell of it.
_CELL_COMMAND: Final = re.compile(rb"\s*%%(\w+)[^\n]*")
_WITH_CODE: Final = frozenset({b"capture", b"memit", b"prun", b"time", b"timeit"})
_TIMED: Final = re.compile(rb"^([ \t]*+)(%(?:memit|prun|time|timeit)\b)", re.MULTILINE)
_COMMAND: Final = re.compile(
    rb"^([ \t]*+(?:[\w.][\w, \t.]*+=[ \t]*+)?+)"
    rb"(%[A-Za-z](?:\\\n|[^\n])*+|![^=\n](?:\\\n|[^\n])*+|\?[^\n]*+|[\w.]++\?{1,2}[ \t]*+)$",
    re.MULTILINE,
)
_APART: Final = b"\n0\n"
_DEPTH: Final = 6  # of what is read


@dataclass(slots=True)
class _Cell:
    is_code: bool = False
    strings: list[tuple[int, int]] = field(default_factory=list)  # without quotation marks


def _read(source: bytes) -> tuple[str, list[_Cell]]:
    """Return the language of the notebook, "" if it names none, and its cells with a text."""
    languages: list[str] = []
    cells: list[_Cell] = []
    cell = _Cell()
    for path, key, start, end in _strings(source):
        if path in _CELLS and key == b"":
            if cell.strings:
                cells.append(cell)
            cell = _Cell()
        elif path in _CELLS and key == b"cell_type":
            cell.is_code = source[start:end] == b"code"
        elif (path in _CELLS and key in _SOURCES) or (path[:-1] in _CELLS and path[-1] in _SOURCES):
            cell.strings.append((start, end))
        elif (path, key) in _NAMES_OF_LANGUAGE:
            languages.append(source[start:end].decode("utf-8", "replace").lower())
    return next(iter(languages), ""), cells


def _strings(source: bytes) -> Iterator[tuple[list[bytes], bytes, int, int]]:
    """Yield each string that is a value: the keys to its container, its key there and its bytes.

    The key of an array's items is "". So is that of the end of an object, which is yielded, too.
    """
    place = _Place()
    for token in _TOKEN.finditer(source):
        mark = source[token.start() : token.start() + 1]
        if mark == b'"':
            if not place.is_value:
                place.key = token[1]
            elif len(place.path) <= _DEPTH:
                yield place.path, place.key, *token.span(1)
        elif mark in b"{[":
            place.enter(is_object=mark == b"{")
        elif mark in b"}]":
            if mark == b"}" and len(place.path) <= _DEPTH:
                yield place.path, b"", *token.span()
            place.leave()
        else:
            place.pass_separator(mark)


@dataclass(slots=True)
class _Place:
    """Where a reader of JSON is: `is_value` is false before a key."""

    path: list[bytes] = field(default_factory=list)
    objects: list[bool] = field(default_factory=list)
    key: bytes = b""
    is_value: bool = True

    def enter(self, *, is_object: bool) -> None:
        self.path.append(self.key)
        self.objects.append(is_object)
        self.key, self.is_value = b"", not is_object

    def leave(self) -> None:
        del self.path[-1:], self.objects[-1:]
        self.key = b""

    def pass_separator(self, mark: bytes) -> None:
        if mark == b":":
            self.is_value = True
        elif self.objects:
            self.key, self.is_value = b"", not self.objects[-1]


def notebook_regions(source: bytes) -> list[Region]:
    """Return the cells; those that are no Python have the language `text`."""
    language, cells = _read(source)
    is_python = not language or _PYTHON.fullmatch(language) is not None
    regions = [_region(source, cell, is_python=is_python and cell.is_code) for cell in cells]
    ends = [0, *(region.end for region in regions)]
    return [_apart(source, end, region) for end, region in zip(ends, regions, strict=False)]


def _region(source: bytes, cell: _Cell, *, is_python: bool) -> Region:
    start, end = cell.strings[0][0], cell.strings[-1][1]
    if not is_python:
        return Region(start, end, "text")
    parts = []
    at = start
    for first, last in cell.strings:
        text, after = _unescaped(source, first, last)
        parts += [spaces(source[at:first]), text]
        at = after
    text = b"".join(parts)
    command = _CELL_COMMAND.match(text)
    if command and command[1] not in _WITH_CODE:
        return Region(start, at, "text")
    if command:
        text = spaces(command[0]) + text[command.end() :]
    return Region(start, at, "python", _without_commands(text))


def _apart(source: bytes, end: int, region: Region) -> Region:
    """Begin a cell after a `0` in a line of its own, which ends the blocks of the one before.

    That cell ended at `end`. Lines of one cell need not be indented as those of another: each
    begins where its string does.
    """
    line = source.rfind(b"\n", end, region.start)
    line_before = source.rfind(b"\n", end, line) if line >= 0 else -1
    if not region.text:
        return region
    if source[line + 1 : region.start - 1].strip():
        text = _APART
    elif line_before >= 0:
        text = b"0" + spaces(source[line_before + 2 : region.start])
    else:
        text = _APART + spaces(source[line + 1 : region.start])
    start = region.start - len(text)
    if start < end or b"\n" in source[start : start + len(_APART) - 1]:
        return region
    return replace(region, start=start, text=text + region.text)


def _unescaped(source: bytes, start: int, end: int) -> tuple[bytes, int]:
    """Return the string from `start` to `end` in its own length, and where what follows begins.

    If the line ends after it, so does what is returned: a `\\n` at its end is that line feed, to
    which all before it is moved.
    """
    line_end = _LINE_END.match(source, end)
    if line_end is None or not source.endswith(b"\\n", start, end):
        return _ESCAPES.sub(_escape, source[start:end]), end
    head = _ESCAPES.sub(_escape, source[start:end]).removesuffix(b"\n")
    kept = head.rstrip(b" ") if not head.endswith(b"\\") else head[:-1].rstrip(b" ")
    tail = head[len(kept) :].lstrip(b" ")
    return kept + tail.rjust(line_end.end() - start - len(kept)), line_end.end()


def _escape(found: re.Match[bytes]) -> bytes:
    """Return what escapes stand for, padded to their length; spaces if it is nothing.

    Spaces are before it, so that a backslash stays with what follows, but not before what begins a
    line or follows a prefix: `f"`. Each tab that begins a line has its own space, so that all lines
    with as many tabs begin alike.
    """
    indent, run = found[1], found[2]
    try:
        decoded: str = json.loads(b'"' + run + b'"').replace("\0", " ")  # no record may have it
    except ValueError:
        return spaces(found[0])
    text = decoded.encode("utf-8", "replace")
    line = text.rstrip(b"\n")
    if indent is None or b"\n" in line or not line:
        return (indent or b"") + text.rjust(len(run))
    rest = line.lstrip(b"\t")
    tabs = b"\t " * (len(line) - len(rest))
    line_feeds = text[len(line) :]
    return indent + tabs + rest.ljust(len(run) - len(tabs) - len(line_feeds)) + line_feeds


def _without_commands(text: bytes) -> bytes:
    text = _TIMED.sub(lambda found: found[1] + spaces(found[2]), text)
    return _COMMAND.sub(lambda found: found[1] + b"0" + spaces(found[2][1:]), text)


JUPYTER: Final = Language(
    "jupyter",
    version=HOSTS_VERSION,
    linguist=("Jupyter Notebook",),
    suffixes=(".ipynb",),
    ecosystem=PYTHON.ecosystem,
    host=HostFormat(notebook_regions, ("python",), only_regions=True),
)
LANGUAGES: Final = (JUPYTER,)
