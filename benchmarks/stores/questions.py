"""What is asked: real sentences in three shapes, and the exact answers to compare with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray

from benchmarks.searching import QUERIES
from benchmarks.stores.population import (
    PROJECTS,
    Population,
    collection,
    organization_collections,
)
from indexer.embedding import open_embedder
from indexer.embedding.builtin import SPEC
from indexer.lexical import query_terms
from indexer.records import TermVector
from indexer.store.base import Collection, HybridQuery, PointFilter
from indexer.store.schema import path_prefixes

LIMIT = 100  # as central asks first
COMPARED = 10
_SHARE = 0.02
_DIRECTORIES = 4
_COMMON_SHARE = 0.25  # central asks for no term that is in more of the chunks than that
# Half-precision vectors may swap what is as near as that.
_TIE = 1e-3


@dataclass(frozen=True)
class Question:
    """A query, the collections it goes to, and the rows that it may find."""

    query: HybridQuery
    collections: Sequence[Collection]
    rows: NDArray[np.int64]


def organization_wide(population: Population, count: int) -> list[Question]:
    """Hybrid queries over all projects."""
    rows = np.arange(population.searched)
    everywhere = organization_collections()
    return [Question(query, everywhere, rows) for query in _queries(population, count)]


def of_projects(asked: Sequence[Question], population: Population) -> list[Question]:
    """The same queries, each over one project, in turn."""
    return [
        Question(
            question.query,
            [collection(number % PROJECTS)],
            np.array(population.members(number % PROJECTS)),
        )
        for number, question in enumerate(asked)
    ]


def filtered(asked: Sequence[Question], population: Population) -> list[Question]:
    """The same queries with filters that leave some 2 %: directories, and rare languages."""
    source = population.own[: population.searched]
    filters = _filters(population, source)
    found = []
    for number, question in enumerate(asked):
        wanted, matching = filters[number % len(filters)]
        rows = np.flatnonzero(matching[source])
        found.append(Question(replace(question.query, filter=wanted), question.collections, rows))
    return found


def _filters(
    population: Population, source: NDArray[np.int64]
) -> list[tuple[PointFilter, NDArray[np.bool_]]]:
    """Each with the extracted chunks that it admits."""
    chunks = population.chunks
    uses = np.bincount(source, minlength=len(chunks))
    within: dict[str, list[int]] = {}
    for index, path in enumerate(chunks.paths.tolist()):
        for directory in path_prefixes(path)[:-1]:
            within.setdefault(directory, []).append(index)
    nearest = sorted(within, key=lambda name: abs(uses[within[name]].sum() / len(source) - _SHARE))
    filters = []
    for directory in nearest[:_DIRECTORIES]:
        matching = np.zeros(len(chunks), bool)
        matching[within[directory]] = True
        filters.append((PointFilter(path=directory), matching))
    others = tuple(sorted({*chunks.languages.tolist()} - {"python"}))
    filters.append((PointFilter(languages=others), chunks.languages != "python"))
    return filters


def _queries(population: Population, count: int) -> list[HybridQuery]:
    chunks = population.chunks
    sentences = np.unique(chunks.sentences[chunks.sentences != ""])
    texts = [*QUERIES, *np.random.default_rng(7).choice(sentences, count, replace=False).tolist()]
    texts = texts[:count]
    vectors = open_embedder(SPEC).embed_queries(texts)
    frequencies = chunks.document_frequencies()
    return [
        HybridQuery(vector, _weighed(query_terms(text), frequencies, len(chunks)), LIMIT)
        for text, vector in zip(texts, vectors, strict=True)
    ]


def _weighed(counts: Mapping[int, int], frequencies: Mapping[int, int], chunks: int) -> TermVector:
    """BM25's side of the query, as central makes it (central/search/statistics.py)."""
    weights = {
        term: count * log(1 + (chunks - frequencies[term] + 0.5) / (frequencies[term] + 0.5))
        for term, count in sorted(counts.items())
        if 0 < frequencies.get(term, 0) <= _COMMON_SHARE * chunks
    }
    return TermVector(
        np.array(list(weights), np.uint32), np.array(list(weights.values()), np.float32)
    )


def recall(population: Population, question: Question, found: Sequence[bytes]) -> float:
    """Which part of the exact COMPARED nearest is among the first COMPARED of `found` (ids)."""
    vector = question.query.vector
    scores = population.vectors[question.rows].astype(np.float32) @ vector
    best = np.argsort(-scores)[:COMPARED]
    if not len(best):
        return 1.0
    least = scores[best[-1]] - _TIE
    places = {population.ids[question.rows[i]].tobytes() for i in np.flatnonzero(scores >= least)}
    return min(1.0, sum(point in places for point in found[:COMPARED]) / len(best))
