"""A tier of candidates put in order: fused, re-ranked, and merged over the queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from central.corpus.embeddings import unpack_term_ids
from central.search.query import Mode
from central.search.ranking.fusion import fuse_normalised
from central.search.ranking.rules import Candidate
from central.search.ranking.scoring import (
    DENSE,
    DENSE_SYMBOLIC,
    WEIGHTS,
    Effect,
    Ranked,
    in_order,
    score,
)
from central.search.retrieval import Asked, Lists, Tier
from central.search.rows import LiveChunk
from indexer.store.schema import MAX_TERM_WEIGHT

_RANKED = (Mode.HYBRID, Mode.SYMBOL)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Places in the lists by similarity and by words, from 1, None where it is in none; the rules.

    The sum of what the rules add, times their factors, is the score before it is scaled to the
    best. Only hybrid and symbol searches have rules.
    """

    semantic_rank: int | None
    lexical_rank: int | None
    rules: list[Effect]


class Found(NamedTuple):
    """A candidate in its place. `queries`: indexes of the queries in whose lists it was."""

    row: LiveChunk
    score: float
    cosine: float | None
    queries: tuple[int, ...]
    why: Explanation | None


def ordered(
    tier: Tier,
    *,
    mode: Mode,
    queries: Sequence[Asked],
    projects: Mapping[int, str],
    ceiling: float,
    weights: Mapping[str, float] = WEIGHTS,
    explain: bool = False,
) -> list[Found]:
    """The tier's candidates, best first; no score is above `ceiling`, the tier's before.

    Hybrid and symbol searches are re-ranked; semantic scores are the cosines, lexical ones shares
    of what a chunk that is full of the query's words would have. A chunk that several queries find
    keeps its best score, and its explanation.
    """
    candidates = {chunk: _candidate(row, tier, projects) for chunk, row in tier.rows.items()}
    best: dict[int, tuple[Ranked, Explanation | None]] = {}
    finders: dict[int, list[int]] = {}
    for index, (query, lists) in enumerate(zip(queries, tier.lists, strict=True)):
        semantic = _ranks(lists.dense) if explain else {}
        lexical = _ranks(lists.lexical) if explain and mode is not Mode.SYMBOL else {}
        for ranked in _order(mode, query, lists, tier, candidates, weights, explain=explain):
            chunk = ranked.candidate.id
            finders.setdefault(chunk, []).append(index)
            if chunk not in best or ranked.score > best[chunk][0].score:
                why = Explanation(semantic.get(chunk), lexical.get(chunk), [*ranked.effects])
                best[chunk] = ranked, why if explain else None
    is_ranked = mode in _RANKED
    scale = ceiling if is_ranked else 1.0
    in_turn = list(best.values())
    if not is_ranked or len(queries) > 1:
        in_turn.sort(key=lambda one: in_order(one[0]))
    return [
        Found(
            tier.rows[chunk],
            min(ceiling, scale * value),
            tier.cosines.get(chunk),
            tuple(finders[chunk]),
            why,
        )
        for ((chunk, *_), value, _), why in in_turn
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
    *,
    explain: bool,
) -> list[Ranked]:
    if mode is Mode.SEMANTIC:
        return [
            Ranked(candidates[chunk], max(0.0, min(1.0, tier.cosines[chunk])))
            for chunk in lists.dense
        ]
    if mode is Mode.LEXICAL:
        most = MAX_TERM_WEIGHT * float(sum(query.terms.weights)) if query.terms is not None else 1.0
        return [Ranked(candidates[chunk], value / most) for chunk, value in lists.lexical.items()]
    base = _base(mode, query, lists, weights)
    return score(
        query.parsed,
        [candidates[chunk] for chunk in base],
        [*base.values()],
        _coverage(query, [tier.rows[chunk].term_ids for chunk in base]),
        importance=_importance(query),
        weights=weights,
        explain=explain,
    )


def _ranks(scores: Mapping[int, float]) -> dict[int, int]:
    return {chunk: place for place, chunk in enumerate(scores, 1)}


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
