"""Scores and order of candidates: weighted rules over a fused base score.

`score = (base + Σ weight · boost) · Π (1 - weight · penalty)`, where base is scaled to 0.0-1.0
over the candidates. Then each further chunk of a file is reduced, to make room for other files.
The rules and their weights are in central.search.ranking.rules.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from aeterna_code_search.contract.search import Effect, Explanation, Mode
from central.search.fusion import add_standard, fuse_normalised
from central.search.query import ParsedQuery
from central.search.query_preparation import PreparedQuery
from central.search.ranking.context import Candidate, QueryContext
from central.search.ranking.explanation import factors, summands
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
    coherence,
    path_traits,
)
from central.search.retrieval import CandidateBatch, Lists
from central.search.rows import LiveChunk
from indexer.records.files import Span
from indexer.store.schema import MAX_TERM_WEIGHT

_RANKED = (Mode.HYBRID, Mode.SYMBOL)
_ADDS = (BASE, COVERAGE, *(rule.name for rule in BOOSTS))
_TIMES = tuple(rule.name for rule in PENALTIES)


class ScoredHit(NamedTuple):
    """A candidate with its score. `queries`: indexes of the queries whose lists contain it.

    `pieces` are the chunks of the same definition that it stands for, if they are several; then it
    begins at `start_line`. `further` are the other hits of its file, best first, if it stands for
    the file.
    """

    row: LiveChunk
    score: float
    cosine: float | None
    queries: tuple[int, ...]
    explanation: Explanation | None
    pieces: tuple[LiveChunk, ...] = ()
    start_line: int = 0
    further: tuple["ScoredHit", ...] = ()

    @property
    def span(self) -> Span:
        """Its lines: from the signature, where a piece holds it, to the end of the best piece."""
        return Span(self.start_line or self.row.start_line, self.row.end_line)


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
    projects: Mapping[int, str],
    max_score: float,
    weights: Mapping[str, float] = WEIGHTS,
    explain: bool = False,
) -> list[ScoredHit]:
    """Order the batch's candidates, best first; no score exceeds `max_score` of the batch before.

    Rules apply to hybrid and symbol searches. Semantic scores are the cosines; lexical scores are
    shares of the highest score possible. A chunk that several queries find keeps its best score
    and the explanation of that score.
    """
    candidates = {chunk: _candidate(row, batch, projects) for chunk, row in batch.rows.items()}
    best: dict[int, tuple[Ranked, Explanation | None]] = {}
    finders: dict[int, list[int]] = {}
    for index, (query, lists) in enumerate(zip(queries, batch.lists, strict=True)):
        semantic = _ranks(lists.dense) if explain else {}
        lexical = _ranks(lists.lexical) if explain and mode is not Mode.SYMBOL else {}
        for ranked in _order(mode, query, lists, batch, candidates, weights, explain=explain):
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
        ScoredHit(
            batch.rows[chunk],
            min(max_score, scale * value),
            batch.cosines.get(chunk),
            tuple(finders[chunk]),
            why,
        )
        for ((chunk, *_), value, _), why in ordered
    ]


def _order(
    mode: Mode,
    query: PreparedQuery,
    lists: Lists,
    batch: CandidateBatch,
    candidates: Mapping[int, Candidate],
    weights: Mapping[str, float],
    *,
    explain: bool,
) -> list[Ranked]:
    if mode is Mode.SEMANTIC:
        return [
            Ranked(candidates[chunk], max(0.0, min(1.0, batch.cosines[chunk])))
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
        _coverage(query, [batch.rows[chunk] for chunk in base]),
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


def _candidate(row: LiveChunk, batch: CandidateBatch, projects: Mapping[int, str]) -> Candidate:
    defined = batch.defines.get(row.id, ())
    return Candidate(
        id=row.id,
        project=projects[row.repository],
        path=row.path,
        start_line=row.start_line,
        end_line=row.end_line,
        type=row.type,
        name=row.name,
        container=row.container,
        is_reexport=row.is_reexport,
        defines=tuple([definition.name for definition in defined]),
        minor=tuple([definition.name for definition in defined if definition.is_minor]),
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
            effects = (*summands(_ADDS, adds), *factors((*_TIMES, *sorted(kinds)), times + paths))
        # Smaller differences are ties, ordered by place.
        scored.append(Ranked(candidate, round(sum(adds) * prod(times + paths), 9), effects))
    if not query.symbolic:
        scored = _cohere(scored, weights[COHERENCE], explain=explain)
    return _scaled(_diversify(scored, weights[DIVERSITY], explain=explain))


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


def _coverage(query: PreparedQuery, rows: Sequence[LiveChunk]) -> list[float]:
    """Return of each row the share of the query's terms that the candidates of its file hold."""
    files: dict[tuple[int, str], list[bytes]] = {}
    for row in rows:
        files.setdefault((row.repository, row.path), []).append(row.term_ids)
    shares = query.coverage([b"".join(held) for held in files.values()])
    by_file = dict(zip(files, shares, strict=True))
    return [by_file[row.repository, row.path] for row in rows]


def _diversify(scored: Sequence[Ranked], weight: float, *, explain: bool) -> list[Ranked]:
    """Multiply each further chunk of a file by (1 - weight) once more than the one before."""
    if not weight:
        return sorted(scored, key=in_order)
    next_factor: dict[tuple[str, str], float] = {}
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
    further = factors([rule], [factor]) if explain else ()
    return Ranked(candidate, round(value * factor, 9), (*effects, *further))


def _scaled(ranked: list[Ranked]) -> list[Ranked]:
    """Scale scores to shares of the best, in the same order."""
    best = ranked[0].score
    if best <= 0.0:
        return [item._replace(score=0.0) for item in ranked]
    return [Ranked(candidate, value / best, effects) for candidate, value, effects in ranked]
