"""A tier of candidates put in order: fused, re-ranked, and merged over the queries."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from central.corpus.packing import unpack_terms
from central.search.fusion import DENSE_WEIGHT, DENSE_WEIGHT_SYMBOLIC, fuse_normalised
from central.search.query import Mode
from central.search.ranking import Ranked, in_order, rank
from central.search.retrieval import Asked, Lists, Tier
from central.search.rules import Candidate
from central.search.selectors import LiveChunk

# BM25's term weight stays below k1 + 1, so a lexical score below this times the query's weights.
_MOST = 2.2


class Found(NamedTuple):
    """A candidate in its place. `queries`: indexes of the queries in whose lists it was."""

    row: LiveChunk
    score: float
    cosine: float | None
    queries: tuple[int, ...]


def ordered(
    tier: Tier,
    *,
    mode: Mode,
    queries: Sequence[Asked],
    projects: Mapping[int, str],
    ceiling: float,
) -> list[Found]:
    """The tier's candidates, best first; no score is above `ceiling`, the tier's before.

    Hybrid and symbol searches are re-ranked; semantic scores are the cosines, lexical ones shares
    of the best. A chunk that several queries find keeps its best score.
    """
    candidates = {
        point: _candidate(row, projects[row.repository], tier.defines.get(point, ()))
        for point, row in tier.rows.items()
    }
    best: dict[int, Ranked] = {}
    finders: dict[int, list[int]] = {}
    for index, (query, lists) in enumerate(zip(queries, tier.lists, strict=True)):
        for ranked in _order(mode, query, lists, tier, candidates):
            chunk = ranked.candidate.id
            finders.setdefault(chunk, []).append(index)
            if chunk not in best or ranked.score > best[chunk].score:
                best[chunk] = ranked
    rows = {row.id: row for row in tier.rows.values()}
    scale = ceiling if mode in (Mode.HYBRID, Mode.SYMBOL) else 1.0
    return [
        Found(
            rows[ranked.candidate.id],
            min(ceiling, scale * ranked.score),
            tier.cosines.get(rows[ranked.candidate.id].point),
            tuple(finders[ranked.candidate.id]),
        )
        for ranked in sorted(best.values(), key=in_order)
    ]


def words_in(query: Asked, row: LiveChunk) -> list[str]:
    """The query's words that occur in the chunk, as written in the query."""
    ids = unpack_terms(row.terms).ids
    asked = [term for _, term in query.parsed.whole_terms]
    present = np.isin(np.array(asked, dtype=np.uint32), ids)
    words = [
        word for (word, _), there in zip(query.parsed.whole_terms, present, strict=True) if there
    ]
    return list(dict.fromkeys(words))


def _order(
    mode: Mode,
    query: Asked,
    lists: Lists,
    tier: Tier,
    candidates: Mapping[UUID, Candidate],
) -> list[Ranked]:
    if mode is Mode.SEMANTIC:
        return [
            Ranked(candidates[point], max(0.0, min(1.0, tier.cosines[point])))
            for point in lists.dense
        ]
    if mode is Mode.LEXICAL:
        total = float(sum(query.terms.weights)) * _MOST if query.terms is not None else 1.0
        return [Ranked(candidates[point], score / total) for point, score in lists.lexical.items()]
    base = _base(mode, query, lists)
    chosen = [candidates[point] for point in base]
    coverage = _coverage(query, [tier.rows[point] for point in base])
    return rank(query.parsed, chosen, list(base.values()), coverage, importance=_importance(query))


def _importance(query: Asked) -> list[float] | None:
    """How rare each word is; one that never occurs as written counts as the rarest does."""
    if not query.rarity:
        return None
    rarest = max(query.rarity.values())
    return [query.rarity.get(term, rarest) for term in query.parsed.word_terms]


def _base(mode: Mode, query: Asked, lists: Lists) -> dict[UUID, float]:
    if mode is Mode.SYMBOL:
        return lists.lexical
    return fuse_normalised(
        lists.dense,
        lists.lexical,
        dense_weight=DENSE_WEIGHT_SYMBOLIC if query.parsed.symbolic else DENSE_WEIGHT,
        lexical_floor=lists.lexical_floor,
    )


def _coverage(query: Asked, rows: Sequence[LiveChunk]) -> list[float]:
    """The share of the query's terms, weighed by rarity, that each row holds."""
    if query.terms is None:
        return [0.0] * len(rows)
    ids, weights = query.terms.ids, query.terms.weights
    total = float(weights.sum())
    return [_held(unpack_terms(row.terms).ids, ids, weights) / total for row in rows]


def _held(
    own: NDArray[np.uint32], asked: NDArray[np.uint32], weights: NDArray[np.float32]
) -> float:
    if not len(own):
        return 0.0
    places = own.searchsorted(asked)
    places[places == len(own)] = 0
    return float(weights[own[places] == asked].sum())


def _candidate(row: LiveChunk, project: str, defines: tuple[str, ...]) -> Candidate:
    return Candidate(
        id=row.id,
        project=project,
        path=row.path,
        start_line=row.start_line,
        end_line=row.end_line,
        type=row.type,
        name=row.name,
        container=row.container,
        defines=defines,
    )
