"""Batches of live candidates: hits of the vector store, joined with their rows.

A batch is what the next longer raw lists add. So the order of the first results does not depend
on how many are requested, and all pages together equal the one long answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from aeterna_code_search.contract.search import Mode
from central.search.file_similarity import file_similarities
from central.search.filters import RowFilter
from central.search.fusion import floor, keep_highest, merge_lists
from central.search.query_preparation import PreparedQuery
from central.search.rows import (
    Definition,
    LiveChunk,
    admitted_paths,
    chunks_defining,
    is_admitted,
    live_chunks,
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


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """The queries, the collections to search, and the filters of a search.

    `by_file`: a file is one result, so that further batches need other files.
    """

    mode: Mode
    queries: Sequence[PreparedQuery]
    collections: Mapping[EmbedderSpec, Sequence[Collection]]
    repositories: Sequence[int]
    points: PointFilter
    rows: RowFilter
    min_similarity: float | None = None
    by_file: bool = False


@dataclass(slots=True)
class Lists:
    """The candidates of one query in a batch: raw scores by id, in descending order.

    `files` are the similarities of their files, each as a whole, in no order.
    Ids are those of chunks or, before the rows are known, of points. They are integers because
    Python code hashes and compares a UUID, thousands of times in a search.
    """

    dense: dict[int, float] = field(default_factory=dict)
    lexical: dict[int, float] = field(default_factory=dict)
    lexical_floor: float = 0.0
    files: dict[int, float] = field(default_factory=dict)

    def renamed(self, ids: Mapping[int, int]) -> "Lists":
        """Return the lists with ids replaced by `ids`, without the entries that it lacks."""
        return Lists(
            {ids[key]: score for key, score in self.dense.items() if key in ids},
            {ids[key]: score for key, score in self.lexical.items() if key in ids},
            self.lexical_floor,
            {ids[key]: score for key, score in self.files.items() if key in ids},
        )


@dataclass(slots=True)
class CandidateBatch:
    """Live candidates by chunk id, each query's lists, and each candidate's highest cosine.

    `defines`: the definitions of requested names that a chunk is known to hold. `is_truncated`:
    this is the last batch although the store holds more than LAST_SIZE hits.
    """

    rows: dict[int, LiveChunk]
    lists: list[Lists]
    cosines: dict[int, float]
    defines: dict[int, tuple[Definition, ...]] = field(default_factory=dict)
    is_truncated: bool = False

    def keep(self, chunks: set[int]) -> None:
        """Drop every other candidate, from the lists too."""
        self.rows = {chunk: row for chunk, row in self.rows.items() if chunk in chunks}
        same = {chunk: chunk for chunk in chunks}
        self.lists = [lists.renamed(same) for lists in self.lists]


def candidate_batches(store: VectorStore, plan: RetrievalPlan) -> Iterator[CandidateBatch]:
    """Yield batches in descending order of raw score, until the store has no more.

    The lists grow while filters and dead points leave too few candidates. From the second request
    on, the store searches only the files that pass the filters, if these are few. Raises
    StoreError.
    """
    if plan.mode is Mode.SYMBOL:
        yield _symbol_batch(plan)
        return
    named = _named_definitions(plan)
    yielded: set[int] = set()
    known: set[int] = set()
    rows: dict[int, LiveChunk] = {}
    size = FIRST_SIZE
    while True:
        answer = _query_store(store, plan, size)
        fresh = answer.points() - known
        known |= fresh
        rows |= _live_rows(plan, fresh)
        batch = _batch(plan, answer, rows, named if not yielded else {}, yielded)
        last = answer.exhausted or size >= LAST_SIZE
        batch.is_truncated = last and not answer.exhausted
        if len(batch.rows) >= ENOUGH or last:
            yielded |= batch.rows.keys()
            yield batch
        if last:
            return
        found = _found_files(plan, rows, yielded)
        if found or size == FIRST_SIZE:
            plan = _narrow(store, plan, found)
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
    plan: RetrievalPlan, rows: Mapping[int, LiveChunk], yielded: set[int]
) -> set[tuple[int, str]]:
    """Return the files that are results already: (repository, path).

    Where similarity is required, another chunk of a file may be more similar.
    """
    if not plan.by_file or plan.min_similarity is not None:
        return set()
    return {(row.repository, row.path) for row in rows.values() if row.id in yielded}


def _narrow(store: VectorStore, plan: RetrievalPlan, found: set[tuple[int, str]]) -> RetrievalPlan:
    """Restrict the plan to files that pass its filters and are not `found`, unless they are many.

    Candidates that pass may lie anywhere in the lists, whose length grows with the index.
    """
    files: frozenset[str] | None = None
    if found or plan.rows.is_stricter_than(plan.points):
        files = admitted_paths(plan.rows, repositories=plan.repositories, without=found)
    if plan.min_similarity is not None and plan.mode is Mode.LEXICAL:
        similar = _similar_files(store, plan, plan.min_similarity)
        files = similar if files is None else files if similar is None else files & similar
    if files is None:
        return plan
    if not files:
        return replace(plan, collections={})
    return replace(plan, points=replace(plan.points, files=tuple(sorted(files))))


def _similar_files(
    store: VectorStore, plan: RetrievalPlan, min_similarity: float
) -> frozenset[str] | None:
    """Return the files of all chunks that are similar enough to a query; None if many."""
    answer = _query_store(store, replace(plan, mode=Mode.SEMANTIC), SIMILAR_CHUNKS)
    if not answer.exhausted:
        return None
    points = {point for point, cosine in answer.cosines.items() if cosine >= min_similarity}
    return paths_if_few(row.path for row in _live_rows(plan, points).values())


def _query_store(store: VectorStore, plan: RetrievalPlan, size: int) -> _StoreAnswer:
    """Send one request per embedder, for all queries."""
    dense: list[list[dict[int, float]]] = [[] for _ in plan.queries]
    lexical: list[dict[int, float]] = [{} for _ in plan.queries]
    cosines: dict[int, float] = {}
    exhausted = True
    for embedder, collections in plan.collections.items():
        requests = [_store_query(plan, query, embedder, size) for query in plan.queries]
        for index, hits in enumerate(store.search(collections, requests)):
            similar = {point.int: score for point, score in hits.dense}
            dense[index].append(similar)
            lexical[index].update({point.int: score for point, score in hits.lexical})
            keep_highest(cosines, similar)
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


def _live_rows(plan: RetrievalPlan, points: set[int]) -> dict[int, LiveChunk]:
    if not points:
        return {}
    found = live_chunks(points=points, repositories=plan.repositories)
    return {row.point.int: row for row in found if is_admitted(plan.rows, row)}


def _named_definitions(plan: RetrievalPlan) -> dict[int, tuple[LiveChunk, tuple[Definition, ...]]]:
    """Return chunks that define a symbol named in a query: the store may rank them too low."""
    if plan.mode is not Mode.HYBRID:
        return {}
    names = {symbol.name for query in plan.queries for symbol in query.parsed.symbols}
    if not names:
        return {}
    found: dict[int, tuple[LiveChunk, tuple[Definition, ...]]] = {}
    for definition, row in chunks_defining(names=sorted(names), repositories=plan.repositories):
        if is_admitted(plan.rows, row):
            _, before = found.get(row.id, (row, ()))
            found[row.id] = (row, (*before, definition))
    return found


def _batch(
    plan: RetrievalPlan,
    answer: _StoreAnswer,
    rows: Mapping[int, LiveChunk],
    named: Mapping[int, tuple[LiveChunk, tuple[Definition, ...]]],
    yielded: set[int],
) -> CandidateBatch:
    """Return what `answer` adds to `yielded`; `rows` by point, the rest by chunk."""
    chunks = {point: row.id for point, row in rows.items() if row.id not in yielded}
    fresh = {row.id: row for row in rows.values() if row.id not in yielded}
    fresh |= {chunk: row for chunk, (row, _) in named.items()}
    lists = []
    compared = fresh if plan.mode is Mode.HYBRID else {}
    similar = file_similarities(compared, plan.queries, plan.collections)
    for query, raw, files in zip(plan.queries, answer.lists, similar, strict=True):
        own = raw.renamed(chunks)
        requested = {symbol.name for symbol in query.parsed.symbols}
        for chunk, (_, definitions) in named.items():
            names = {definition.name for definition in definitions}
            if requested & names and chunk not in own.dense:
                own.lexical.setdefault(chunk, raw.lexical_floor)
        own.files = files
        lists.append(own)
    cosines = {
        chunk: answer.cosines[point] for point, chunk in chunks.items() if point in answer.cosines
    }
    return CandidateBatch(
        fresh, lists, cosines, {chunk: definitions for chunk, (_, definitions) in named.items()}
    )


def _symbol_batch(plan: RetrievalPlan) -> CandidateBatch:
    """Return the only batch of a symbol search: chunks by how closely their symbols match."""
    batch = CandidateBatch(rows={}, lists=[], cosines={})
    for query in plan.queries:
        lists = Lists()
        matching = matching_symbols(query.parsed, repositories=plan.repositories, rows=plan.rows)
        for definition, row, closeness in matching:
            batch.rows[row.id] = row
            batch.defines[row.id] = (*batch.defines.get(row.id, ()), definition)
            lists.lexical[row.id] = max(closeness, lists.lexical.get(row.id, 0.0))
        batch.lists.append(lists)
    return batch
