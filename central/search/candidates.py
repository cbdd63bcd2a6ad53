"""Candidates besides the store's hits: symbols, and the similarity of what was found by words."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from central.search.filters import RowFilter
from central.search.query import ParsedQuery, folded, name_parts
from central.search.retrieval import Asked, Lists, Tier, keep_highest
from central.search.rows import LiveChunk, chunks_defining_like
from indexer.store.base import Collection, VectorStore

_PREFIX = 0.6
_PARTS = 0.4


def symbol_tier(queries: Sequence[Asked], *, repositories: Sequence[int], rows: RowFilter) -> Tier:
    """The one tier of a symbol search: chunks whose symbols match, by how well they do."""
    tier = Tier(rows={}, lists=[], cosines={})
    for query in queries:
        lists = Lists()
        for name in _names(query.parsed):
            for symbol, row in _found(name, repositories, rows):
                tier.rows[row.id] = row
                tier.defines[row.id] = (*tier.defines.get(row.id, ()), symbol)
                keep_highest(lists.lexical, {row.id: _closeness(symbol, name)})
        tier.lists.append(lists)
    return tier


def _names(parsed: ParsedQuery) -> list[str]:
    """The identifiers in a query; without any, its words as the parts of one."""
    return [symbol.name for symbol in parsed.symbols] or [" ".join(parsed.words)]


def _found(name: str, repositories: Sequence[int], rows: RowFilter) -> list[tuple[str, LiveChunk]]:
    parts = name_parts(name) if " " not in name else tuple(name.split())
    if not parts:
        return []
    found = chunks_defining_like(name=name, parts=parts, repositories=repositories, rows=rows)
    return [
        (symbol, row)
        for symbol, row in found
        if rows.admits(path=row.path, language=row.language, chunk_type=row.type)
    ]


def _closeness(symbol: str, name: str) -> float:
    """1.0 for the same name, less for another spelling, a prefix, and shared parts."""
    if symbol == name:
        return 1.0
    if symbol.lower() == name.lower():
        return 0.9
    own, asked = folded(symbol), folded(name.replace(" ", ""))
    if own == asked:
        return 0.85
    return (_PREFIX if own.startswith(asked) else _PARTS) * len(asked) / max(len(own), 1)


def missing_cosines(
    store: VectorStore,
    rows: Iterable[LiveChunk],
    *,
    queries: Sequence[Asked],
    collections: Mapping[int, Collection],
) -> dict[int, float]:
    """Chunk id → the highest cosine with any of `queries`; none where there is no vector.

    `collections` by repository. Raises StoreError.
    """
    chunks: dict[int, dict[UUID, int]] = {}
    for row in rows:
        chunks.setdefault(row.repository, {})[row.point] = row.id
    cosines: dict[int, float] = {}
    for repository, wanted in chunks.items():
        collection = collections[repository]
        asked = [
            query.vectors[collection.embedder]
            for query in queries
            if collection.embedder in query.vectors
        ]
        if asked:
            for point, vector in store.vectors(collection, list(wanted)).items():
                cosines[wanted[point]] = max(float(vector @ other) for other in asked)
    return cosines


def clipped(cosine: float | None) -> float | None:
    """A cosine as it is shown: 0.0-1.0."""
    return None if cosine is None else round(max(0.0, min(1.0, cosine)), 4)
