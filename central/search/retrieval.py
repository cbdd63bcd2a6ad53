"""From queries to tiers of live candidates: what the store answers, joined with the rows.

A tier is what the next longer raw lists add, so that the order of the first results does not
depend on how many are asked for: pages put together are the one long answer.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from central.search.filters import RowFilter
from central.search.fusion import floor, merge_lists
from central.search.query import Mode, ParsedQuery
from central.search.selectors import LiveChunk, chunks_defining, live_chunks
from indexer.records import EmbedderSpec, TermVector, Vector
from indexer.store.base import Collection, HybridHits, HybridQuery, PointFilter, VectorStore

FIRST_SIZE = 100  # length of each raw list: four times and more what a page shows
ENOUGH = 50  # candidates of a tier, if there are more to be had
GROWTH = 4
LAST_SIZE = 100_000


@dataclass(frozen=True, slots=True)
class Asked:
    """One query, prepared: its vector under each embedder, its terms and how rare they are."""

    parsed: ParsedQuery
    vectors: Mapping[EmbedderSpec, Vector]
    terms: TermVector | None
    rarity: Mapping[int, float]


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
    """The candidates of one query in a tier, with raw scores in descending order."""

    dense: dict[UUID, float] = field(default_factory=dict)
    lexical: dict[UUID, float] = field(default_factory=dict)
    lexical_floor: float = 0.0

    def of(self, points: Container[UUID]) -> "Lists":
        """The same lists without what is not in `points`."""
        return Lists(
            {point: score for point, score in self.dense.items() if point in points},
            {point: score for point, score in self.lexical.items() if point in points},
            self.lexical_floor,
        )


@dataclass(slots=True)
class Tier:
    """Live candidates by point, the lists of each query, and each point's highest cosine.

    `defines`: names asked for that a chunk is known to define.
    """

    rows: dict[UUID, LiveChunk]
    lists: list[Lists]
    cosines: dict[UUID, float]
    defines: dict[UUID, tuple[str, ...]] = field(default_factory=dict)

    def keep(self, points: set[UUID]) -> None:
        """Drop every other candidate, from the lists too."""
        self.rows = {point: row for point, row in self.rows.items() if point in points}
        self.lists = [lists.of(points) for lists in self.lists]


def tiers(store: VectorStore, plan: Plan) -> Iterator[Tier]:
    """Tiers in descending order of raw score, until the store has no more.

    A list grows while filters and dead points leave too few. Raises StoreError.
    """
    named = _named(plan)
    yielded: set[UUID] = set()
    known: set[UUID] = set()
    rows: dict[UUID, LiveChunk] = {}
    size = FIRST_SIZE
    while True:
        answer = _ask(store, plan, size)
        fresh = answer.points() - known
        known |= fresh
        rows |= _live(plan, fresh)
        tier = _tier(plan, answer, rows, named if not yielded else {}, yielded)
        last = answer.exhausted or size >= LAST_SIZE
        if len(tier.rows) >= ENOUGH or last:
            yielded |= tier.rows.keys()
            yield tier
        if last:
            return
        size *= GROWTH


@dataclass(slots=True)
class _Answer:
    """Raw lists of every query; `exhausted` where longer ones would bring nothing."""

    lists: list[Lists]
    cosines: dict[UUID, float]
    exhausted: bool

    def points(self) -> set[UUID]:
        return {point for lists in self.lists for point in (*lists.dense, *lists.lexical)}


def _ask(store: VectorStore, plan: Plan, size: int) -> _Answer:
    """One request per embedder for all queries."""
    dense: list[list[dict[UUID, float]]] = [[] for _ in plan.queries]
    lexical: list[dict[UUID, float]] = [{} for _ in plan.queries]
    cosines: dict[UUID, float] = {}
    exhausted = True
    for embedder, collections in plan.collections.items():
        asked = [_store_query(plan, query, embedder, size) for query in plan.queries]
        for index, hits in enumerate(store.search(collections, asked)):
            dense[index].append(dict(hits.dense))
            lexical[index].update(hits.lexical)
            _keep_highest(cosines, hits)
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


def _keep_highest(cosines: dict[UUID, float], hits: HybridHits) -> None:
    for point, score in hits.dense:
        if score > cosines.get(point, -1.0):
            cosines[point] = score


def _is_exhausted(plan: Plan, hits: HybridHits, size: int) -> bool:
    if plan.min_similarity is not None and hits.dense:
        # The dense list holds whatever is at least as similar as its last hit.
        return len(hits.dense) < size or hits.dense[-1].score < plan.min_similarity
    return len(hits.dense) < size and len(hits.lexical) < size


def _live(plan: Plan, points: set[UUID]) -> dict[UUID, LiveChunk]:
    if not points:
        return {}
    found = live_chunks(points=list(points), repositories=plan.repositories)
    return {row.point: row for row in found if _admits(plan, row)}


def _admits(plan: Plan, row: LiveChunk) -> bool:
    return plan.rows.admits(path=row.path, language=row.language, chunk_type=row.type)


def _named(plan: Plan) -> dict[UUID, tuple[LiveChunk, tuple[str, ...]]]:
    """Chunks that define a symbol which a query names: the store may rank them too low to see."""
    if plan.mode is not Mode.HYBRID:
        return {}
    names = {symbol.name for query in plan.queries for symbol in query.parsed.symbols}
    if not names:
        return {}
    found: dict[UUID, tuple[LiveChunk, tuple[str, ...]]] = {}
    for name, row in chunks_defining(names=sorted(names), repositories=plan.repositories):
        if _admits(plan, row):
            _, before = found.get(row.point, (row, ()))
            found[row.point] = (row, (*before, name))
    return found


def _tier(
    plan: Plan,
    answer: _Answer,
    rows: Mapping[UUID, LiveChunk],
    named: Mapping[UUID, tuple[LiveChunk, tuple[str, ...]]],
    yielded: set[UUID],
) -> Tier:
    fresh = {point: row for point, row in rows.items() if point not in yielded}
    fresh |= {point: row for point, (row, _) in named.items()}
    lists = []
    for query, raw in zip(plan.queries, answer.lists, strict=True):
        own = raw.of(fresh)
        asked = {symbol.name for symbol in query.parsed.symbols}
        for point, (_, names) in named.items():
            if asked.intersection(names) and point not in own.dense:
                own.lexical.setdefault(point, raw.lexical_floor)
        lists.append(own)
    return Tier(fresh, lists, answer.cosines, {point: names for point, (_, names) in named.items()})
