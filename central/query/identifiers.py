"""The identifiers that a regular expression spells out. A guess by its text; pure."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

# An escape, a class, a group's beginning, or one character; then how often it is repeated.
_PART: Final = re.compile(
    r"(\\[pP](?:\{[^}]*\}|.)|\\x(?:\{[^}]*\}|..)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]"
    r"|\(\?P?<\w+>|\(\?[imsU-]*:?|.)([*+?]\??|\{\d*,?\d*\}\??)?",
    re.DOTALL,
)
_ANY_WORD: Final = re.compile(r"\\[wdDSpPxC]|[.\[]")  # what may stand for characters of a name
_GROUPS: Final = frozenset("()")
_SHORTEST: Final = 3


class Identifier(NamedTuple):
    """A name, or a part of one: `[A-Z]\\w*Session` may mean any name that ends so."""

    text: str
    is_whole: bool


def identifiers(pattern: str) -> list[Identifier]:
    """Return the names of three characters or more in a pattern, each once, in order."""
    return list(dict.fromkeys(_identifiers(pattern)))


def _identifiers(pattern: str) -> Iterator[Identifier]:
    text, is_whole, was_open = "", True, False
    for part, repeated in [*_PART.findall(pattern), ("", "")]:
        if _is_of_name(part) and not repeated:
            if not text:
                is_whole = not was_open
            text += part
            was_open = False
        elif part[:1] in _GROUPS and part:
            is_open = was_open or bool(text)
            yield from _named(text, is_whole=False)
            text, was_open = "", is_open
        else:
            is_open = bool(_ANY_WORD.match(part)) or (_is_of_name(part) and bool(repeated))
            yield from _named(text, is_whole=is_whole and not is_open)
            text, was_open = "", is_open


def _is_of_name(part: str) -> bool:
    return len(part) == 1 and (part.isalnum() or part == "_")


def _named(text: str, *, is_whole: bool) -> Iterator[Identifier]:
    if len(text) >= _SHORTEST and not text[0].isdigit():
        yield Identifier(text, is_whole)
