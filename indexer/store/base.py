"""The VectorStore protocol that every adapter fulfils (one contract suite tests them all).

A store is a derived index: PostgreSQL holds what is needed to rebuild it. It returns point ids
and scores only; a hit becomes a result through the live chunk row that names the point.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeGuard, runtime_checkable
from uuid import UUID

from indexer.records.vectors import DirectUploadGrant, EmbedderSpec, Matrix, TermVector, Vector


@dataclass(frozen=True, slots=True)
class Collection:
    """One repository's points under one embedder.

    The adapter decides where they lie physically (Edge: a shard per organisation and embedder;
    pgvector: an organisation's partition of the embedder's table; Qdrant: a collection per
    repository or organisation, and embedder), and always filters by `repository`.
    """

    organization: str
    project: str
    repository: int
    embedder: EmbedderSpec

    def __reduce__(self) -> "tuple[type[Collection], tuple[str, str, int, EmbedderSpec]]":
        """Ten thousand of them go to the store's process with a search; the usual way is slower."""
        return Collection, (self.organization, self.project, self.repository, self.embedder)


@dataclass(frozen=True, slots=True)
class Point:
    """A chunk in the store. `path` serves the path filter, `run` the reconcile."""

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
    and the file "src/auth", not "src/authors.py". `files` are paths of which a point has to have
    one.
    """

    languages: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    path: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HybridQuery:
    """One query: `vector` None leaves the dense half out, `terms` None the lexical half.

    So do a zero vector, which is near to nothing, and terms without ids. `terms.weights` are the
    query's side of BM25 (the inverse document frequencies); `limit` is the length of each list.
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
    """Raises StoreError: StoreUnavailableError where the store is away."""

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        """Insert or replace points; creates what is needed on first use. Idempotent."""
        ...

    def delete(self, collection: Collection, ids: Sequence[UUID]) -> None:
        """Remove points; ids that are not there are no error."""
        ...

    def drop(self, collection: Collection) -> None:
        """Remove every point of the collection."""
        ...

    def drop_organization(self, organization: str) -> None:
        """Remove all that was made for an organisation, which nobody writes to or searches now."""
        ...

    def search(
        self, collections: Sequence[Collection], queries: Sequence[HybridQuery]
    ) -> list[HybridHits]:
        """Answer several queries over several collections of one embedder, merged by raw score.

        A collection that does not exist yet is empty. Returns one HybridHits per query.
        """
        ...

    def vectors(self, collection: Collection, ids: Sequence[UUID]) -> dict[UUID, Vector]:
        """The dense vectors of those ids that exist."""
        ...

    def existing(self, collection: Collection, ids: Sequence[UUID]) -> set[UUID]:
        """Those of `ids` that exist."""
        ...

    def points(self, collection: Collection) -> Iterator[tuple[UUID, UUID]]:
        """(point id, run id) of every point, for the reconcile."""
        ...

    def optimize(self) -> None:
        """Compact and index what is stored; may block searches. Only with the service stopped."""
        ...

    def maintain(self) -> None:
        """Upkeep beside searches and writes, such as an index that is due; may take minutes."""
        ...

    def check(self) -> None:
        """Return when the store answers; raise StoreUnavailableError when it does not."""
        ...

    def close(self) -> None:
        """Flush and release files, locks and connections."""
        ...


@runtime_checkable
class DirectStore(VectorStore, Protocol):
    """A store that clients may write to themselves."""

    def check_direct_upload(self, *, own_secret: bool) -> None:
        """Raise DirectNotAvailableError where `grant` would for any collection; asks nobody."""
        ...

    def grant(self, collection: Collection, *, seconds: int, own_secret: bool) -> DirectUploadGrant:
        """Make the collection and say how a client writes to it, and to nothing else.

        With a token that ends after `seconds` or, with `own_secret`, none. Raises
        DirectNotAvailableError.
        """
        ...


def is_nonzero(vector: "Vector | None") -> TypeGuard[Vector]:
    """Whether a query's vector is near to anything: present and not zero."""
    return vector is not None and bool(vector.any())


def has_terms(terms: TermVector | None) -> TypeGuard[TermVector]:
    """Whether a query names any term."""
    return terms is not None and len(terms.ids) > 0


def top_hits(hits: Iterable[Hit], limit: int) -> list[Hit]:
    """The best `limit` of `hits` in the order that HybridHits promises."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]


def cosine(matrix: Matrix, vector: Vector) -> Vector:
    """Cosine of each row with `vector`; both are unit length or zero."""
    return matrix @ vector
