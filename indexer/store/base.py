"""The VectorStore protocol that every adapter implements; one contract suite tests them all.

A store is a derived index: PostgreSQL holds what is needed to rebuild it. It returns point ids
and scores only; a hit becomes a result through the live chunk row that holds the point's id.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, Protocol, TypeGuard, TypeVar, runtime_checkable
from uuid import UUID

from indexer.records.vectors import DirectUploadGrant, EmbedderSpec, Matrix, TermVector, Vector

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Collection:
    """One repository's points under one embedder.

    The adapter decides where they are stored (Edge: a shard per organisation and embedder;
    pgvector: an organisation's partition of the embedder's table; Qdrant: a collection per
    repository or organisation, and embedder), and always filters by `repository`.
    """

    organization: str
    project: str
    repository: int
    embedder: EmbedderSpec

    def __reduce__(self) -> "tuple[type[Collection], tuple[str, str, int, EmbedderSpec]]":
        """Pickle compactly: a search sends up to 10,000 collections to the store's process."""
        return Collection, (self.organization, self.project, self.repository, self.embedder)


@dataclass(frozen=True, slots=True)
class Point:
    """A chunk in the store. The path filter uses `path`, reconciliation uses `run`."""

    id: UUID
    run: UUID
    path: str
    language: str
    type: str
    vector: Vector
    terms: TermVector


class Hit(NamedTuple):
    """A point and its raw score: cosine (dense) or weighted term sum (lexical)."""

    id: UUID
    score: float


@dataclass(frozen=True, slots=True)
class PointFilter:
    """Restrictions that a store applies while it searches; empty means no restriction.

    `path` is a prefix that ends at a component boundary: "src/auth" matches "src/auth/login.py"
    and the file "src/auth", not "src/authors.py". A point's path must be one of `files`.
    """

    languages: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    path: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HybridQuery:
    """One query: `vector` None omits dense retrieval, `terms` None omits lexical retrieval.

    So do a zero vector and terms without ids. `terms.weights` are the query's BM25 weights
    (inverse document frequencies); `limit` is the maximum length of each list.
    """

    vector: "Vector | None"
    terms: TermVector | None
    limit: int
    filter: PointFilter = PointFilter()


class HybridHits(NamedTuple):
    """Both raw lists, each in descending order of score; ties in ascending order of id.

    A lexical hit shares at least one term with the query; a dense hit may have any score.
    """

    dense: list[Hit]
    lexical: list[Hit]


class VectorStore(Protocol):
    """A vector store. Methods raise StoreError; StoreUnavailableError if it is unavailable."""

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        """Insert or replace points; create the collection on first use. Idempotent."""
        ...

    def delete(self, collection: Collection, ids: Sequence[UUID]) -> None:
        """Remove points; unknown ids are ignored."""
        ...

    def drop(self, collection: Collection) -> None:
        """Remove every point of the collection."""
        ...

    def drop_organization(self, organization: str) -> None:
        """Remove an organisation's data. No writes or searches of it may be running."""
        ...

    def search(
        self, collections: Sequence[Collection], queries: Sequence[HybridQuery]
    ) -> list[HybridHits]:
        """Answer several queries over several collections of one embedder, merged by raw score.

        A collection that does not exist yet is empty. Returns one HybridHits per query.
        """
        ...

    def vectors(self, collection: Collection, ids: Sequence[UUID]) -> dict[UUID, Vector]:
        """Return the dense vectors of those ids that exist."""
        ...

    def existing(self, collection: Collection, ids: Sequence[UUID]) -> set[UUID]:
        """Return those of `ids` that exist."""
        ...

    def points(self, collection: Collection) -> Iterator[tuple[UUID, UUID]]:
        """Yield (point id, run id) of every point, for reconciliation."""
        ...

    def optimize(self) -> None:
        """Compact and index the store; may block searches. Only with the service stopped."""
        ...

    def maintain(self) -> None:
        """Run maintenance during searches and writes, such as index builds; may take minutes."""
        ...

    def check(self) -> None:
        """Probe the store. Raises StoreUnavailableError if it does not answer."""
        ...

    def close(self) -> None:
        """Flush and release files, locks and connections."""
        ...


@runtime_checkable
class DirectStore(VectorStore, Protocol):
    """A store that clients may write to directly."""

    def check_direct_upload(self, *, has_store_secret: bool) -> None:
        """Raise DirectNotAvailableError if `grant` always would; makes no request."""
        ...

    def grant(
        self, collection: Collection, *, seconds: int, has_store_secret: bool
    ) -> DirectUploadGrant:
        """Create the collection and return a client's write access to it alone.

        The grant has a token that expires after `seconds` or, with `has_store_secret`, none. Raises
        DirectNotAvailableError.
        """
        ...


def is_nonzero(vector: "Vector | None") -> TypeGuard[Vector]:
    """Whether a query has a vector that is not zero."""
    return vector is not None and any(vector)


def has_terms(terms: TermVector | None) -> TypeGuard[TermVector]:
    """Whether a query has any term."""
    return terms is not None and len(terms.ids) > 0


def top_hits(hits: Iterable[Hit], limit: int) -> list[Hit]:
    """Return the best `limit` of `hits` in the order of HybridHits."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]


def best_hits(
    queries: Sequence[HybridQuery], answers: Sequence[Sequence[HybridHits]]
) -> list[HybridHits]:
    """Merge the lists of each query; each answer has one pair of lists a query."""
    return [
        HybridHits(
            top_hits(chain.from_iterable(hits.dense for hits in found), query.limit),
            top_hits(chain.from_iterable(hits.lexical for hits in found), query.limit),
        )
        for query, *found in zip(queries, *answers, strict=True)
    ]


def batches(values: Sequence[_Value], size: int) -> Iterator[Sequence[_Value]]:
    """Split `values` into slices of at most `size`."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def cosine(matrix: Matrix, vector: Vector) -> Vector:
    """Return the cosine of each row with `vector`; both are unit length or zero."""
    return matrix @ vector
