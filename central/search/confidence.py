"""How well the best hits of a search match its queries. Pure.

The signals and thresholds were chosen on labelled and on nonsense queries: "Confidence" in
benchmarks/retrieval/README.md.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from central.search.query import Mode, SymbolName
from central.search.query_preparation import PreparedQuery
from central.search.ranking.scoring import ScoredHit

_FIRST = 10  # hits that are looked at, whatever the size of a page
_DEFINITIONS = 3  # among the first of them a definition of the name asked for is certain


class Confidence(StrEnum):
    """Whether an answer has a good match; `NONE`: its hits are the nearest that there are."""

    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


class _Levels(NamedTuple):
    weak: float
    strong: float


# Of the best cosine, of the best share of the query's terms, and of their sum.
_BY_COSINE: Final = _Levels(0.3, 0.66)
_BY_TERMS: Final = _Levels(0.2, 0.45)
_BY_BOTH: Final = _Levels(0.6, 0.85)
_BY_NAME: Final = _Levels(0.5, 0.9)  # of the share, where each query consists of names only
# A sum is strong only where each signal is: another topic has words of the code by chance.
_LEAST_COSINE: Final = 0.45
_LEAST_KNOWN: Final = 0.75


def assess(
    hits: Sequence[ScoredHit], queries: Sequence[PreparedQuery], *, mode: Mode
) -> Confidence:
    """Return the confidence of an answer from its first hits, best first."""
    first = hits[:_FIRST]
    if not first:
        return Confidence.NONE
    if any(_is_defined(symbol, first) for one in queries for symbol in one.parsed.symbols):
        return Confidence.STRONG
    if mode is Mode.SYMBOL:
        return Confidence.WEAK
    cosines = [hit.cosine for hit in first if hit.cosine is not None]
    cosine = max(cosines, default=0.0)
    terms = [hit.row.term_ids for hit in first]
    covered, known = max((one.known * max(one.coverage(terms)), one.known) for one in queries)
    if mode is Mode.SEMANTIC:
        return _level(cosine, _BY_COSINE)
    if all(one.parsed.symbols and not one.parsed.has_prose for one in queries):
        return _level(covered, _BY_NAME)
    if mode is Mode.LEXICAL or not any(one.vectors for one in queries):
        return _level(covered, _BY_TERMS)
    level = _level(cosine + covered, _BY_BOTH)
    is_certain = cosine >= _LEAST_COSINE and known >= _LEAST_KNOWN
    return Confidence.WEAK if level is Confidence.STRONG and not is_certain else level


def _level(value: float, levels: _Levels) -> Confidence:
    if value < levels.weak:
        return Confidence.NONE
    return Confidence.STRONG if value >= levels.strong else Confidence.WEAK


def _is_defined(symbol: SymbolName, hits: Sequence[ScoredHit]) -> bool:
    return any(symbol.name in hit.row.name.split(", ") for hit in hits[:_DEFINITIONS])
