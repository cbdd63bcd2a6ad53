"""The code-aware order of candidates: rules with weights over a fused base score. Pure.

`score = (base + Σ weight · boost) · Π (1 - weight · penalty)`, where base is scaled to 0.0-1.0
over the candidates; then several chunks of one file make room for other files. Every rule has a
name and a default weight, so that an ablation can switch each off.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

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
# Rules over the list as a whole or over what the lists say; `score` applies them itself.
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


@dataclass(frozen=True, slots=True)
class Effect:
    """What a rule did to a score: `adds` to it (the best base score is 1.0), or `times` it."""

    rule: str
    adds: float = 0.0
    times: float = 1.0


class Ranked(NamedTuple):
    """A candidate's place; `score` is 0.0-1.0, the best of the list has 1.0.

    `effects`, if asked for, make the score before it is scaled to the best: the sum of what they
    add, times all their factors. Rules without an effect are left out.
    """

    candidate: Candidate
    score: float
    effects: tuple[Effect, ...] = ()


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
    lift = rules.coherence(candidates, unit)
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
