"""Code as HTML lines: tokens in few classes, matched words in <mark>. Pure.

The text of what comes out, tags apart, is what went in, and all of it is escaped: the code of a
repository is hostile. The classes are those of site.css.
"""

import re
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from html import escape
from itertools import accumulate
from time import thread_time

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Literal, Name, Operator, Text, _TokenType
from pygments.util import ClassNotFound

Interval = tuple[int, int]  # of characters, the end not among them
Piece = tuple[str, str]  # (class or "", text)

COMMENT, KEYWORD, STRING, LITERAL, DEFINED = "c", "k", "s", "l", "d"

# The first that a token is of; other tokens have the colour of plain code.
_CLASSES: Sequence[tuple[_TokenType, str]] = (
    (Comment, COMMENT),
    (Keyword, KEYWORD),
    (Operator.Word, KEYWORD),
    (Literal.String, STRING),
    (Literal, LITERAL),
    (Name.Function, DEFINED),
    (Name.Class, DEFINED),
    (Name.Tag, KEYWORD),
    (Name.Decorator, LITERAL),
    (Name.Builtin, LITERAL),
    (Name.Constant, LITERAL),
    (Generic.Heading, DEFINED),
    (Generic.Subheading, DEFINED),
)

# A lexer may take a time that grows with the square of what a hostile file holds: 20 KB of `//`
# take one 4 s. Ordinary code is 700 KB in a second.
HIGHLIGHTED_CHARACTERS = 100_000  # of ordinary code 0.15 s; what is longer is better shown plain
_CPU_SECONDS = 0.3
_CHECKED_TOKENS = 64

# Lexing ten results costs a third of a search's page, and popular ones are shown again and again.
# What is kept is found by its whole text alone and says nothing that the text does not.
_KEPT_SNIPPETS = 2_000
_SNIPPET_CHARACTERS = 1_500  # 3 kB with its cuts, 21 kB whatever it holds: 42 MB at most


def highlighted_lines(code: str, *, language: str, words: Iterable[str] = ()) -> list[str]:
    """Each line of `code` as HTML without its LF; `words` are marked wherever they occur.

    `language` is the index's; one that is not known has no colours.
    """
    marks = occurrences(code, words)
    lines = [""]
    pieces = _snippet_pieces if len(code) <= _SNIPPET_CHARACTERS else _pieces
    for css, text, is_marked in _cut(pieces(code, language), marks):
        first, *others = text.split("\n")
        lines[-1] += _element(css, first, is_marked)
        lines += [_element(css, other, is_marked) for other in others]
    if code.endswith("\n"):
        lines.pop()
    return lines


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


def _pieces(code: str, language: str) -> list[Piece]:
    """The code in pieces of one class each, all of it and in order."""
    lexer = _lexer(language)
    if lexer is None:
        return [("", code)]
    pieces: list[Piece] = []
    for token, text in _tokens(lexer, code):
        css = _class_of(token)
        if pieces and pieces[-1][0] == css:
            pieces.append((css, pieces.pop()[1] + text))
        else:
            pieces.append((css, text))
    # A lexer that loses or reorders text would show other code than what is indexed.
    if "".join([text for _, text in pieces]) != code:
        return [("", code)]
    return pieces


def _snippet_pieces(code: str, language: str) -> list[Piece]:
    """The same of a text that is short."""
    pieces, start = [], 0
    for css, end in zip(*_kept_cuts(code, language), strict=True):
        pieces.append((css, code[start:end]))
        start = end
    return pieces


@lru_cache(maxsize=_KEPT_SNIPPETS)
def _kept_cuts(code: str, language: str) -> tuple[tuple[str, ...], "array[int]"]:
    """The classes and the ends of the pieces: small, however many there are."""
    pieces = _pieces(code, language)
    ends = accumulate(len(text) for _, text in pieces)
    return tuple(css for css, _ in pieces), array("H", ends)


def _tokens(lexer: Lexer, code: str) -> Iterator[tuple[_TokenType, str]]:
    """The lexer's tokens; what it has not reached when its time is over is one of no kind."""
    end = 0
    started = thread_time()
    for count, (start, token, text) in enumerate(lexer.get_tokens_unprocessed(code), 1):
        yield token, text
        end = start + len(text)
        if not count % _CHECKED_TOKENS and thread_time() - started > _CPU_SECONDS:
            yield Text, code[end:]
            return


def _cut(pieces: Iterable[Piece], marks: Sequence[Interval]) -> Iterator[tuple[str, str, bool]]:
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


@lru_cache(maxsize=128)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return None


@lru_cache(maxsize=1024)
def _class_of(token: _TokenType) -> str:
    return next((css for kind, css in _CLASSES if token in kind), "")
