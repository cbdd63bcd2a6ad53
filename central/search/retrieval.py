"""From queries to tiers of live candidates: what the store answers, joined with the rows.

A tier is what the next longer raw lists add, so that the order of the first results does not
depend on how many are asked for: pages put together are the one long answer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from central.search.query import Mode, RowFilter
from central.search.query_preparation import Asked
from central.search.rows import (
    LiveChunk,
    admitted_paths,
    chunks_defining,
    few,
    live_chunks,
    matching_symbols,
)
from indexer.limits import SIMILAR_CHUNKS
from indexer.records.vectors import EmbedderSpec
from indexer.store.base import Collection, HybridHits, HybridQuery, PointFilter, VectorStore

FIRST_SIZE = 100  # length of each raw list: four times and more what a page shows
ENOUGH = 50  # candidates of a tier, if there are more to be had
GROWTH = 4
LAST_SIZE = 100_000
RANK_CONSTANT = 60  # Cormack, Clarke & Büttcher 2009


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of which collections, and what is left out of the hits."""

    mode: Mode
    queries: Sequence[Asked]
    collections: Mapping[EmbedderSpec, Sequence[Collection]]
    repositories: Sequence[int]
    points: PointFilter
    rows: RowFilter
    min_similarity: float | None = None


@dataclass(slots=True)
class Lists:
    """The candidates of one query in a tier by id, with raw scores in descending order.

    Ids are chunks' or, before the rows are known, points' as integers: a UUID is hashed and
    compared by Python code, thousands of times in a search.
    """

    dense: dict[int, float] = field(default_factory=dict)
    lexical: dict[int, float] = field(default_factory=dict)
    lexical_floor: float = 0.0

    def renamed(self, ids: Mapping[int, int]) -> "Lists":
        """The same lists by what `ids` says for each id, without what it says nothing of."""
        return Lists(
            {ids[key]: score for key, score in self.dense.items() if key in ids},
            {ids[key]: score for key, score in self.lexical.items() if key in ids},
            self.lexical_floor,
        )


@dataclass(slots=True)
class Tier:
    """Live candidates by chunk id, the lists of each query, and each one's highest cosine.

    `defines`: names asked for that a chunk is known to define. `is_cut`: the last tier, though
    the store holds more than LAST_SIZE hits.
    """

    rows: dict[int, LiveChunk]
    lists: list[Lists]
    cosines: dict[int, float]
    defines: dict[int, tuple[str, ...]] = field(default_factory=dict)
    is_cut: bool = False

    def keep(self, chunks: set[int]) -> None:
        """Drop every other candidate, from the lists too."""
        self.rows = {chunk: row for chunk, row in self.rows.items() if chunk in chunks}
        self.lists = [lists.renamed({chunk: chunk for chunk in chunks}) for lists in self.lists]


def tiers(store: VectorStore, plan: Plan) -> Iterator[Tier]:
    """Tiers in descending order of raw score, until the store has no more.

    A list grows while filters and dead points leave too few; from the second on, the store is asked
    for the files alone that the filters leave, if they are few. Raises StoreError.
    """
    if plan.mode is Mode.SYMBOL:
        yield _symbol_tier(plan)
        return
    named = _named(plan)
    yielded: set[int] = set()
    known: set[int] = set()
    rows: dict[int, LiveChunk] = {}
    size = FIRST_SIZE
    while True:
        answer = _ask(store, plan, size)
        fresh = answer.points() - known
        known |= fresh
        rows |= _live(plan, fresh)
        tier = _tier(plan, answer, rows, named if not yielded else {}, yielded)
        last = answer.exhausted or size >= LAST_SIZE
        tier.is_cut = last and not answer.exhausted
        if len(tier.rows) >= ENOUGH or last:
            yielded |= tier.rows.keys()
            yield tier
        if last:
            return
        if size == FIRST_SIZE:
            plan = _narrowed(store, plan)
        size *= GROWTH


@dataclass(slots=True)
class _Answer:
    """Raw lists of every query by point; `exhausted` where longer ones would bring nothing."""

    lists: list[Lists]
    cosines: dict[int, float]
    exhausted: bool

    def points(self) -> set[int]:
        return {point for lists in self.lists for point in (*lists.dense, *lists.lexical)}


def _narrowed(store: VectorStore, plan: Plan) -> Plan:
    """The plan with the files that its filters leave, unless they are many.

    What filters leave may lie anywhere in the lists, which are as long as the index is large.
    """
    files: frozenset[str] | None = None
    if plan.rows.is_beyond(plan.points):
        files = admitted_paths(plan.rows, repositories=plan.repositories)
    if plan.min_similarity is not None and plan.mode is Mode.LEXICAL:
        similar = _similar_files(store, plan, plan.min_similarity)
        files = similar if files is None else files if similar is None else files & similar
    if files is None:
        return plan
    if not files:
        return replace(plan, collections={})
    return replace(plan, points=replace(plan.points, files=tuple(sorted(files))))


def _similar_files(store: VectorStore, plan: Plan, least: float) -> frozenset[str] | None:
    """The files of all chunks that are similar enough to a query; None where they are many."""
    answer = _ask(store, replace(plan, mode=Mode.SEMANTIC), SIMILAR_CHUNKS)
    if not answer.exhausted:
        return None
    points = {point for point, cosine in answer.cosines.items() if cosine >= least}
    return few(row.path for row in _live(plan, points).values())


def _ask(store: VectorStore, plan: Plan, size: int) -> _Answer:
    """One request per embedder for all queries."""
    dense: list[list[dict[int, float]]] = [[] for _ in plan.queries]
    lexical: list[dict[int, float]] = [{} for _ in plan.queries]
    cosines: dict[int, float] = {}
    exhausted = True
    for embedder, collections in plan.collections.items():
        asked = [_store_query(plan, query, embedder, size) for query in plan.queries]
        for index, hits in enumerate(store.search(collections, asked)):
            similar = {point.int: score for point, score in hits.dense}
            dense[index].append(similar)
            lexical[index].update({point.int: score for point, score in hits.lexical})
            keep_highest(cosines, similar)
            exhausted = exhausted and _is_exhausted(plan, hits, size)
    lists = []
    for of_embedders, terms in zip(dense, lexical, strict=True):
        ordered = terms  # in order already, unless several embedders' shards were asked
        if len(plan.collections) > 1:
            ordered = dict(sorted(terms.items(), key=lambda item: (-item[1], item[0])))
        lists.append(Lists(merge_lists(of_embedders), ordered, floor(ordered, limit=size)))
    return _Answer(lists, cosines, exhausted)


def _store_query(plan: Plan, query: Asked, embedder: EmbedderSpec, size: int) -> HybridQuery:
    return HybridQuery(
        vector=None if plan.mode is Mode.LEXICAL else query.vectors.get(embedder),
        terms=None if plan.mode is Mode.SEMANTIC else query.terms,
        limit=size,
        filter=plan.points,
    )


def keep_highest(cosines: dict[int, float], more: Mapping[int, float]) -> None:
    """Add `more` to `cosines`; the higher one stays."""
    for key, score in more.items():
        if score > cosines.get(key, -1.0):
            cosines[key] = score


def _is_exhausted(plan: Plan, hits: HybridHits, size: int) -> bool:
    if plan.min_similarity is not None and plan.mode is not Mode.LEXICAL:
        # The dense list holds whatever is at least as similar as its last hit; where it is empty,
        # nothing can be compared.
        return len(hits.dense) < size or hits.dense[-1].score < plan.min_similarity
    return len(hits.dense) < size and len(hits.lexical) < size


def _live(plan: Plan, points: set[int]) -> dict[int, LiveChunk]:
    if not points:
        return {}
    found = live_chunks(points=points, repositories=plan.repositories)
    return {row.point.int: row for row in found if _admits(plan, row)}


def _admits(plan: Plan, row: LiveChunk) -> bool:
    return plan.rows.admits(path=row.path, language=row.language, chunk_type=row.type)


def _named(plan: Plan) -> dict[int, tuple[LiveChunk, tuple[str, ...]]]:
    """By id, chunks that define a symbol which a query names: the store may rank them too low."""
    if plan.mode is not Mode.HYBRID:
        return {}
    names = {symbol.name for query in plan.queries for symbol in query.parsed.symbols}
    if not names:
        return {}
    found: dict[int, tuple[LiveChunk, tuple[str, ...]]] = {}
    for name, row in chunks_defining(names=sorted(names), repositories=plan.repositories):
        if _admits(plan, row):
            _, before = found.get(row.id, (row, ()))
            found[row.id] = (row, (*before, name))
    return found


def _tier(
    plan: Plan,
    answer: _Answer,
    rows: Mapping[int, LiveChunk],
    named: Mapping[int, tuple[LiveChunk, tuple[str, ...]]],
    yielded: set[int],
) -> Tier:
    """What `answer` adds to what was yielded before; `rows` by point, the rest by chunk."""
    chunks = {point: row.id for point, row in rows.items() if row.id not in yielded}
    fresh = {row.id: row for row in rows.values() if row.id not in yielded}
    fresh |= {chunk: row for chunk, (row, _) in named.items()}
    lists = []
    for query, raw in zip(plan.queries, answer.lists, strict=True):
        own = raw.renamed(chunks)
        asked = {symbol.name for symbol in query.parsed.symbols}
        for chunk, (_, names) in named.items():
            if asked.intersection(names) and chunk not in own.dense:
                own.lexical.setdefault(chunk, raw.lexical_floor)
        lists.append(own)
    cosines = {
        chunk: answer.cosines[point] for point, chunk in chunks.items() if point in answer.cosines
    }
    return Tier(fresh, lists, cosines, {chunk: names for chunk, (_, names) in named.items()})


def floor(scores: Mapping[int, float], *, limit: int) -> float:
    """The score of what a list of `limit` left out: its lowest; 0.0 where it left nothing out."""
    return min(scores.values()) if len(scores) >= limit else 0.0


def reciprocal_ranks(keys: Iterable[int]) -> dict[int, float]:
    """1 / (60 + rank) of each key, the first having rank 1."""
    return {key: 1.0 / (RANK_CONSTANT + rank) for rank, key in enumerate(keys, 1)}


def merge_lists(lists: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """One dense list out of one per embedder, in descending order.

    Cosines of different models cannot be compared: with several lists, ranks replace them.
    """
    filled = [scores for scores in lists if scores]
    if len(filled) <= 1:
        return dict(filled[0]) if filled else {}
    merged = {key: value for scores in filled for key, value in reciprocal_ranks(scores).items()}
    return dict(sorted(merged.items(), key=lambda item: -item[1]))


def _symbol_tier(plan: Plan) -> Tier:
    """The one tier of a symbol search: chunks whose symbols match, by how well they do."""
    tier = Tier(rows={}, lists=[], cosines={})
    for query in plan.queries:
        lists = Lists()
        matching = matching_symbols(query.parsed, repositories=plan.repositories, rows=plan.rows)
        for symbol, row, closeness in matching:
            tier.rows[row.id] = row
            tier.defines[row.id] = (*tier.defines.get(row.id, ()), symbol)
            lists.lexical[row.id] = max(closeness, lists.lexical.get(row.id, 0.0))
        tier.lists.append(lists)
    return tier
