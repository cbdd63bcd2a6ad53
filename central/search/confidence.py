"""How well the best hits of a search match its queries. Pure.

The curves and levels were measured on labelled queries and on queries without an answer:
"Confidence" in benchmarks/retrieval/README.md.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np

from aeterna_code_search.contract.search import Confidence, Mode
from central.search.candidates import Candidate
from central.search.query import SymbolName
from central.search.query_preparation import PreparedQuery

_FIRST = 10  # hits that are looked at, whatever the size of a page
_DEFINITIONS = 3  # among the first of them a definition of the name asked for is certain


class Signal(StrEnum):
    """What the match of an answer is read from."""

    BOTH = "sum of the best cosine and the best share of the query's terms"
    COSINE = "best cosine"
    TERMS = "best share of the terms"
    NAMES = "best share of the terms, names only"
    DEFINED = "a definition of the name asked for"
    NOT_DEFINED = "a search for symbols without one"
    NOTHING = "no hit"


class Evidence(NamedTuple):
    """A signal of an answer. `is_certain`: whether it may be strong."""

    signal: Signal
    value: float = 0.0
    is_certain: bool = True


Curve = tuple[tuple[float, float], ...]  # (value, match), both ascending; linear in between

# Share of answers whose first ten hits hold a right one, by signal, in the development half:
# isotonic regression by `python -m benchmarks retrieval --confidence`, rounded.
# 0.045 is shown as 0.05.
CURVES: Final[Mapping[Signal, Curve]] = {
    Signal.BOTH: (
        (0.45, 0.0),
        (0.6, 0.045),
        (0.68, 0.12),
        (0.73, 0.4),
        (0.8, 0.55),
        (0.85, 0.6),
        (1.0, 0.68),
        (1.15, 0.8),
        (1.65, 0.86),
        (1.85, 0.97),
    ),
    Signal.COSINE: (
        (0.28, 0.0),
        (0.34, 0.05),
        (0.4, 0.16),
        (0.45, 0.32),
        (0.5, 0.48),
        (0.54, 0.6),
        (0.6, 0.76),
        (0.7, 0.84),
        (0.8, 0.97),
    ),
    Signal.TERMS: ((0.1, 0.0), (0.2, 0.045), (0.33, 0.2), (0.45, 0.6), (0.65, 0.8), (1.0, 0.85)),
    Signal.NAMES: ((0.4, 0.0), (0.5, 0.045), (0.9, 0.6), (1.0, 0.9)),
    Signal.DEFINED: ((0.0, 0.94),),
    Signal.NOT_DEFINED: ((0.0, 0.3),),  # not measured
    Signal.NOTHING: ((0.0, 0.0),),
}
_WEAK: Final = 0.05  # the least match that is weak
_STRONG: Final = 0.6
_UNCERTAIN: Final = 0.55  # the highest match of an answer that may not be strong
# A sum is strong only where each signal is: another topic has words of the code by chance.
_LEAST_COSINE: Final = 0.45
_LEAST_KNOWN: Final = 0.75


def confidence_of(match: float) -> Confidence:
    """Return the level of a match."""
    if match < _WEAK:
        return Confidence.NONE
    return Confidence.STRONG if match >= _STRONG else Confidence.WEAK


def assess(hits: Sequence[Candidate], queries: Sequence[PreparedQuery], *, mode: Mode) -> float:
    """Return the match of an answer from its hits, best first.

    It is the estimated probability (0 to 1) that the first ten hold a right answer.
    """
    return match_of(evidence_of(hits, queries, mode=mode))


def match_of(evidence: Evidence) -> float:
    """Return the match that evidence makes likely; it rises with the value."""
    values, matches = zip(*CURVES[evidence.signal], strict=True)
    match = round(float(np.interp(evidence.value, values, matches)), 2)
    return match if evidence.is_certain else min(match, _UNCERTAIN)


def evidence_of(
    hits: Sequence[Candidate], queries: Sequence[PreparedQuery], *, mode: Mode
) -> Evidence:
    """Return what the first ten hits say about the match."""
    first = hits[:_FIRST]
    if not first:
        return Evidence(Signal.NOTHING)
    if any(_is_defined(symbol, first) for query in queries for symbol in query.parsed.symbols):
        return Evidence(Signal.DEFINED)
    if mode is Mode.SYMBOL:
        return Evidence(Signal.NOT_DEFINED)
    cosines = [hit.cosine for hit in first if hit.cosine is not None]
    cosine = max(cosines, default=0.0)
    terms = [hit.term_ids for hit in first]
    covered, known = max(
        (query.known * max(query.coverage(terms)), query.known) for query in queries
    )
    if mode is Mode.SEMANTIC:
        return Evidence(Signal.COSINE, cosine)
    if all(query.parsed.symbols and not query.parsed.has_prose for query in queries):
        return Evidence(Signal.NAMES, covered)
    if mode is Mode.LEXICAL or not any(query.vectors for query in queries):
        return Evidence(Signal.TERMS, covered)
    is_certain = cosine >= _LEAST_COSINE and known >= _LEAST_KNOWN
    return Evidence(Signal.BOTH, cosine + covered, is_certain)


def _is_defined(symbol: SymbolName, hits: Sequence[Candidate]) -> bool:
    return any(symbol.name in hit.name.split(", ") for hit in hits[:_DEFINITIONS])
