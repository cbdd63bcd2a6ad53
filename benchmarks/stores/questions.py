"""What is asked: real sentences in three shapes, and the exact answers to compare with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray

from benchmarks.searching import QUERIES
from benchmarks.stores.extraction import Chunks
from benchmarks.stores.population import (
    PROJECTS,
    Population,
    collection,
    organization_collections,
)
from indexer.embedding import open_embedder
from indexer.embedding.builtin import SPEC
from indexer.lexical import query_terms
from indexer.records.vectors import Matrix, TermVector
from indexer.store.base import Collection, HybridQuery, PointFilter
from indexer.store.schema import path_prefixes

LIMIT = 100  # as central asks first
COMPARED = 10
_SHARE = 0.02
_AT_ONCE = 50_000
_DIRECTORIES = 4
_COMMON_SHARE = 0.25  # central asks for no term that is in more of the chunks than that
# Half-precision vectors may swap what is as near as that.
_TIE = 1e-3


@dataclass(frozen=True)
class Question:
    """A query, the collections it goes to, and the ids that are as near as the nearest COMPARED."""

    query: HybridQuery
    collections: Sequence[Collection]
    nearest: frozenset[bytes]

    def recall(self, found: Sequence[bytes]) -> float:
        """Which part of the exact nearest is among the first COMPARED of `found`."""
        wanted = min(COMPARED, len(self.nearest))
        return min(1.0, len(self.nearest.intersection(found[:COMPARED])) / max(wanted, 1))


@dataclass(frozen=True)
class Questions:
    """The same queries in three shapes, with the exact answers of each."""

    population: Population
    queries: Sequence[HybridQuery]
    scores: Matrix  # shape (queries, chunks of the organisation)

    def organization_wide(self) -> list[Question]:
        """Over all projects."""
        rows = np.arange(self.population.searched)
        everywhere = organization_collections()
        return [
            Question(query, everywhere, self._nearest(number, rows))
            for number, query in enumerate(self.queries)
        ]

    def of_projects(self) -> list[Question]:
        """Each over one project, in turn."""
        members = [np.array(self.population.members(project)) for project in range(PROJECTS)]
        return [
            Question(
                query,
                [collection(number % PROJECTS)],
                self._nearest(number, members[number % PROJECTS]),
            )
            for number, query in enumerate(self.queries)
        ]

    def filtered(self) -> list[Question]:
        """With filters that leave some 2 %: directories, and rare languages."""
        source = self.population.own[: self.population.searched]
        filters = [
            (wanted, np.flatnonzero(matching[source]))
            for wanted, matching in _filters(self.population.chunks, source)
        ]
        everywhere = organization_collections()
        return [
            Question(
                replace(query, filter=filters[number % len(filters)][0]),
                everywhere,
                self._nearest(number, filters[number % len(filters)][1]),
            )
            for number, query in enumerate(self.queries)
        ]

    def _nearest(self, number: int, rows: NDArray[np.int64]) -> frozenset[bytes]:
        scores = self.scores[number, rows]
        place = min(COMPARED, len(rows))
        least = np.partition(scores, -place)[-place] - _TIE
        ids = self.population.ids[rows[scores >= least]]
        return frozenset(one.tobytes() for one in ids)


def ask_about(population: Population, count: int) -> Questions:
    """`count` sentences, with how near each chunk of the organisation is to each."""
    queries = _queries(population.chunks, count)
    asked = np.array([query.vector for query in queries])
    scores = np.empty((count, population.searched), np.float32)
    for start in range(0, population.searched, _AT_ONCE):
        part = slice(start, min(start + _AT_ONCE, population.searched))
        scores[:, part] = asked @ population.vectors[part].astype(np.float32).T
    return Questions(population, queries, scores)


def _filters(
    chunks: Chunks, source: NDArray[np.int64]
) -> list[tuple[PointFilter, NDArray[np.bool_]]]:
    """Each with the extracted chunks that it admits."""
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


def _queries(chunks: Chunks, count: int) -> list[HybridQuery]:
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
    """BM25's side of the query, as central makes it (central/search/query_preparation.py)."""
    weights = {
        term: count * log(1 + (chunks - frequencies[term] + 0.5) / (frequencies[term] + 0.5))
        for term, count in sorted(counts.items())
        if 0 < frequencies.get(term, 0) <= _COMMON_SHARE * chunks
    }
    return TermVector(
        np.array(list(weights), np.uint32), np.array(list(weights.values()), np.float32)
    )
