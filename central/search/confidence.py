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
_BY_BOTH: Final = _Levels(0.6, 0.9)
_BY_NAME: Final = _Levels(0.5, 0.9)  # of the share, where each query consists of identifiers only


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
    terms = [hit.row.term_ids for hit in first]
    covered = max(one.known * max(one.coverage(terms)) for one in queries)
    levels, value = _BY_BOTH, max(cosines, default=0.0) + covered
    if mode is Mode.SEMANTIC:
        levels, value = _BY_COSINE, max(cosines, default=0.0)
    elif all(one.parsed.symbolic for one in queries):
        levels, value = _BY_NAME, covered
    elif not cosines:
        levels, value = _BY_TERMS, covered
    if value < levels.weak:
        return Confidence.NONE
    return Confidence.STRONG if value >= levels.strong else Confidence.WEAK


def _is_defined(symbol: SymbolName, hits: Sequence[ScoredHit]) -> bool:
    return any(symbol.name in hit.row.name.split(", ") for hit in hits[:_DEFINITIONS])
