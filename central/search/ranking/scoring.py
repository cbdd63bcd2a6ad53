"""The code-aware order of candidates: rules with weights over a fused base score. Pure.

`score = (base + Σ weight · boost) · Π (1 - weight · penalty)`, where base is scaled to 0.0-1.0
over the candidates; then several chunks of one file make room for other files. Every rule has a
name and a default weight, so that an ablation can switch each off.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod, sqrt
from typing import NamedTuple

from central.search.query import Mode, ParsedQuery
from central.search.query_preparation import Asked
from central.search.ranking.rules import (
    BASE,
    BOOSTS,
    COHERENCE,
    COVERAGE,
    DENSE,
    DENSE_SYMBOLIC,
    DIVERSITY,
    PENALTIES,
    WEIGHTS,
    Candidate,
    Subject,
    coherence,
    path_traits,
)
from central.search.retrieval import Lists, Tier
from central.search.rows import LiveChunk
from indexer.store.schema import MAX_TERM_WEIGHT

_RANKED = (Mode.HYBRID, Mode.SYMBOL)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a rule did to a score: `adds` to it (the best base score is 1.0), or `times` it."""

    rule: str
    adds: float = 0.0
    times: float = 1.0


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


class Ranked(NamedTuple):
    """A candidate's place; `score` is 0.0-1.0, the best of the list has 1.0.

    `effects`, if asked for, make the score before it is scaled to the best: the sum of what they
    add, times all their factors. Rules without an effect are left out.
    """

    candidate: Candidate
    score: float
    effects: tuple[Effect, ...] = ()


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
        query.coverage([tier.rows[chunk].term_ids for chunk in base]),
        importance=query.importance,
        weights=weights,
        explain=explain,
    )


def _ranks(scores: Mapping[int, float]) -> dict[int, int]:
    return {chunk: place for place, chunk in enumerate(scores, 1)}


def _base(mode: Mode, query: Asked, lists: Lists, weights: Mapping[str, float]) -> dict[int, float]:
    if mode is Mode.SYMBOL:
        return lists.lexical
    return fuse_normalised(
        lists.dense,
        lists.lexical,
        dense_weight=weights[DENSE_SYMBOLIC if query.parsed.symbolic else DENSE],
        lexical_floor=lists.lexical_floor,
    )


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
    """Candidates in descending order of score; ties by project, file and line.

    `base` is the fused score of each candidate in any unit, `coverage` the share (0.0-1.0) of the
    query's terms, weighed by rarity, that it holds; `importance` what each of `query.words` counts
    for (all the same without it).
    """
    if not candidates:
        return []
    unit = _unit(base)
    lift = coherence(candidates, unit)
    subject = Subject(query, importance or [1.0] * len(query.words))
    boosts = [rule._replace(weight=weights[rule.name]) for rule in BOOSTS if weights[rule.name]]
    names = (BASE, COVERAGE, COHERENCE, *(rule.name for rule in boosts))
    penalties = [rule._replace(weight=weights[rule.name]) for rule in PENALTIES]
    scored = []
    for candidate, own, covered, lifted in zip(candidates, unit, coverage, lift, strict=True):
        adds = [own, weights[COVERAGE] * covered, weights[COHERENCE] * lifted]
        adds += [weight * function(subject, candidate) for _, function, weight in boosts]
        times = [1.0 - weight * function(subject, candidate) for _, function, weight in penalties]
        kinds = path_traits(candidate.path).kinds - query.intents
        paths = {kind: 1.0 - weights[kind] for kind in sorted(kinds)} if kinds else {}
        value = sum(adds) * prod(times) * prod(paths.values())
        effects: tuple[Effect, ...] = ()
        if explain:
            factors = {rule.name: factor for rule, factor in zip(penalties, times, strict=True)}
            effects = _effects(zip(names, adds, strict=True), factors | paths)
        # Scores that differ by less are a tie, which the place breaks.
        scored.append(Ranked(candidate, round(value, 9), effects))
    return _scaled(_diversify(scored, weights[DIVERSITY], explain=explain))


def _effects(adds: Iterable[tuple[str, float]], times: Mapping[str, float]) -> tuple[Effect, ...]:
    return (
        *(Effect(name, adds=value) for name, value in adds if value),
        *(Effect(name, times=value) for name, value in times.items() if value != 1.0),
    )


def in_order(ranked: Ranked) -> tuple[float, tuple[object, ...]]:
    """Sort key: descending score, then project, file, line."""
    return -ranked.score, ranked.candidate.place


def _unit(base: Sequence[float]) -> list[float]:
    low, high = min(base), max(base)
    if high - low < 1e-12:
        return [1.0] * len(base)
    return [(value - low) / (high - low) for value in base]


def _diversify(scored: Sequence[Ranked], weight: float, *, explain: bool) -> list[Ranked]:
    """Each further chunk of a file counts (1 - weight) times what the one before it did."""
    next_factor: dict[tuple[str, str], float] = {}
    result = []
    for candidate, value, effects in sorted(scored, key=in_order):
        factor = next_factor.get(candidate.file, 1.0)
        next_factor[candidate.file] = factor * (1.0 - weight)
        further = _effects((), {DIVERSITY: factor}) if explain else ()
        result.append(Ranked(candidate, round(value * factor, 9), (*effects, *further)))
    result.sort(key=in_order)
    return result


def _scaled(ranked: list[Ranked]) -> list[Ranked]:
    """Scores as shares of the best, in the order given."""
    best = ranked[0].score
    if best <= 0.0:
        return [item._replace(score=0.0) for item in ranked]
    return [Ranked(candidate, value / best, effects) for candidate, value, effects in ranked]


def fuse_normalised(
    dense: Mapping[int, float],
    lexical: Mapping[int, float],
    *,
    dense_weight: float,
    lexical_floor: float = 0.0,
) -> dict[int, float]:
    """Weighted sum of standard scores over the union of both lists."""
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


def _standard(values: Sequence[float]) -> list[float]:
    """Deviations from the mean in standard deviations; zeros where all values are equal."""
    if not values:
        return []
    mean = sum(values) / len(values)
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    if deviation < 1e-12:
        return [0.0] * len(values)
    return [(value - mean) / deviation for value in values]
