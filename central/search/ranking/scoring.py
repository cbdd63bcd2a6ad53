"""The code-aware order of candidates: rules with weights over a fused base score. Pure.

`score = (base + Σ weight · boost) · Π (1 - weight · penalty)`, where base is scaled to 0.0-1.0
over the candidates; then several chunks of one file make room for other files. Every rule has a
name and a default weight, so that an ablation can switch each off.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

from central.search.explanation import Effect
from central.search.query import ParsedQuery
from central.search.ranking import rules
from central.search.ranking.rules import Candidate, Subject, path_traits

Function = Callable[[Subject, Candidate], float]


class Rule(NamedTuple):
    """A named rule and what it is worth: of the best base score, or of the score itself."""

    name: str
    function: Function
    weight: float


# Chosen on the development half of benchmarks/retrieval, whose README says what each is worth on
# both halves, so that tests/e2e/ranking.toml does not fall.
BOOSTS = (
    Rule("definition", rules.definition, 2.0),
    Rule("mention", rules.mention, 0.25),
    Rule("name_words", rules.name_words, 0.75),
    Rule("container", rules.container, 0.3),
    Rule("file_stem", rules.file_stem, 0.6),
    Rule("project", rules.project, 0.2),
)
PENALTIES = (Rule("tiny", rules.tiny, 0.1),)
# What a path is (central.search.ranking.rules), unless the query asks for that.
PATH_PENALTIES: Mapping[str, float] = {
    "tests": 0.8,
    "examples": 0.5,
    "docs": 0.3,
    "config": 0.4,
    "generated": 0.6,
    "vendored": 0.6,
    "legacy": 0.5,
    "reexport": 0.4,
    "declarations": 0.3,
}
# Rules over the list as a whole or over what the lists say; `rank` applies them itself.
BASE = "base"
COVERAGE = "coverage"
COHERENCE = "coherence"
DIVERSITY = "diversity"
# Of the base score, the share of similarity against words; a query of identifiers leans on words.
DENSE = "dense"
DENSE_SYMBOLIC = "dense_symbolic"

WEIGHTS: Mapping[str, float] = {
    **{rule.name: rule.weight for rule in (*BOOSTS, *PENALTIES)},
    **PATH_PENALTIES,
    COVERAGE: 0.7,
    COHERENCE: 0.2,
    DIVERSITY: 0.05,
    DENSE: 0.75,
    DENSE_SYMBOLIC: 0.3,
}


class Ranked(NamedTuple):
    """A candidate's place; `score` is 0.0-1.0, the best of the list having 1.0."""

    candidate: Candidate
    score: float


def rank(
    query: ParsedQuery,
    candidates: Sequence[Candidate],
    base: Sequence[float],
    coverage: Sequence[float],
    *,
    importance: Sequence[float] | None = None,
    weights: Mapping[str, float] = WEIGHTS,
) -> list[Ranked]:
    """Candidates in descending order of score; ties by project, file and line.

    `base` is the fused score of each candidate in any unit, `coverage` the share (0.0-1.0) of the
    query's terms, weighed by rarity, that it holds; `importance` what each of `query.words` counts
    for (all the same without it).
    """
    if not candidates:
        return []
    unit = _unit(base)
    lift = rules.coherence(candidates, unit)
    subject = Subject(query, importance or [1.0] * len(query.words))
    boosts = _active(BOOSTS, weights)
    penalties = _active(PENALTIES, weights)
    scores = []
    for candidate, own, covered, lifted in zip(candidates, unit, coverage, lift, strict=True):
        score = own + weights[COVERAGE] * covered + weights[COHERENCE] * lifted
        for function, weight in boosts:
            score += weight * function(subject, candidate)
        for function, weight in penalties:
            score *= 1.0 - weight * function(subject, candidate)
        score *= _path_factor(candidate.path, query.intents, weights)
        scores.append(round(score, 9))  # what differs by less is a tie, broken by place
    return _scaled(_diversify(candidates, scores, weights[DIVERSITY]))


def effects(
    query: ParsedQuery,
    candidates: Sequence[Candidate],
    base: Sequence[float],
    coverage: Sequence[float],
    *,
    chosen: Sequence[int],
    importance: Sequence[float] | None = None,
    weights: Mapping[str, float] = WEIGHTS,
) -> list[list[Effect]]:
    """Which rules made the score of the candidates at the places `chosen`, as `rank` did.

    The sum of what they add times all the factors is what `rank` scales to the best.
    """
    unit = _unit(base)
    lift = rules.coherence(candidates, unit)
    subject = Subject(query, importance or [1.0] * len(query.words))
    files = {candidates[index].file for index in chosen}
    by_place = {
        index: [
            Effect(BASE, adds=unit[index]),
            Effect(COVERAGE, adds=weights[COVERAGE] * coverage[index]),
            Effect(COHERENCE, adds=weights[COHERENCE] * lift[index]),
            *_effects(subject, candidate, weights),
        ]
        for index, candidate in enumerate(candidates)
        if candidate.file in files
    }
    before: Counter[tuple[str, str]] = Counter()
    for index in sorted(
        by_place, key=lambda one: (-round(_value(by_place[one]), 9), candidates[one].place)
    ):
        file = candidates[index].file
        by_place[index].append(Effect(DIVERSITY, times=(1.0 - weights[DIVERSITY]) ** before[file]))
        before[file] += 1
    return [[one for one in by_place[index] if one.adds or one.times != 1.0] for index in chosen]


def _effects(
    subject: Subject, candidate: Candidate, weights: Mapping[str, float]
) -> Iterator[Effect]:
    for name, function, _ in BOOSTS:
        yield Effect(name, adds=weights[name] * function(subject, candidate))
    for name, function, _ in PENALTIES:
        yield Effect(name, times=1.0 - weights[name] * function(subject, candidate))
    for kind in sorted(path_traits(candidate.path).kinds - subject.query.intents):
        yield Effect(kind, times=1.0 - weights[kind])


def _value(found: Sequence[Effect]) -> float:
    return sum(one.adds for one in found) * prod(one.times for one in found)


def in_order(ranked: Ranked) -> tuple[float, tuple[object, ...]]:
    """Sort key: descending score, then project, file, line."""
    return -ranked.score, ranked.candidate.place


def _active(table: Sequence[Rule], weights: Mapping[str, float]) -> list[tuple[Function, float]]:
    return [(rule.function, weights[rule.name]) for rule in table if weights[rule.name]]


def _path_factor(path: str, asked: frozenset[str], weights: Mapping[str, float]) -> float:
    factor = 1.0
    for kind in path_traits(path).kinds:
        if kind not in asked:
            factor *= 1.0 - weights[kind]
    return factor


def _unit(base: Sequence[float]) -> list[float]:
    low, high = min(base), max(base)
    if high - low < 1e-12:
        return [1.0] * len(base)
    return [(value - low) / (high - low) for value in base]


def _diversify(
    candidates: Sequence[Candidate], scores: Sequence[float], weight: float
) -> list[Ranked]:
    """Each further chunk of a file counts (1 - weight) times what the one before it did."""
    ordered = sorted(map(Ranked, candidates, scores), key=in_order)
    shown: dict[tuple[str, str], float] = {}
    result = []
    for candidate, score in ordered:
        file = candidate.file
        factor = shown.get(file, 1.0)
        shown[file] = factor * (1.0 - weight)
        result.append(Ranked(candidate, round(score * factor, 9)))
    result.sort(key=in_order)
    return result


def _scaled(ranked: list[Ranked]) -> list[Ranked]:
    """Scores as shares of the best, in the order given."""
    best = ranked[0].score
    if best <= 0.0:
        return [Ranked(item.candidate, 0.0) for item in ranked]
    return [Ranked(item.candidate, item.score / best) for item in ranked]
