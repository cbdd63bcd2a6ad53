"""One or several repositories in memory: exact lists as a store gives them, and the ways to rank.

`ours` is the service's own code from the lists on: the same fusion, the same rules.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from aeterna_code_search.contract.search import Mode
from benchmarks.retrieval.corpus import Corpus, Postings, whole_words
from central.corpus.embeddings import pack_direction
from central.search.candidates import Candidate, CandidateBatch, Joiner, Lists
from central.search.query import parse_query
from central.search.query_preparation import (
    PreparedQuery,
    idf_weights,
    known_share,
    query_vector,
)
from central.search.ranking.rules import DIVERSITY, WEIGHTS
from central.search.ranking.scoring import rerank
from central.search.retrieval import FIRST_SIZE, file_similarities, floor, reciprocal_ranks
from central.search.rows import REEXPORT_KINDS, REEXPORT_PATH
from indexer.embedding import open_embedder
from indexer.embedding.base import Embedder
from indexer.embedding.builtin import SPEC
from indexer.records.vectors import UINT32, TermVector, Vector


class Place(NamedTuple):
    """Where a hit is."""

    project: str
    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query with its candidates: what every setting of the weights begins with."""

    asked: PreparedQuery
    batch: CandidateBatch


class Inverted:
    """Chunks by term."""

    def __init__(self, parts: Sequence[Postings]) -> None:
        counts = np.concatenate([np.diff(part.offsets) for part in parts])
        ids = np.concatenate([part.ids for part in parts])
        order = np.argsort(ids, kind="stable")
        self._ids = ids[order]
        self._weights = np.concatenate([part.weights for part in parts])[order]
        self._chunks = np.repeat(np.arange(len(counts)), counts)[order]
        self.size = len(counts)

    def frequency(self, term: int) -> int:
        """Return the number of chunks in which the term occurs."""
        return len(self._of(term)[0])

    def best(self, terms: TermVector | None, limit: int) -> dict[int, float]:
        """Return the chunks with the highest weighted sums, at most `limit`, in order."""
        if terms is None:
            return {}
        scores = np.zeros(self.size, dtype=np.float32)
        for term, weight in zip(terms.ids.tolist(), terms.weights.tolist(), strict=True):
            chunks, weights = self._of(term)
            scores[chunks] += weight * weights
        return {chunk: score for chunk, score in _first(scores, limit).items() if score > 0.0}

    def _of(self, term: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        start, end = self._ids.searchsorted([term, term + 1])
        return self._chunks[start:end], self._weights[start:end]


class Index:
    """Repositories that are searched together, as those of one organisation are.

    `embedder` made the corpora's vectors; the packaged one if none is given.
    """

    def __init__(self, corpora: Sequence[Corpus], embedder: Embedder | None = None) -> None:
        self._embedder = embedder or _packaged()
        self._rows: list[Candidate] = []
        for number, corpus in enumerate(corpora):
            self._add(number, corpus)
        self._vectors = np.concatenate([corpus.vectors for corpus in corpora])
        self._terms = Inverted([corpus.terms for corpus in corpora])
        self._words = Inverted([corpus.words for corpus in corpora])
        self._corpora = corpora

    def _add(self, number: int, corpus: Corpus) -> None:
        offsets, ids = corpus.terms.offsets, corpus.terms.ids
        vectors = _file_vectors(corpus)
        reexports = {
            path
            for path, symbols in corpus.symbols.items()
            if re.search(REEXPORT_PATH, path)
            and all(symbol.kind in REEXPORT_KINDS for symbol in symbols)
        }
        for place, row in enumerate(corpus.rows):
            key = len(self._rows)
            own = ids[offsets[place] : offsets[place + 1]].astype(UINT32).tobytes()
            self._rows.append(
                Candidate(
                    project=corpus.project,
                    id=key,
                    point=UUID(int=key),
                    repository=number,
                    path=row.path,
                    language=row.language,
                    start_line=row.start,
                    end_line=row.end,
                    type=row.type,
                    name=row.name,
                    container=row.container,
                    term_ids=own,
                    is_reexport=row.path in reexports,
                    file_vector=vectors[row.path],
                )
            )

    def prepare(self, text: str) -> Prepared:
        """Return the query with its candidates."""
        parsed = parse_query(text)
        frequencies = {term: self._terms.frequency(term) for term in parsed.terms}
        idf = idf_weights(frequencies, chunks=len(self._rows))
        vector = self._embedder.embed_queries([text])[0]
        vectors = {SPEC: vector} if vector.any() else {}
        known = known_share(frequencies, idf)
        asked = PreparedQuery(parsed, vectors, query_vector(parsed.terms, idf), idf, known)
        dense = self._similar(vector) if vectors else {}
        lexical = self._terms.best(asked.terms, FIRST_SIZE)
        lists = Lists(dense, dict(lexical), floor(lexical, limit=FIRST_SIZE))
        defines: dict[int, tuple[str, ...]] = {}
        for name in dict.fromkeys(symbol.name for symbol in parsed.symbols):
            for chunk in self._defining.get(name, ()):
                defines[chunk] = (*defines.get(chunk, ()), name)
                if chunk not in dense:
                    lists.lexical.setdefault(chunk, lists.lexical_floor)
        candidates = {
            chunk: self._rows[chunk]._replace(
                cosine=dense.get(chunk), defines=defines.get(chunk, ())
            )
            for chunk in (*dense, *lists.lexical)
        }
        (lists.files,) = file_similarities(candidates, [asked], [SPEC])
        return Prepared(asked, CandidateBatch(candidates, [lists]))

    def hits(
        self,
        prepared: Prepared,
        weights: Mapping[str, float] = WEIGHTS,
        *,
        mode: Mode = Mode.HYBRID,
        by_file: bool = False,
        explain: bool = False,
    ) -> list[Candidate]:
        """Return hits as the service orders them, each definition or, `by_file`, each file once."""
        joiner = Joiner(self._first_lines, by_file=by_file)
        joiner.add(
            rerank(
                prepared.batch,
                mode=mode,
                queries=[prepared.asked],
                max_score=1.0,
                weights={**weights, DIVERSITY: 0.0} if by_file else weights,
                explain=explain,
            )
        )
        return joiner.hits

    def ours(
        self,
        prepared: Prepared,
        weights: Mapping[str, float] = WEIGHTS,
        *,
        by_file: bool = False,
    ) -> list[Place]:
        """Return the places of `hits`."""
        return [
            Place(hit.project, hit.path, *hit.span)
            for hit in self.hits(prepared, weights, by_file=by_file)
        ]

    def lexical(self, prepared: Prepared) -> list[Place]:
        """Rank by BM25 alone, over split identifiers, names and paths."""
        return [self._place(key) for key in self._terms.best(prepared.asked.terms, FIRST_SIZE)]

    def whole_words(self, text: str) -> list[Place]:
        """Rank by BM25 alone, over whole words."""
        counts = whole_words(text)
        frequencies = {term: self._words.frequency(term) for term in counts}
        idf = idf_weights(frequencies, chunks=len(self._rows))
        best = self._words.best(query_vector(counts, idf), FIRST_SIZE)
        return [self._place(key) for key in best]

    def dense(self, prepared: Prepared) -> list[Place]:
        """Rank by similarity alone."""
        return [self._place(key) for key in prepared.batch.lists[0].dense]

    def reciprocal(self, prepared: Prepared) -> list[Place]:
        """Rank by the sum of the reciprocal ranks of the two lists."""
        total: dict[int, float] = {}
        lexical = self._terms.best(prepared.asked.terms, FIRST_SIZE)
        for found in (prepared.batch.lists[0].dense, lexical):
            for key, value in reciprocal_ranks(found).items():
                total[key] = total.get(key, 0.0) + value
        return [self._place(key) for key in sorted(total, key=lambda key: -total[key])]

    def _similar(self, vector: Vector) -> dict[int, float]:
        return _first(self._vectors @ vector, FIRST_SIZE)

    def _place(self, key: int) -> Place:
        row = self._rows[key]
        return Place(row.project, row.path, row.start_line, row.end_line)

    def _first_lines(self, chunks: Sequence[int]) -> dict[int, int]:
        """Return what `central.search.rows.first_lines` does."""
        found = {}
        for key in chunks:
            row = self._rows[key]
            starts = self._starts.get((row.repository, row.path, row.name), ())
            before = [start for start in starts if start <= row.end_line]
            if before:
                found[key] = max(before)
        return found

    @cached_property
    def _starts(self) -> dict[tuple[int, str, str], list[int]]:
        """The first lines of the definitions of a name in a file."""
        starts: dict[tuple[int, str, str], list[int]] = {}
        for number, corpus in enumerate(self._corpora):
            for path, symbols in corpus.symbols.items():
                for symbol in symbols:
                    key = (number, path, symbol.name)
                    starts.setdefault(key, []).append(symbol.span.start)
        return starts

    @cached_property
    def _defining(self) -> dict[str, list[int]]:
        """By name, the narrowest chunks that hold a definition's first line."""
        in_file: dict[tuple[int, str], list[Candidate]] = {}
        for row in self._rows:
            in_file.setdefault((row.repository, row.path), []).append(row)
        found: dict[str, list[int]] = {}
        for number, corpus in enumerate(self._corpora):
            for path, symbols in corpus.symbols.items():
                for symbol in symbols:
                    first = symbol.span.start
                    holding = [
                        row
                        for row in in_file.get((number, path), ())
                        if row.start_line <= first <= row.end_line
                    ]
                    if holding:
                        best = min(holding, key=lambda row: _narrowness(row, symbol.name))
                        found.setdefault(symbol.name, []).append(best.id)
        return {name: list(dict.fromkeys(keys)) for name, keys in found.items()}


def _file_vectors(corpus: Corpus) -> dict[str, bytes | None]:
    """Return the packed vector of each file, as an apply stores it."""
    sums: dict[str, Vector] = {}
    for row, vector in zip(corpus.rows, corpus.vectors, strict=True):
        sums[row.path] = sums[row.path] + vector if row.path in sums else vector
    return {path: pack_direction(total) for path, total in sums.items()}


def _narrowness(row: Candidate, name: str) -> tuple[bool, int, int]:
    return row.name != name, row.end_line - row.start_line, row.id


def _first(scores: NDArray[np.float32], limit: int) -> dict[int, float]:
    """Return index → score of the highest, in descending order; ties by index."""
    keys = np.arange(len(scores))
    if len(scores) > limit:
        least = np.partition(scores, -limit)[-limit]
        keys = np.flatnonzero(scores >= least)
    keys = keys[np.argsort(-scores[keys], kind="stable")][:limit]
    return dict(zip(keys.tolist(), scores[keys].tolist(), strict=True))


@cache
def _packaged() -> Embedder:
    return open_embedder(SPEC)
