"""Code as HTML lines: tokens in few classes, matched words in <mark>.

Without its tags the HTML is the input, escaped: the code of a repository is hostile. The classes
are those of site.css.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from central.web.colouring import Pieces, coloured

Interval = tuple[int, int]  # of characters, the end not among them


class Listing(NamedTuple):
    """Lines as HTML without their LF, and why they lack colours, if they do."""

    lines: list[str]
    note: str


def listing(code: str, *, language: str, words: Iterable[str] = (), before: str = "") -> Listing:
    """The lines of `code`, `before` which is other text; `words` are marked wherever they occur.

    `language` is the index's; one that is not known has no colours.
    """
    pieces = coloured(code, language, before=before)
    lines: list[list[str]] = [[]]
    for css, text, is_marked in _cut(_texts(code, pieces), occurrences(code, words)):
        first, *others = text.split("\n")
        lines[-1].append(_element(css, first, is_marked))
        lines += [[_element(css, other, is_marked)] for other in others]
    if code.endswith("\n"):
        lines.pop()
    return Listing(["".join(parts) for parts in lines], pieces.note)


def occurrences(code: str, words: Iterable[str]) -> list[Interval]:
    """Where one of `words` begins a word or a part of an identifier, in any case; in order."""
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


def _cut(
    pieces: Iterable[tuple[str, str]], marks: Sequence[Interval]
) -> Iterator[tuple[str, str, bool]]:
    """(class, text, whether it is marked), cut where a piece or a mark begins or ends."""
    edges = deque(edge for mark in marks for edge in mark)
    is_marked = False
    position = 0
    for css, text in pieces:
        end = position + len(text)
        start = position
        while edges and edges[0] <= end:
            edge = edges.popleft()
            if edge > start:
                yield css, text[start - position : edge - position], is_marked
            start, is_marked = edge, not is_marked
        if start < end:
            yield css, text[start - position :], is_marked
        position = end


def _element(css: str, text: str, is_marked: bool) -> str:
    if not text:
        return ""
    html = escape(text)
    if is_marked:
        html = f"<mark>{html}</mark>"
    return f'<span class="{css}">{html}</span>' if css else html
