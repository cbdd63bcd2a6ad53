"""Points of stored chunks in the vector store: deleted, and written from what PostgreSQL has."""

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeVar
from uuid import UUID

from central.corpus.backends import vector_store
from central.corpus.branches.tables import sql_of_both
from central.corpus.embeddings import stored_vectors, unpack_terms, unpack_vector
from central.corpus.models import Chunk, File
from central.corpus.rows import REPAIR_RUN
from central.db import fetch_rows
from central.repositories.models import Repository
from indexer.records.vectors import Vector
from indexer.store.base import Collection, Point, VectorStore

_Part = TypeVar("_Part")

_DELETIONS: Final = 256  # points a call
_WRITTEN: Final = 500  # points a call
_YIELD_SECONDS: Final = 0.0005  # lets a waiting request have the interpreter at once
_CHUNKS: Final = sql_of_both(
    "SELECT c.point, c.digest, c.terms, c.type, f.path, f.language FROM {schema}{chunk} c"
    " JOIN {schema}{file} f ON f.id = c.file_id WHERE c.point = ANY(%s::uuid[])",
    chunk=Chunk,
    file=File,
)


def slices(parts: Iterable[_Part], size: int) -> Iterator[list[_Part]]:
    """Split into lists of `size`."""
    rest = iter(parts)
    while part := list(islice(rest, size)):
        yield part


def delete_points(store: VectorStore, collection: Collection, points: Iterable[UUID]) -> None:
    """Delete points in slices. Raises StoreError."""
    for part in slices(points, _DELETIONS):
        store.delete(collection, part)
        time.sleep(_YIELD_SECONDS)


class StoredChunk(NamedTuple):
    """What a chunk's row has of its point; `vector` is packed, None if it is not stored."""

    point: UUID
    terms: bytes
    type: str
    path: str
    language: str
    vector: bytes | None

    def at(self, vector: "Vector | None" = None) -> Point | None:
        """Return the point, with this vector if none is stored; None without any."""
        if self.vector is not None:
            vector = unpack_vector(self.vector)
        if vector is None:
            return None
        return Point(
            id=self.point,
            run=REPAIR_RUN,
            path=self.path,
            language=self.language,
            type=self.type,
            vector=vector,
            terms=unpack_terms(self.terms),
        )


def stored_chunks(collection: Collection, points: Sequence[UUID]) -> list[StoredChunk]:
    """Read the chunks of a collection that name some of these points.

    The collection's key says whether they are of a default branch.
    """
    if not points:
        return []
    rows = fetch_rows(_CHUNKS[collection.repository < 0], [list(points)])
    vectors = stored_vectors(
        repositories=Repository.objects.filter(pk=abs(collection.repository)),
        embedder=str(collection.embedder),
        digests={digest for _, digest, *_ in rows},
    )
    return [
        StoredChunk(point, terms, kind, path, language, vectors.get(digest))
        for point, digest, terms, kind, path, language in rows
    ]


def write_stored_points(collection: Collection, points: Sequence[UUID]) -> None:
    """Write points that chunks of a collection name and whose vectors are stored.

    Raises StoreError.
    """
    for part in slices(points, _WRITTEN):
        made = [point for chunk in stored_chunks(collection, part) if (point := chunk.at())]
        if made:
            vector_store().upsert(collection, made)
        time.sleep(_YIELD_SECONDS)
