"""A tier of candidates put in order: fused, re-ranked, and merged over the queries."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from central.corpus.embeddings import unpack_term_ids
from central.search.explanation import Effect, Explanation
from central.search.query import Mode
from central.search.ranking.fusion import fuse_normalised
from central.search.ranking.rules import Candidate
from central.search.ranking.scoring import (
    DENSE,
    DENSE_SYMBOLIC,
    WEIGHTS,
    Ranked,
    effects,
    in_order,
    rank,
)
from central.search.retrieval import Asked, Lists, Tier
from central.search.rows import LiveChunk
from indexer.store.schema import MAX_TERM_WEIGHT

_RANKED = (Mode.HYBRID, Mode.SYMBOL)


class Found(NamedTuple):
    """A candidate in its place. `queries`: indexes of the queries in whose lists it was.

    `query` is the one of them that it has its score of, `tier` what it was ranked among.
    """

    row: LiveChunk
    score: float
    cosine: float | None
    queries: tuple[int, ...]
    tier: Tier
    query: int


def ordered(
    tier: Tier,
    *,
    mode: Mode,
    queries: Sequence[Asked],
    projects: Mapping[int, str],
    ceiling: float,
    weights: Mapping[str, float] = WEIGHTS,
) -> list[Found]:
    """The tier's candidates, best first; no score is above `ceiling`, the tier's before.

    Hybrid and symbol searches are re-ranked; semantic scores are the cosines, lexical ones shares
    of what a chunk that is full of the query's words would have. A chunk that several queries find
    keeps its best score.
    """
    candidates = {chunk: _candidate(row, tier, projects) for chunk, row in tier.rows.items()}
    best: dict[int, Ranked] = {}
    best_by: dict[int, int] = {}
    finders: dict[int, list[int]] = {}
    for index, (query, lists) in enumerate(zip(queries, tier.lists, strict=True)):
        for ranked in _order(mode, query, lists, tier, candidates, weights):
            chunk = ranked.candidate.id
            finders.setdefault(chunk, []).append(index)
            if chunk not in best or ranked.score > best[chunk].score:
                best[chunk] = ranked
                best_by[chunk] = index
    is_ranked = mode in _RANKED
    scale = ceiling if is_ranked else 1.0
    in_turn: Iterable[Ranked] = best.values()
    if not is_ranked or len(queries) > 1:
        in_turn = sorted(in_turn, key=in_order)
    return [
        Found(
            tier.rows[chunk],
            min(ceiling, scale * score),
            tier.cosines.get(chunk),
            tuple(finders[chunk]),
            tier,
            best_by[chunk],
        )
        for (chunk, *_), score in in_turn
    ]


def words_in(query: Asked, row: LiveChunk) -> list[str]:
    """The query's words that occur in the chunk, as written in the query."""
    ids = set(unpack_term_ids(row.term_ids).tolist())
    return list(dict.fromkeys(word for word, term in query.parsed.whole_terms if term in ids))


def _order(
    mode: Mode,
    query: Asked,
    lists: Lists,
    tier: Tier,
    candidates: Mapping[int, Candidate],
    weights: Mapping[str, float],
) -> list[Ranked]:
    if mode is Mode.SEMANTIC:
        return [
            Ranked(candidates[chunk], max(0.0, min(1.0, tier.cosines[chunk])))
            for chunk in lists.dense
        ]
    if mode is Mode.LEXICAL:
        most = MAX_TERM_WEIGHT * float(sum(query.terms.weights)) if query.terms is not None else 1.0
        return [Ranked(candidates[chunk], score / most) for chunk, score in lists.lexical.items()]
    base, coverage, importance = _material(mode, query, lists, tier, weights)
    chosen = [candidates[chunk] for chunk in base]
    return rank(
        query.parsed, chosen, [*base.values()], coverage, importance=importance, weights=weights
    )


def explanations(
    found: Sequence[Found],
    *,
    mode: Mode,
    queries: Sequence[Asked],
    projects: Mapping[int, str],
    weights: Mapping[str, float] = WEIGHTS,
) -> list[Explanation]:
    """Why each of `found`, of one search, is where it is. Ranks once more what they were among."""
    made: dict[int, Explanation] = {}
    for tier, index in {(id(one.tier), one.query): (one.tier, one.query) for one in found}.values():
        chunks = [one.row.id for one in found if one.tier is tier and one.query == index]
        query, lists = queries[index], tier.lists[index]
        semantic = _ranks(lists.dense)
        lexical = {} if mode is Mode.SYMBOL else _ranks(lists.lexical)
        acted: list[list[Effect]] = [[] for _ in chunks]
        if mode in _RANKED:
            base, coverage, importance = _material(mode, query, lists, tier, weights)
            places = {chunk: place for place, chunk in enumerate(base)}
            acted = effects(
                query.parsed,
                [_candidate(tier.rows[chunk], tier, projects) for chunk in base],
                [*base.values()],
                coverage,
                chosen=[places[chunk] for chunk in chunks],
                importance=importance,
                weights=weights,
            )
        for chunk, by in zip(chunks, acted, strict=True):
            made[chunk] = Explanation(semantic.get(chunk), lexical.get(chunk), by)
    return [made[one.row.id] for one in found]


def _ranks(scores: Mapping[int, float]) -> dict[int, int]:
    return {chunk: rank for rank, chunk in enumerate(scores, 1)}


class _Material(NamedTuple):
    base: dict[int, float]
    coverage: list[float]
    importance: list[float] | None


def _material(
    mode: Mode, query: Asked, lists: Lists, tier: Tier, weights: Mapping[str, float]
) -> _Material:
    """What a query's candidates are ranked by, those of `base` in its order."""
    base = _base(mode, query, lists, weights)
    coverage = _coverage(query, [tier.rows[chunk].term_ids for chunk in base])
    return _Material(base, coverage, _importance(query))


def _importance(query: Asked) -> list[float] | None:
    """How rare each word is; one that never occurs as written counts as the rarest does."""
    if not query.rarity:
        return None
    rarest = max(query.rarity.values())
    return [query.rarity.get(term, rarest) for term in query.parsed.word_terms]


def _base(mode: Mode, query: Asked, lists: Lists, weights: Mapping[str, float]) -> dict[int, float]:
    if mode is Mode.SYMBOL:
        return lists.lexical
    return fuse_normalised(
        lists.dense,
        lists.lexical,
        dense_weight=weights[DENSE_SYMBOLIC if query.parsed.symbolic else DENSE],
        lexical_floor=lists.lexical_floor,
    )


def _coverage(query: Asked, term_ids: Sequence[bytes]) -> list[float]:
    """The share of the query's terms, weighed by rarity, that each chunk holds."""
    if query.terms is None or not term_ids:
        return [0.0] * len(term_ids)
    asked, weights = query.terms.ids, query.terms.weights
    held = unpack_term_ids(b"".join(term_ids))
    owners = np.repeat(np.arange(len(term_ids)), [len(ids) // held.itemsize for ids in term_ids])
    places = np.minimum(asked.searchsorted(held), len(asked) - 1)
    found = asked[places] == held
    sums = np.bincount(owners[found], weights[places[found]], minlength=len(term_ids))
    shares: list[float] = (sums / weights.sum()).tolist()
    return shares


def _candidate(row: LiveChunk, tier: Tier, projects: Mapping[int, str]) -> Candidate:
    return Candidate(
        id=row.id,
        project=projects[row.repository],
        path=row.path,
        start_line=row.start_line,
        end_line=row.end_line,
        type=row.type,
        name=row.name,
        container=row.container,
        defines=tier.defines.get(row.id, ()),
    )
