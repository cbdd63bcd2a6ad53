"""The documentation of a definition: the comment above it, or Python's docstring. Pure.

Lines are read, no grammar: what is found is shown beside the code and decides nothing.
"""

import re
from collections.abc import Iterable, Sequence
from inspect import cleandoc
from typing import Final

PANEL_DOCUMENTATION_LINES: Final = 40  # of each definition
PANEL_DOCUMENTATION_CHARACTERS: Final = 2_000


_HEAD_LINES: Final = 30  # of a definition of Python, before its docstring
_DOCSTRING: Final = re.compile(r"""\s*[rRuU]{0,2}(?P<quotes>\"{3}|'{3})(?P<text>.*)""")
_STRING: Final = re.compile(r""""[^"]*"|'[^']*'""")
_OVERLOAD: Final = re.compile(r"\s*@(?:\w+\.)?overload\b")
_DEF: Final = re.compile(r"\s*(?:async )?def \w+")
_NAMED: Final = re.compile(r"\s*(?:(?:async )?def|class) \w")
_OVERLOADS_LINES: Final = 500  # between an overload and what is written
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
    found = ""
    if language == _PYTHON:
        found = _docstring(lines, _implementation(lines, start_line - 1))
    return _bounded(found or _comment_above(lines, start_line - 1))


def _bounded(text: str) -> str:
    lines = text.splitlines()
    kept = "\n".join(lines[:PANEL_DOCUMENTATION_LINES])[:PANEL_DOCUMENTATION_CHARACTERS]
    return f"{kept.rstrip()}\n…" if len(kept) < len(text.rstrip()) else kept


def _docstring(lines: Sequence[str], start: int) -> str:
    end = _head_end(lines, start)
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


def _head_end(lines: Sequence[str], start: int) -> int | None:
    """Return the line whose colon ends the head; None for what has its body on that line."""
    depth = 0
    for at in range(_behind_decorators(lines, start), min(start + _HEAD_LINES, len(lines))):
        code = _STRING.sub("", lines[at]).split("#")[0].rstrip()
        depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
        if depth <= 0:
            return at if code.endswith(":") else None
    return None


def _behind_decorators(lines: Sequence[str], start: int) -> int:
    """Return the line of `def` or `class` behind decorators that begin at `start`, else that."""
    if start >= len(lines) or not lines[start].lstrip().startswith("@"):
        return start
    head = range(start, min(start + _HEAD_LINES, len(lines)))
    return next((at for at in head if _NAMED.match(lines[at])), start)


def _implementation(lines: Sequence[str], start: int) -> int:
    """Return where the function is written of which an overload begins at `start`, else that."""
    if start < 1 or start >= len(lines) or not _OVERLOAD.match(lines[start - 1]):
        return start
    head = _DEF.match(lines[start])
    if head is None:
        return start
    for at in range(start + 1, min(start + _OVERLOADS_LINES, len(lines))):
        found = _DEF.match(lines[at])
        if found and found[0] == head[0] and not _OVERLOAD.match(lines[at - 1]):
            return at
    return start


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
