"""The documentation of a definition: the comment above it, or Python's docstring. Pure.

Lines are read, no grammar: what is found is shown beside the code and decides nothing.
"""

import re
from collections.abc import Iterable, Sequence
from inspect import cleandoc
from typing import Final

from indexer.limits import PANEL_DOCUMENTATION_CHARACTERS, PANEL_DOCUMENTATION_LINES

_HEAD_LINES: Final = 30  # of a definition of Python, before its docstring
_DOCSTRING: Final = re.compile(r"""\s*[rRuU]{0,2}(?P<quotes>\"{3}|'{3})(?P<text>.*)""")
_ANNOTATION: Final = re.compile(r"\s*(@\w|#\[|\[\w)")  # between a comment and its definition
_LINE_COMMENT: Final = re.compile(r"\s*(?:(?://[/!]?|--|;+) ?|#+(?: |$))(?P<text>.*)")
_BLOCK_END: Final = re.compile(r"(?P<text>.*)\*/\s*$")
_BLOCK_START: Final = re.compile(r"\s*/\*+!?")
_STAR: Final = re.compile(r"\s*\*(?: |$)")
_PYTHON: Final = "python"


def documentation(lines: Sequence[str], *, language: str, start_line: int) -> str:
    """Return the documentation of the definition that begins at a line, 1-based; "" without one.

    It has at most PANEL_DOCUMENTATION_LINES lines.
    """
    found = _docstring(lines, start_line - 1) if language == _PYTHON else ""
    return _bounded(found or _comment_above(lines, start_line - 1))


def _bounded(text: str) -> str:
    lines = text.splitlines()
    kept = "\n".join(lines[:PANEL_DOCUMENTATION_LINES])[:PANEL_DOCUMENTATION_CHARACTERS]
    return f"{kept.rstrip()}\n…" if len(kept) < len(text.rstrip()) else kept


def _docstring(lines: Sequence[str], start: int) -> str:
    head = range(start, min(start + _HEAD_LINES, len(lines)))
    end = next((at for at in head if lines[at].split(" #")[0].rstrip().endswith(":")), None)
    if end is None or end + 1 >= len(lines):
        return ""
    opened = _DOCSTRING.match(lines[end + 1])
    if opened is None:
        return ""
    quotes, first = opened["quotes"], opened["text"]
    if quotes in first:
        return first.partition(quotes)[0].strip()
    text = [first]
    for line in lines[end + 2 : end + 3 + PANEL_DOCUMENTATION_LINES]:
        before, closed, _ = line.partition(quotes)
        text.append(before)
        if closed:
            break
    return cleandoc("\n".join(text))


def _comment_above(lines: Sequence[str], start: int) -> str:
    at = min(start, len(lines)) - 1
    while at >= 0 and _ANNOTATION.match(lines[at]):
        at -= 1
    if at < 0:
        return ""
    if ended := _BLOCK_END.match(lines[at]):
        return _block(lines, at, ended["text"])
    found: list[str] = []
    while at >= 0 and (comment := _LINE_COMMENT.match(lines[at])):
        found.append(comment["text"])
        at -= 1
    return _joined(reversed(found))


def _block(lines: Sequence[str], end: int, last: str) -> str:
    """Return the text of a comment between `/*` and `*/`, whose last line is `last`."""
    found = [last]
    at = end
    while not (opened := _BLOCK_START.match(found[-1])):
        at -= 1
        if at < 0 or end - at > 2 * PANEL_DOCUMENTATION_LINES:
            return ""
        found.append(lines[at])
    found[-1] = found[-1][opened.end() :]
    return _joined(_STAR.sub("", line) for line in reversed(found))


def _joined(lines: Iterable[str]) -> str:
    return cleandoc("\n".join(lines)).strip()
