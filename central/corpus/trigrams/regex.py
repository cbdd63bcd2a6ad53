"""The trigrams that a regular expression requires.

After Cox, "Regular Expression Matching with a Trigram Index"
(https://swtch.com/~rsc/regexp/regexp4.html): of each part is known which texts it matches exactly,
or how its matches begin and end, and which trigrams they have.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Final, TypeAlias

from central.corpus.trigrams.hashes import LENGTH
from central.corpus.trigrams.regex_syntax import (
    LINE_END,
    LINE_START,
    Alternatives,
    Characters,
    Gap,
    Node,
    Repeated,
    Sequence,
    UnreadablePatternError,
    parse_pattern,
)
from central.corpus.trigrams.tree import (
    EVERYTHING,
    Tree,
    all_of,
    any_of,
    bounded,
    literal_trigrams,
)

_Texts: TypeAlias = frozenset[str]  # folded

_MOST_TEXTS: Final = 16  # of a set; more are shortened
_MOST_PAIRS: Final = 64  # of ends and beginnings that meet
_COPIES: Final = LENGTH  # of a repeated part
_EMPTY: Final = frozenset(("",))
_ANCHORS: Final = {ord(LINE_START): "\n", ord(LINE_END): "\n"}


@dataclass(frozen=True, slots=True)
class _Matches:
    """What is known of the matches of a part.

    They are the `exact` texts, if that is a set. Else each begins with a text of `prefixes`, ends
    with one of `suffixes` and satisfies `required`.
    """

    exact: _Texts | None
    prefixes: _Texts = _EMPTY
    suffixes: _Texts = _EMPTY
    required: Tree = EVERYTHING

    def opened(self) -> "_Matches":
        """The same without exact texts, and with short sets."""
        if self.exact is not None:
            required = _one_of(self.exact)
            return _Matches(None, self.exact, self.exact, required).opened()
        required = all_of([self.required, _one_of(self.prefixes), _one_of(self.suffixes)])
        prefixes, suffixes = self.prefixes, self.suffixes
        for size in range(LENGTH - 1, -1, -1):
            if size == LENGTH - 1 or len(prefixes) > _MOST_TEXTS:
                prefixes = frozenset(text[:size] for text in prefixes)
            if size == LENGTH - 1 or len(suffixes) > _MOST_TEXTS:
                suffixes = frozenset(text[len(text) - min(size, len(text)) :] for text in suffixes)
        return _Matches(None, prefixes, suffixes, required)


_NOTHING_KNOWN: Final = _Matches(None)
_EMPTY_TEXT: Final = _Matches(_EMPTY)


def required_trigrams(pattern: str) -> Tree:
    """Return what each match of a pattern of RE2 requires, with `(?i)` or without.

    Everything for a pattern that is not understood. A match is never lost.
    """
    try:
        node = parse_pattern(pattern)
    except UnreadablePatternError:
        return EVERYTHING
    return bounded(_matches(node).opened().required)


def _one_of(texts: Iterable[str]) -> Tree:
    return any_of(literal_trigrams(text.translate(_ANCHORS)) for text in texts)


def _matches(node: Node) -> _Matches:
    match node:
        case Characters(folded):
            return _Matches(folded)
        case Gap():
            return _NOTHING_KNOWN
        case Sequence(parts):
            return reduce(_then, map(_matches, _joined(parts)), _EMPTY_TEXT)
        case Alternatives(parts):
            return reduce(_or, map(_matches, parts))
        case Repeated(part, least, most):
            return _repeat(_matches(part), least, most)


def _joined(parts: tuple[Node, ...]) -> list[Node]:
    return [part for part in parts if part != Sequence(())]


def _then(first: _Matches, second: _Matches) -> _Matches:
    if first.exact is not None and second.exact is not None:
        if len(first.exact) * len(second.exact) <= _MOST_TEXTS:
            return _Matches(_pairs(first.exact, second.exact))
        first, second = first.opened(), second.opened()
    if first.exact is not None:
        prefixes = _pairs(first.exact, second.prefixes)
        return _Matches(None, prefixes, second.suffixes, second.required).opened()
    if second.exact is not None:
        suffixes = _pairs(first.suffixes, second.exact)
        return _Matches(None, first.prefixes, suffixes, first.required).opened()
    required = [first.required, second.required]
    if len(first.suffixes) * len(second.prefixes) <= _MOST_PAIRS:
        required.append(_one_of(_pairs(first.suffixes, second.prefixes)))
    return _Matches(None, first.prefixes, second.suffixes, all_of(required))


def _pairs(first: _Texts, second: _Texts) -> _Texts:
    return frozenset(_joined_texts(one, other) for one in first for other in second)


def _joined_texts(first: str, second: str) -> str:
    """Join two texts; what an anchor between them says of its neighbour is known better then."""
    if second.startswith(LINE_START) and first:
        second = second[1:]
    if first.endswith(LINE_END) and second:
        first = first[:-1]
    return first + second


def _or(first: _Matches, second: _Matches) -> _Matches:
    if first.exact is not None and second.exact is not None:
        either = first.exact | second.exact
        if len(either) <= _MOST_TEXTS:
            return _Matches(either)
    first, second = first.opened(), second.opened()
    return _Matches(
        None,
        first.prefixes | second.prefixes,
        first.suffixes | second.suffixes,
        any_of([first.required, second.required]),
    ).opened()


def _repeat(part: _Matches, least: int, most: int | None) -> _Matches:
    if most == 0:
        return _EMPTY_TEXT
    if least == 0:
        return _or(part, _EMPTY_TEXT) if most == 1 else _NOTHING_KNOWN
    copies = reduce(_then, [part] * min(least, _COPIES))
    return copies if most == least <= _COPIES else copies.opened()
