"""Scores and order of candidates: weighted rules over a fused base score.

`score = (base + Σ weight · boost) · Π (1 - weight · penalty)`, where base is scaled to 0.0-1.0
over the candidates. Then each further chunk of a file is reduced, to make room for other files.
The rules and their weights are in central.search.ranking.rules.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import dist, prod, sqrt
from typing import NamedTuple

from aeterna_code_search.contract.search import Effect, Explanation, Mode
from central.search.candidates import Candidate, CandidateBatch, Lists
from central.search.query import ParsedQuery
from central.search.query_preparation import PreparedQuery
from central.search.ranking.rules import (
    BASE,
    BOOSTS,
    COHERENCE,
    COVERAGE,
    DENSE,
    DENSE_SYMBOLIC,
    DIVERSITY,
    FILE,
    PENALTIES,
    WEIGHTS,
    QueryContext,
    coherence,
    path_traits,
)
from indexer.store.schema import MAX_TERM_WEIGHT

_RANKED = (Mode.HYBRID, Mode.SYMBOL)
_ADDS = (BASE, COVERAGE, *(rule.name for rule in BOOSTS))
_TIMES = tuple(rule.name for rule in PENALTIES)
_NO_DEVIATION = 1e-9  # of the largest value: a list's unit must not matter


class Ranked(NamedTuple):
    """A candidate with its score, 0.0-1.0; the best of the list has 1.0.

    `effects`, if requested, yield the score before it is scaled to the best: the sum of the
    summands times all factors. Rules without an effect are omitted.
    """

    candidate: Candidate
    score: float
    effects: tuple[Effect, ...] = ()


def rerank(
    batch: CandidateBatch,
    *,
    mode: Mode,
    queries: Sequence[PreparedQuery],
    max_score: float,
    weights: Mapping[str, float] = WEIGHTS,
    explain: bool = False,
) -> list[Candidate]:
    """Order the batch's candidates, best first; no score exceeds `max_score` of the batch before.

    Rules apply to hybrid and symbol searches. Semantic scores are the cosines; lexical scores are
    shares of the highest score possible. A chunk that several queries find keeps its best score
    and the explanation of that score, which counts ranks from 1.
    """
    best: dict[int, tuple[Ranked, Explanation | None]] = {}
    finders: dict[int, list[int]] = {}
    for index, (query, lists) in enumerate(zip(queries, batch.lists, strict=True)):
        semantic = _ranks(lists.dense) if explain else {}
        lexical = _ranks(lists.lexical) if explain and mode is not Mode.SYMBOL else {}
        for ranked in _order(mode, query, lists, batch.candidates, weights, explain=explain):
            chunk = ranked.candidate.id
            finders.setdefault(chunk, []).append(index)
            if chunk not in best or ranked.score > best[chunk][0].score:
                ranks = semantic.get(chunk), lexical.get(chunk)
                why = Explanation(*ranks, [*ranked.effects]) if explain else None
                best[chunk] = ranked, why
    is_ranked = mode in _RANKED
    scale = max_score if is_ranked else 1.0
    ordered = list(best.values())
    if not is_ranked or len(queries) > 1:
        ordered.sort(key=lambda pair: in_order(pair[0]))
    return [
        candidate._replace(
            score=min(max_score, scale * value),
            queries=tuple(finders[candidate.id]),
            explanation=why,
        )
        for (candidate, value, _), why in ordered
    ]


def _order(
    mode: Mode,
    query: PreparedQuery,
    lists: Lists,
    candidates: Mapping[int, Candidate],
    weights: Mapping[str, float],
    *,
    explain: bool,
) -> list[Ranked]:
    if mode is Mode.SEMANTIC:
        found = [candidates[chunk] for chunk in lists.dense]
        return [Ranked(hit, max(0.0, min(1.0, hit.cosine or 0.0))) for hit in found]
    if mode is Mode.LEXICAL:
        most = MAX_TERM_WEIGHT * float(sum(query.terms.weights)) if query.terms is not None else 1.0
        return [Ranked(candidates[chunk], value / most) for chunk, value in lists.lexical.items()]
    base = _base(mode, query, lists, weights)
    found = [candidates[chunk] for chunk in base]
    return score(
        query.parsed,
        found,
        [*base.values()],
        _coverage(query, found),
        importance=query.importance,
        weights=weights,
        explain=explain,
    )


def _ranks(scores: Mapping[int, float]) -> dict[int, int]:
    return {chunk: place for place, chunk in enumerate(scores, 1)}


def _base(
    mode: Mode, query: PreparedQuery, lists: Lists, weights: Mapping[str, float]
) -> dict[int, float]:
    if mode is Mode.SYMBOL:
        return lists.lexical
    is_symbolic = query.parsed.symbolic
    fused = fuse_normalised(
        lists.dense,
        lists.lexical,
        dense_weight=weights[DENSE_SYMBOLIC if is_symbolic else DENSE],
        lexical_floor=lists.lexical_floor,
    )
    return fused if is_symbolic else add_standard(fused, lists.files, weight=weights[FILE])


def fuse_normalised(
    dense: Mapping[int, float],
    lexical: Mapping[int, float],
    *,
    dense_weight: float,
    lexical_floor: float = 0.0,
) -> dict[int, float]:
    """Return the weighted sums of standard scores over the union of both lists."""
    keys = list(dict.fromkeys((*dense, *lexical)))
    dense_floor = min(dense.values(), default=0.0)
    d = _standard([dense.get(key, dense_floor) for key in keys])
    b = _standard([lexical.get(key, lexical_floor) for key in keys])
    if not dense or not lexical:
        dense_weight = 1.0 if dense else 0.0
    return {
        key: dense_weight * x + (1.0 - dense_weight) * y
        for key, x, y in zip(keys, d, b, strict=True)
    }


def add_standard(
    scores: Mapping[int, float], more: Mapping[int, float], *, weight: float
) -> dict[int, float]:
    """Add the weighted standard scores of a third list; what it lacks is average in it."""
    if not more or not weight:
        return dict(scores)
    average = sum(more.values()) / len(more)
    standard = _standard([more.get(key, average) for key in scores])
    return {key: scores[key] + weight * x for key, x in zip(scores, standard, strict=True)}


def _standard(values: Sequence[float]) -> list[float]:
    """Return deviations from the mean in standard deviations; zeros if all are equal."""
    if not values:
        return []
    mean = sum(values) / len(values)
    deviation = dist(values, [mean] * len(values)) / sqrt(len(values))
    if deviation <= _NO_DEVIATION * max(map(abs, values)):
        return [0.0] * len(values)
    return [(value - mean) / deviation for value in values]


def score(
    query: ParsedQuery,
    candidates: Sequence[Candidate],
    base: Sequence[float],
    coverage: Sequence[float],
    *,
    importance: Sequence[float] | None = None,
    weights: Mapping[str, float] = WEIGHTS,
    explain: bool = False,
) -> list[Ranked]:
    """Score candidates, in descending order; ties are ordered by project, file and line.

    `base` is the fused score of each candidate in any unit, `coverage` the share (0.0-1.0) of the
    query's terms, weighted by idf, that the candidates of its file contain, `importance` the weight
    of each of `query.words` (equal by default). The pass that computes a score also yields its
    effects.
    """
    if not candidates:
        return []
    unit = _unit(base)
    context = QueryContext(query, importance or [1.0] * len(query.words), candidates)
    boosts = [(rule.function, weights[rule.name]) for rule in BOOSTS]
    penalties = [(rule.function, weights[rule.name]) for rule in PENALTIES]
    cover = weights[COVERAGE]
    scored = []
    for candidate, own, covered in zip(candidates, unit, coverage, strict=True):
        adds = [own, cover * covered]
        adds += [weight * function(context, candidate) for function, weight in boosts]
        times = [1.0 - weight * function(context, candidate) for function, weight in penalties]
        kinds = path_traits(candidate.path).kinds - query.intents
        paths = [1.0 - weights[kind] for kind in sorted(kinds)] if kinds else []
        effects: tuple[Effect, ...] = ()
        if explain:
            effects = (*_summands(adds), *_factors((*_TIMES, *sorted(kinds)), times + paths))
        # Smaller differences are ties, ordered by place.
        scored.append(Ranked(candidate, round(sum(adds) * prod(times + paths), 9), effects))
    if not query.symbolic:
        scored = _cohere(scored, weights[COHERENCE], explain=explain)
    return _scaled(_diversify(scored, weights[DIVERSITY], explain=explain))


def _summands(values: Iterable[float]) -> Iterator[Effect]:
    return (Effect(name, adds=value) for name, value in zip(_ADDS, values, strict=True) if value)


def _factors(names: Iterable[str], values: Iterable[float]) -> Iterator[Effect]:
    return (
        Effect(name, times=value) for name, value in zip(names, values, strict=True) if value != 1.0
    )


def in_order(ranked: Ranked) -> tuple[float, tuple[object, ...]]:
    """Return the sort key: descending score, then project, file and line."""
    return -ranked.score, ranked.candidate.place


def _unit(base: Sequence[float]) -> list[float]:
    low, high = min(base), max(base)
    if high - low < 1e-12:
        return [1.0] * len(base)
    return [(value - low) / (high - low) for value in base]


def _cohere(scored: Sequence[Ranked], weight: float, *, explain: bool) -> list[Ranked]:
    """Multiply the best chunk of each file by 1 + weight · (the others' share of the highest)."""
    bonus = coherence(
        [ranked.candidate for ranked in scored], [max(0.0, ranked.score) for ranked in scored]
    )
    return [
        _multiplied(ranked, COHERENCE, 1.0 + weight * more, explain=explain)
        for ranked, more in zip(scored, bonus, strict=True)
    ]


def _coverage(query: PreparedQuery, candidates: Sequence[Candidate]) -> list[float]:
    """Return of each the share of the query's terms that the candidates of its file hold."""
    files: dict[tuple[int, str], list[bytes]] = {}
    for candidate in candidates:
        files.setdefault(candidate.file, []).append(candidate.term_ids)
    shares = query.coverage([b"".join(held) for held in files.values()])
    by_file = dict(zip(files, shares, strict=True))
    return [by_file[candidate.file] for candidate in candidates]


def _diversify(scored: Sequence[Ranked], weight: float, *, explain: bool) -> list[Ranked]:
    """Multiply each further chunk of a file by (1 - weight) once more than the one before."""
    if not weight:
        return sorted(scored, key=in_order)
    next_factor: dict[tuple[int, str], float] = {}
    result = []
    for ranked in sorted(scored, key=in_order):
        factor = next_factor.get(ranked.candidate.file, 1.0)
        next_factor[ranked.candidate.file] = factor * (1.0 - weight)
        result.append(_multiplied(ranked, DIVERSITY, factor, explain=explain))
    result.sort(key=in_order)
    return result


def _multiplied(ranked: Ranked, rule: str, factor: float, *, explain: bool) -> Ranked:
    if factor == 1.0:
        return ranked
    candidate, value, effects = ranked
    further = _factors([rule], [factor]) if explain else ()
    return Ranked(candidate, round(value * factor, 9), (*effects, *further))


def _scaled(ranked: list[Ranked]) -> list[Ranked]:
    """Scale scores to shares of the best, in the same order."""
    best = ranked[0].score
    if best <= 0.0:
        return [item._replace(score=0.0) for item in ranked]
    return [Ranked(candidate, value / best, effects) for candidate, value, effects in ranked]
