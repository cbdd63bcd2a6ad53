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
    AnyText,
    Characters,
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
_NONE: Final[_Texts] = frozenset()
_ANCHORS: Final = {ord(LINE_START): "\n", ord(LINE_END): "\n"}


@dataclass(frozen=True, slots=True)
class _Matches:
    """What is known of the matches of a part.

    They are the `exact` texts, if that is a set. Else each begins with a text of `prefixes`, ends
    with one of `suffixes`, satisfies `required`, and contains one of `inner` unless that is empty.
    """

    exact: _Texts | None
    prefixes: _Texts = _EMPTY
    suffixes: _Texts = _EMPTY
    required: Tree = EVERYTHING
    inner: _Texts = _NONE

    def opened(self) -> "_Matches":
        """The same without exact texts, and with short sets."""
        if self.exact is not None:
            required = _one_of(self.exact)
            return _Matches(None, self.exact, self.exact, required, self.exact).opened()
        required = all_of([self.required, _one_of(self.prefixes), _one_of(self.suffixes)])
        prefixes, suffixes = self.prefixes, self.suffixes
        inner = _best(self.inner, prefixes, suffixes)
        for size in range(LENGTH - 1, -1, -1):
            if size == LENGTH - 1 or len(prefixes) > _MOST_TEXTS:
                prefixes = frozenset(text[:size] for text in prefixes)
            if size == LENGTH - 1 or len(suffixes) > _MOST_TEXTS:
                suffixes = frozenset(text[len(text) - min(size, len(text)) :] for text in suffixes)
        return _Matches(None, prefixes, suffixes, required, inner)


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


def required_texts(pattern: str) -> frozenset[str]:
    """Return texts one of which each match of a pattern that respects case contains.

    Without any, nothing is known. A line feed at the edge of a text may be that before the first
    line or after the last.
    """
    try:
        node = parse_pattern(pattern, folds=False)
    except UnreadablePatternError:
        return _NONE
    texts = frozenset(text.translate(_ANCHORS) for text in _matches(node).opened().inner)
    return texts if _shortest(texts) >= LENGTH else _NONE


def matches_no_text(pattern: str) -> bool:
    """Return whether each match of a pattern is empty; False if it is not understood."""
    try:
        return _is_empty(parse_pattern(pattern))
    except UnreadablePatternError:
        return False


def _is_empty(node: Node) -> bool:
    match node:
        case Characters(casefolded):
            return casefolded <= {LINE_START, LINE_END}
        case Sequence(parts) | Alternatives(parts):
            return all(map(_is_empty, parts))
        case Repeated(part, _, most):
            return most == 0 or _is_empty(part)
    return False


def _best(*sets: _Texts) -> _Texts:
    """Return the set that says most: the one whose shortest text is the longest."""
    return max((texts for texts in sets if len(texts) <= _MOST_TEXTS), key=_shortest, default=_NONE)


def _shortest(texts: _Texts) -> int:
    return min(map(len, texts), default=0)


def _one_of(texts: Iterable[str]) -> Tree:
    return any_of(literal_trigrams(text.translate(_ANCHORS)) for text in texts)


def _matches(node: Node) -> _Matches:
    match node:
        case Characters(casefolded):
            return _Matches(casefolded)
        case AnyText():
            return _NOTHING_KNOWN
        case Sequence(parts):
            return reduce(_then, _runs(map(_matches, _joined(parts))), _EMPTY_TEXT)
        case Alternatives(parts):
            return reduce(_or, map(_matches, parts))
        case Repeated(part, least, most):
            return _repeat(_matches(part), least, most)


def _joined(parts: tuple[Node, ...]) -> list[Node]:
    return [part for part in parts if part != Sequence(())]


def _runs(parts: Iterable[_Matches]) -> list[_Matches]:
    """Join neighbours whose texts are known, so that a literal stays whole after a gap."""
    runs: list[_Matches] = []
    for part in parts:
        joined = _then(runs[-1], part) if runs and part.exact is not None else _NOTHING_KNOWN
        if joined.exact is None:
            runs.append(part)
        else:
            runs[-1] = joined
    return runs


def _then(first: _Matches, second: _Matches) -> _Matches:
    if first.exact is not None and second.exact is not None:
        if len(first.exact) * len(second.exact) <= _MOST_TEXTS:
            return _Matches(_pairs(first.exact, second.exact))
        first, second = first.opened(), second.opened()
    if first.exact is not None:
        prefixes = _pairs(first.exact, second.prefixes)
        return _Matches(None, prefixes, second.suffixes, second.required, second.inner).opened()
    if second.exact is not None:
        suffixes = _pairs(first.suffixes, second.exact)
        return _Matches(None, first.prefixes, suffixes, first.required, first.inner).opened()
    required = [first.required, second.required]
    inner = [first.inner, second.inner]
    if len(first.suffixes) * len(second.prefixes) <= _MOST_PAIRS:
        inner.append(_pairs(first.suffixes, second.prefixes))
        required.append(_one_of(inner[-1]))
    return _Matches(None, first.prefixes, second.suffixes, all_of(required), _best(*inner))


def _pairs(first: _Texts, second: _Texts) -> _Texts:
    return frozenset(_joined_texts(start, other) for start in first for other in second)


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
        first.inner | second.inner if first.inner and second.inner else _NONE,
    ).opened()


def _repeat(part: _Matches, least: int, most: int | None) -> _Matches:
    if most == 0:
        return _EMPTY_TEXT
    if least == 0:
        return _or(part, _EMPTY_TEXT) if most == 1 else _NOTHING_KNOWN
    copies = reduce(_then, [part] * min(least, _COPIES))
    return copies if most == least <= _COPIES else copies.opened()
