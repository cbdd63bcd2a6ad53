"""Code as HTML lines: tokens in few classes, matched words in <mark>, identifiers in <a>.

Without its tags the HTML is the input, escaped: the code of a repository is hostile. Only hidden
characters are replaced, by their code points. The classes are those of site.css.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Final, NamedTuple, TypeVar

from central.web.colouring import Pieces, coloured
from central.web.plain_text import without_controls
from indexer.output.terminal import HIDDEN, show_hidden

_Style = TypeVar("_Style")
_NONE: Final = -1  # no interval
_HIDDEN_NOTE: Final = (
    "It has characters that show nothing but may turn text around or hide some. They are shown as "
    "code points, such as [U+202E]."
)
Interval = tuple[int, int]  # of characters, the end not among them


class Listing(NamedTuple):
    """Lines as HTML without their LF, and what is unusual: no colours, or hidden characters."""

    lines: list[str]
    note: str


class CodeLink(NamedTuple):
    """Characters of one line that lead to an address."""

    start: int
    end: int
    href: str


def listing(
    code: str,
    *,
    language: str,
    words: Iterable[str] = (),
    links: Sequence[CodeLink] = (),
    before: str = "",
) -> Listing:
    """The lines of `code`, `before` which is other text; `words` are marked wherever they occur.

    `language` is the index's; one that is not known has no colours. `links` are in order, and none
    overlaps another or the end of a line.
    """
    pieces = coloured(code, language, before=before)
    marked = _cut(_texts(code, pieces), occurrences(code, words))
    styled = (((css, mark >= 0), text) for css, text, mark in marked)
    lines: list[list[str]] = [[]]
    opened = _NONE
    for (css, is_marked), text, link in _cut(
        styled, [(code_link.start, code_link.end) for code_link in links]
    ):
        if link != opened:
            lines[-1].append(_between(links, opened, link))
            opened = link
        first, *others = text.split("\n")
        lines[-1].append(_element(css, first, is_marked))
        lines += [[_element(css, other, is_marked)] for other in others]
    lines[-1].append(_between(links, opened, _NONE))
    if code.endswith("\n"):
        lines.pop()
    note = f"{pieces.note} {_HIDDEN_NOTE}".strip() if HIDDEN.search(code) else pieces.note
    return Listing(["".join(parts) for parts in lines], note)


def excerpts(
    code: str, *, language: str, parts: Sequence[tuple[Interval, Sequence[Interval]]]
) -> Listing:
    """Each part of a file in the colours of the whole; its marks count from its beginning.

    Parts are in order. What is behind the last one is not looked at.
    """
    end = parts[-1][0][1] if parts else 0
    pieces = coloured(code[:end], language)
    lines = []
    for (first, last), marks in parts:
        cut = _cut(_texts_between(code, pieces, first, last), marks)
        lines.append("".join(_marked(cut)))
    return Listing(lines, pieces.note)


def _marked(pieces: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """Yield the HTML of one line, each of its marks as one element."""
    for mark, inside in groupby(pieces, key=lambda piece: piece[2]):
        html = "".join(
            _element(css, _on_one_line(text), is_marked=False) for css, text, _ in inside
        )
        yield html if mark == _NONE else f"<mark>{html}</mark>"


def _on_one_line(text: str) -> str:
    return without_controls(text).replace("\n", " ")


def occurrences(code: str, words: Iterable[str]) -> list[Interval]:
    """Return where one of `words` begins a word or a part of a name, in any case; in order."""
    wanted = sorted({word for word in words if word}, key=lambda word: (-len(word), word))
    if not wanted:
        return []
    pattern = re.compile("|".join(map(re.escape, wanted)), re.IGNORECASE)
    return [found.span() for found in pattern.finditer(code) if _is_beginning(code, found.start())]


def _is_beginning(code: str, start: int) -> bool:
    before, first = code[start - 1 : start], code[start]
    if not before.isalpha() or not first.isalpha():
        return True
    return first.isupper() and before.islower()


def _texts(code: str, pieces: Pieces) -> Iterator[tuple[str, str]]:
    """(class or "", text) of each piece."""
    start = 0
    for css, end in zip(pieces.classes, pieces.ends, strict=True):
        yield css.strip(), code[start:end]
        start = end


def _texts_between(code: str, pieces: Pieces, first: int, last: int) -> Iterator[tuple[str, str]]:
    """(class or "", text) of the pieces between two characters."""
    start = first
    for index in range(bisect_right(pieces.ends, first), len(pieces.ends)):
        if start >= last:
            return
        end = min(pieces.ends[index], last)
        yield pieces.classes[index].strip(), code[start:end]
        start = end


def _cut(
    pieces: Iterable[tuple[_Style, str]], intervals: Sequence[Interval]
) -> Iterator[tuple[_Style, str, int]]:
    """(style, text, index of the interval around it), cut where a piece or an interval ends."""
    edges = deque(edge for interval in intervals for edge in interval)
    passed = 0
    position = 0
    for style, text in pieces:
        end = position + len(text)
        start = position
        while edges and edges[0] <= end:
            edge = edges.popleft()
            if edge > start:
                yield style, text[start - position : edge - position], _inside(passed)
            start = edge
            passed += 1
        if start < end:
            yield style, text[start - position :], _inside(passed)
        position = end


def _inside(passed: int) -> int:
    """Return the interval in which one is behind this many edges, or _NONE."""
    return passed // 2 if passed % 2 else _NONE


def _between(links: Sequence[CodeLink], closed: int, opened: int) -> str:
    end = "" if closed == _NONE else "</a>"
    return end if opened == _NONE else f'{end}<a href="{escape(links[opened].href)}">'


def _element(css: str, text: str, is_marked: bool) -> str:
    if not text:
        return ""
    html = HIDDEN.sub(_code_point, escape(text))
    if is_marked:
        html = f"<mark>{html}</mark>"
    return f'<span class="{css}">{html}</span>' if css else html


def _code_point(found: re.Match[str]) -> str:
    name = unicodedata.name(found[0], "HIDDEN CHARACTER")
    return f'<span class="hidden-character" title="{name}">{show_hidden(found[0])}</span>'
