"""Batches of candidates: hits of the vector store, joined with their rows.

A batch is what the next longer raw lists add. So the order of the first results does not depend
on how many are requested, and all pages together equal the one long answer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from aeterna_code_search.contract.search import Mode
from central.corpus.embeddings import unpack_directions
from central.search.candidates import Candidate, CandidateBatch, Lists
from central.search.filters import RowFilter
from central.search.query_preparation import PreparedQuery
from central.search.rows import (
    admitted_paths,
    candidates_defining,
    live_candidates,
    matching_symbols,
    paths_if_few,
)
from indexer.records.vectors import EmbedderSpec
from indexer.store.base import Collection, HybridHits, HybridQuery, PointFilter, VectorStore

SIMILAR_CHUNKS: Final = 1_600  # read once if a lexical search needs similarities
FIRST_SIZE = 100  # length of each raw list: four times and more what a page shows
ENOUGH = 50  # candidates of a batch, unless the store has no more
GROWTH = 4
LAST_SIZE = 100_000
_RANK_CONSTANT = 60  # Cormack, Clarke & Büttcher 2009


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """The queries, the collections to search, and the filters of a search.

    `projects` are the names of the repositories that are searched, by id. `by_file`: a file is one
    result, so that further batches need other files.
    """

    store: VectorStore
    mode: Mode
    queries: Sequence[PreparedQuery]
    collections: Mapping[EmbedderSpec, Sequence[Collection]]
    projects: Mapping[int, str]
    points: PointFilter
    rows: RowFilter
    min_similarity: float | None = None
    by_file: bool = False


def candidate_batches(plan: RetrievalPlan) -> Iterator[CandidateBatch]:
    """Yield batches in descending order of raw score, until the store has no more.

    What is less similar than required is left out. Raises StoreError.
    """
    batches = [_symbol_batch(plan)] if plan.mode is Mode.SYMBOL else _batches(plan)
    for batch in batches:
        if plan.min_similarity is not None:
            _drop_dissimilar(plan, batch, plan.min_similarity)
        yield batch


def _drop_dissimilar(plan: RetrievalPlan, batch: CandidateBatch, min_similarity: float) -> None:
    """Drop candidates that are less similar than requested, or cannot be compared."""
    batch.candidates = {
        candidate.id: candidate
        for candidate in with_similarities(plan, batch.candidates.values())
        if candidate.cosine is not None and candidate.cosine >= min_similarity
    }
    same = {chunk: chunk for chunk in batch.candidates}
    batch.lists = [lists.renamed(same) for lists in batch.lists]


def with_similarities(plan: RetrievalPlan, candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates, each with its cosine; those without a vector have none.

    The store is asked for the vectors of those whose cosine is not known yet.
    """
    found = {candidate.id: candidate for candidate in candidates}
    bare: dict[int, dict[UUID, int]] = {}
    for candidate in found.values():
        if candidate.cosine is None:
            bare.setdefault(candidate.repository, {})[candidate.point] = candidate.id
    for spec, collections in plan.collections.items():
        vectors = [query.vectors[spec] for query in plan.queries if spec in query.vectors]
        for collection in collections:
            wanted = bare.get(abs(collection.repository))  # below zero: of other branches
            if vectors and wanted:
                for point, vector in plan.store.vectors(collection, list(wanted)).items():
                    cosine = max(float(vector @ other) for other in vectors)
                    found[wanted[point]] = found[wanted[point]]._replace(cosine=cosine)
    return list(found.values())


def _batches(plan: RetrievalPlan) -> Iterator[CandidateBatch]:
    """Yield the batches of all modes but symbol.

    The lists grow while filters and dead points leave too few candidates. From the second request
    on, the store searches only the files that pass the filters, if these are few.
    """
    named = _named_definitions(plan)
    yielded: set[int] = set()
    known: set[int] = set()
    by_point: dict[int, Candidate] = {}
    size = FIRST_SIZE
    while True:
        answer = _query_store(plan, size)
        fresh = answer.points() - known
        known |= fresh
        by_point |= _live_by_point(plan, fresh)
        batch = _batch(plan, answer, by_point, named if not yielded else {}, yielded)
        last = answer.exhausted or size >= LAST_SIZE
        batch.is_truncated = last and not answer.exhausted
        if len(batch.candidates) >= ENOUGH or last:
            yielded |= batch.candidates.keys()
            yield batch
        if last:
            return
        found = _found_files(plan, by_point.values(), yielded)
        if found or size == FIRST_SIZE:
            plan = _narrow(plan, found)
        size *= GROWTH


@dataclass(slots=True)
class _StoreAnswer:
    """Raw lists of every query by point; `exhausted` if longer lists would add nothing."""

    lists: list[Lists]
    cosines: dict[int, float]
    exhausted: bool

    def points(self) -> set[int]:
        return {point for lists in self.lists for point in (*lists.dense, *lists.lexical)}


def _found_files(
    plan: RetrievalPlan, candidates: Iterable[Candidate], yielded: set[int]
) -> set[tuple[int, str]]:
    """Return the files that are results already: (repository, path).

    Where similarity is required, another chunk of a file may be more similar.
    """
    if not plan.by_file or plan.min_similarity is not None:
        return set()
    return {candidate.file for candidate in candidates if candidate.id in yielded}


def _narrow(plan: RetrievalPlan, found: set[tuple[int, str]]) -> RetrievalPlan:
    """Restrict the plan to files that pass its filters and are not `found`, unless they are many.

    Candidates that pass may lie anywhere in the lists, whose length grows with the index.
    """
    files: frozenset[str] | None = None
    if found or plan.rows.is_stricter_than(plan.points):
        files = admitted_paths(plan.rows, repositories=plan.projects, without=found)
    if plan.min_similarity is not None and plan.mode is Mode.LEXICAL:
        similar = _similar_files(plan, plan.min_similarity)
        files = similar if files is None else files if similar is None else files & similar
    if files is None:
        return plan
    if not files:
        return replace(plan, collections={})
    return replace(plan, points=replace(plan.points, files=tuple(sorted(files))))


def _similar_files(plan: RetrievalPlan, min_similarity: float) -> frozenset[str] | None:
    """Return the files of all chunks that are similar enough to a query; None if many."""
    answer = _query_store(replace(plan, mode=Mode.SEMANTIC), SIMILAR_CHUNKS)
    if not answer.exhausted:
        return None
    points = {point for point, cosine in answer.cosines.items() if cosine >= min_similarity}
    return paths_if_few(found.path for found in _live_by_point(plan, points).values())


def _query_store(plan: RetrievalPlan, size: int) -> _StoreAnswer:
    """Send one request per embedder, for all queries."""
    dense: list[list[dict[int, float]]] = [[] for _ in plan.queries]
    lexical: list[dict[int, float]] = [{} for _ in plan.queries]
    cosines: dict[int, float] = {}
    exhausted = True
    for embedder, collections in plan.collections.items():
        requests = [_store_query(plan, query, embedder, size) for query in plan.queries]
        for index, hits in enumerate(plan.store.search(collections, requests)):
            similar = {point.int: score for point, score in hits.dense}
            dense[index].append(similar)
            lexical[index].update({point.int: score for point, score in hits.lexical})
            for point, cosine in similar.items():
                cosines[point] = max(cosine, cosines.get(point, -1.0))
            exhausted = exhausted and _is_exhausted(plan, hits, size)
    lists = []
    for of_embedders, terms in zip(dense, lexical, strict=True):
        in_order = terms  # already in order, unless several embedders' shards were searched
        if len(plan.collections) > 1:
            in_order = dict(sorted(terms.items(), key=lambda item: (-item[1], item[0])))
        lists.append(Lists(merge_lists(of_embedders), in_order, floor(in_order, limit=size)))
    return _StoreAnswer(lists, cosines, exhausted)


def _store_query(
    plan: RetrievalPlan, query: PreparedQuery, embedder: EmbedderSpec, size: int
) -> HybridQuery:
    return HybridQuery(
        vector=None if plan.mode is Mode.LEXICAL else query.vectors.get(embedder),
        terms=None if plan.mode is Mode.SEMANTIC else query.terms,
        limit=size,
        filter=plan.points,
    )


def _is_exhausted(plan: RetrievalPlan, hits: HybridHits, size: int) -> bool:
    if plan.min_similarity is not None and plan.mode is not Mode.LEXICAL:
        # The dense list holds every point at least as similar as its last hit; if it is empty,
        # no point can be compared.
        return len(hits.dense) < size or hits.dense[-1].score < plan.min_similarity
    return len(hits.dense) < size and len(hits.lexical) < size


def _live_by_point(plan: RetrievalPlan, points: set[int]) -> dict[int, Candidate]:
    if not points:
        return {}
    found = live_candidates(points, projects=plan.projects, rows=plan.rows)
    return {candidate.point.int: candidate for candidate in found}


def _named_definitions(plan: RetrievalPlan) -> dict[int, Candidate]:
    """Return chunks that define a symbol named in a query: the store may rank them too low."""
    names = {symbol.name for query in plan.queries for symbol in query.parsed.symbols}
    if not names or plan.mode is not Mode.HYBRID:
        return {}
    found = candidates_defining(sorted(names), projects=plan.projects, rows=plan.rows)
    return {candidate.id: candidate for candidate in found}


def _batch(
    plan: RetrievalPlan,
    answer: _StoreAnswer,
    by_point: Mapping[int, Candidate],
    named: dict[int, Candidate],
    yielded: set[int],
) -> CandidateBatch:
    """Return what `answer` adds to `yielded`, and the candidates that are `named`."""
    chunks = {point: found.id for point, found in by_point.items() if found.id not in yielded}
    candidates = {chunk: by_point[point] for point, chunk in chunks.items()} | named
    for point, chunk in chunks.items():
        if point in answer.cosines:
            candidates[chunk] = candidates[chunk]._replace(cosine=answer.cosines[point])
    lists = []
    compared = candidates if plan.mode is Mode.HYBRID else {}
    similar = file_similarities(compared, plan.queries, [*plan.collections])
    for query, raw, files in zip(plan.queries, answer.lists, similar, strict=True):
        own = raw.renamed(chunks)
        requested = {symbol.name for symbol in query.parsed.symbols}
        for chunk, candidate in named.items():
            if requested.intersection(candidate.defines) and chunk not in own.dense:
                own.lexical.setdefault(chunk, raw.lexical_floor)
        own.files = files
        lists.append(own)
    return CandidateBatch(candidates, lists)


def _symbol_batch(plan: RetrievalPlan) -> CandidateBatch:
    """Return the only batch of a symbol search: chunks by how closely their symbols match."""
    batch = CandidateBatch({}, [])
    for query in plan.queries:
        lists = Lists()
        matching = matching_symbols(query.parsed, projects=plan.projects, rows=plan.rows)
        for candidate, closeness in matching:
            chunk, known = candidate.id, batch.candidates.get(candidate.id)
            batch.candidates[chunk] = (
                known.defining(candidate.defines, candidate.minor) if known else candidate
            )
            lists.lexical[chunk] = max(closeness, lists.lexical.get(chunk, 0.0))
        batch.lists.append(lists)
    return batch


def floor(scores: Mapping[int, float], *, limit: int) -> float:
    """Return the score of what a list of `limit` lacks: its lowest; 0.0 if it lacks nothing."""
    return min(scores.values()) if len(scores) >= limit else 0.0


def reciprocal_ranks(keys: Iterable[int]) -> dict[int, float]:
    """1 / (60 + rank) of each key, the first having rank 1."""
    return {key: 1.0 / (_RANK_CONSTANT + rank) for rank, key in enumerate(keys, 1)}


def merge_lists(lists: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Merge the dense lists of several embedders into one, in descending order.

    Cosines of different models cannot be compared: with several lists, ranks replace them.
    """
    filled = [scores for scores in lists if scores]
    if len(filled) <= 1:
        return dict(filled[0]) if filled else {}
    merged = {key: value for scores in filled for key, value in reciprocal_ranks(scores).items()}
    return dict(sorted(merged.items(), key=lambda item: -item[1]))


def file_similarities(
    candidates: Mapping[int, Candidate],
    queries: Sequence[PreparedQuery],
    embedders: Sequence[EmbedderSpec],
) -> list[dict[int, float]]:
    """Return for each query by chunk the cosine of its file; files without a vector are absent.

    So are all where there are several embedders: cosines of different models cannot be compared.
    """
    if len(embedders) != 1:
        return [{} for _ in queries]
    (embedder,) = embedders
    places: dict[bytes, int] = {}
    files: dict[int, int] = {}
    for chunk, candidate in candidates.items():
        vector = candidate.file_vector
        if vector is not None and len(vector) == embedder.dimensions:  # else of another embedder
            files[chunk] = places.setdefault(vector, len(places))
    vectors = unpack_directions([*places], embedder.dimensions)
    found: list[dict[int, float]] = []
    for query in queries:
        asked = query.vectors.get(embedder)
        cosines: list[float] = [] if asked is None else (vectors @ asked).tolist()
        found.append({chunk: cosines[file] for chunk, file in files.items()} if cosines else {})
    return found
