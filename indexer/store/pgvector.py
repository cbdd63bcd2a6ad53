"""PostgreSQL with pgvector: the store that many processes share.

Dense: exact where few points may be searched, else by an HNSW index over half-precision vectors,
scanned on until the filter has left enough.
Lexical: a sparse vector of term weights, and a GIN index over the term ids for the candidates.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from psycopg_pool import ConnectionPool

from indexer.errors import StoreError, StoreFullError, StoreUnavailableError
from indexer.records import EmbedderSpec, TermVector, Vector
from indexer.store import pgvector_sql as statements
from indexer.store.base import (
    Collection,
    Hit,
    HybridHits,
    HybridQuery,
    Point,
    PointFilter,
    has_direction,
    has_terms,
    ranked,
)
from indexer.store.schema import MAX_TERM_WEIGHT, organization_key

_TIMEOUT_SECONDS = 3
_POOL_SIZE = 8
_WRITE_BATCH = 1000
_READ_BATCH = 10_000
_RARE_ENOUGH = 0.5
# So many are compared one by one in some 7 ms; the index then saves little and loses recall,
# most of all where many chunks are alike.
_EXACT_POINTS = 10_000


@contextmanager
def postgres_errors() -> Iterator[None]:
    """Translate what psycopg and its pool (whose errors are OperationalErrors) raise."""
    try:
        yield
    except psycopg.errors.DiskFull as exc:
        message = "PostgreSQL's disk is full: free some space and try again."
        raise StoreFullError(message) from exc
    except psycopg.OperationalError as exc:
        message = f"PostgreSQL does not answer; check that it runs and its address. ({exc})"
        raise StoreUnavailableError(message) from exc
    except psycopg.Error as exc:
        message = f"PostgreSQL refused what the vector store asked for: {exc}"
        raise StoreError(message) from exc


class PgVectorStore:
    """VectorStore in the database `dsn`. Connects on first use; safe to share between threads."""

    def __init__(self, dsn: str) -> None:
        self._pool = ConnectionPool(
            dsn,
            min_size=0,
            max_size=_POOL_SIZE,
            open=False,
            timeout=_TIMEOUT_SECONDS,
            reconnect_timeout=_TIMEOUT_SECONDS,
            kwargs={"connect_timeout": _TIMEOUT_SECONDS},
            check=ConnectionPool.check_connection,
            name="vector-store",
        )
        self._known: set[EmbedderSpec] = set()  # embedders whose tables are there

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        organization_key(collection.organization)
        if collection.embedder not in self._known:
            with self._transaction() as connection:
                connection.execute(statements.create(collection.embedder))
            self._known.add(collection.embedder)
        for start in range(0, len(points), _WRITE_BATCH):
            with self._transaction() as connection:
                _upsert(connection, collection, points[start : start + _WRITE_BATCH])

    def delete(self, collection: Collection, ids: Sequence[UUID]) -> None:
        self._delete(collection, list(ids))

    def drop(self, collection: Collection) -> None:
        self._delete(collection, None)

    def search(
        self, collections: Sequence[Collection], queries: Sequence[HybridQuery]
    ) -> list[HybridHits]:
        found = [HybridHits([], []) for _ in queries]
        for (organization, embedder), repositories in _scopes(collections).items():
            if not self._exists(embedder):
                continue
            with self._transaction() as connection:
                connection.execute(statements.ITERATIVE_SCAN)
                scope = _Scope(connection, embedder, organization, repositories)
                for hits, query in zip(found, queries, strict=True):
                    hits.dense.extend(scope.dense(query))
                    hits.lexical.extend(scope.lexical(query))
        return [
            HybridHits(ranked(hits.dense, query.limit), ranked(hits.lexical, query.limit))
            for hits, query in zip(found, queries, strict=True)
        ]

    def vectors(self, collection: Collection, ids: Sequence[UUID]) -> dict[UUID, Vector]:
        rows = self._select("id, vector::real[]", collection, list(ids))
        return {point: np.array(vector, dtype=np.float32) for point, vector in rows}

    def existing(self, collection: Collection, ids: Sequence[UUID]) -> set[UUID]:
        return {point for (point,) in self._select("id", collection, list(ids))}

    def points(self, collection: Collection) -> Iterator[tuple[UUID, UUID]]:
        yield from self._select("id, run", collection, None)

    def optimize(self) -> None:
        """Drop dead rows and refresh the planner's statistics."""
        with self._transaction() as connection:
            tables = connection.execute(statements.TABLES).fetchall()
            connection.commit()
            connection.autocommit = True  # VACUUM refuses to run in a transaction
            try:
                for (name,) in tables:
                    connection.execute(statements.vacuum(name))
            finally:
                connection.autocommit = False

    def maintain(self) -> None:
        """Nothing is due: see `optimize`."""

    def check(self) -> None:
        with self._transaction() as connection:
            connection.execute("SELECT 1")

    def close(self) -> None:
        self._pool.close()

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Connection]:
        with postgres_errors():
            self._pool.open()  # does nothing when it is open
            with self._pool.connection() as connection:
                yield connection

    def _exists(self, embedder: EmbedderSpec) -> bool:
        if embedder in self._known:
            return True
        name = statements.table(embedder)
        with self._transaction() as connection:
            row = connection.execute(statements.EXISTS, [name.as_string(connection)]).fetchone()
        if row == (True,):
            self._known.add(embedder)
        return embedder in self._known

    def _delete(self, collection: Collection, ids: list[UUID] | None) -> None:
        if self._exists(collection.embedder):
            with self._transaction() as connection:
                connection.execute(
                    statements.delete(collection.embedder), _parameters(collection, ids)
                )

    def _select(
        self, what: str, collection: Collection, ids: list[UUID] | None
    ) -> Iterator[tuple[Any, ...]]:
        if not self._exists(collection.embedder):
            return
        statement = statements.select(what, collection.embedder)
        with self._transaction() as connection, connection.cursor("points") as cursor:
            cursor.itersize = _READ_BATCH
            yield from cursor.execute(statement, _parameters(collection, ids))


class _Scope:
    """The repositories of one organisation that may be searched, in one transaction."""

    def __init__(
        self,
        connection: psycopg.Connection,
        embedder: EmbedderSpec,
        organization: str,
        repositories: list[int],
    ) -> None:
        self._connection = connection
        self._embedder = embedder
        self._allowed = {"organization": organization, "repositories": repositories}
        [counted] = connection.execute(
            statements.count(embedder), {**self._allowed, "limit": _EXACT_POINTS + 1}
        )
        self._few = counted[0] <= _EXACT_POINTS

    def dense(self, query: HybridQuery) -> list[Hit]:
        if not has_direction(query.vector):
            return []
        rows = self._connection.execute(
            statements.dense(self._embedder, query.filter, exact=self._few),
            {
                **self._parameters(query.filter, query.limit),
                "vector": statements.vector_text(query.vector),
            },
        )
        return [Hit(*row) for row in rows]

    def lexical(self, query: HybridQuery) -> list[Hit]:
        """Exact, and mostly without reading the points that hold nothing but common words.

        First only points that hold a heavy term are scored. Then a point with light terms alone
        could have at most their weights times MAX_TERM_WEIGHT: only if that would still place
        are all candidates scored (the idea of MaxScore, Turtle & Flood 1995).
        """
        if not has_terms(query.terms):
            return []
        heavy, light = _split(query.terms)
        hits = self._score(query, [*heavy, *light], candidates=heavy)
        bound = MAX_TERM_WEIGHT * sum(weight for _, weight in light)
        if light and (len(hits) < query.limit or hits[-1].score <= bound):
            hits = self._score(query, [*heavy, *light], candidates=[*heavy, *light])
        return hits

    def _score(
        self,
        query: HybridQuery,
        terms: statements.TermWeights,
        *,
        candidates: statements.TermWeights,
    ) -> list[Hit]:
        rows = self._connection.execute(
            statements.lexical(self._embedder, query.filter),
            {
                **self._parameters(query.filter, query.limit),
                "terms": statements.terms_text(sorted(terms)),
                "candidates": [term for term, _ in candidates],
            },
        )
        return [Hit(*row) for row in rows]

    def _parameters(self, wanted: PointFilter, limit: int) -> dict[str, object]:
        return {**self._allowed, **statements.filter_parameters(wanted), "limit": limit}


def _split(terms: TermVector) -> tuple[statements.TermWeights, statements.TermWeights]:
    """The query's terms of at least half the greatest weight, and the others."""
    weighted = list(zip(terms.ids.tolist(), terms.weights.tolist(), strict=True))
    least = _RARE_ENOUGH * max(weight for _, weight in weighted)
    return (
        [pair for pair in weighted if pair[1] >= least],
        [pair for pair in weighted if pair[1] < least],
    )


def _upsert(
    connection: psycopg.Connection, collection: Collection, points: Sequence[Point]
) -> None:
    connection.execute(statements.stage(collection.embedder))
    with connection.cursor() as cursor, cursor.copy(statements.COPY) as copy:
        copy.set_types(statements.COPY_TYPES)
        for point in points:
            copy.write_row(statements.row(collection, point))
    connection.execute(statements.merge(collection.embedder))


def _scopes(collections: Sequence[Collection]) -> dict[tuple[str, EmbedderSpec], list[int]]:
    scopes: dict[tuple[str, EmbedderSpec], list[int]] = defaultdict(list)
    for collection in collections:
        scopes[collection.organization, collection.embedder].append(collection.repository)
    return scopes


def _parameters(collection: Collection, ids: list[UUID] | None) -> dict[str, object]:
    return {
        "organization": collection.organization,
        "repository": collection.repository,
        "ids": ids,
    }
