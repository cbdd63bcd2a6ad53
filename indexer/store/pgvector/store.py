"""PostgreSQL with pgvector: the store that many processes share.

Dense: exact for few points, else an index over half-precision vectors, scanned until enough points
pass the filter.
Lexical: a sparse vector of term weights, and an index over the term ids for the candidates.
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
from indexer.records.vectors import EmbedderSpec, Vector
from indexer.store.base import Collection, HybridHits, HybridQuery, Point, batches, best_hits
from indexer.store.pgvector import maintenance, statements
from indexer.store.pgvector.search import Scope, search_pipeline
from indexer.store.pgvector.statements import (
    divide_plain_tables,
    drop_partitions,
    exists,
    make_partition,
    table,
)
from indexer.store.schema import organization_key

_TIMEOUT_SECONDS = 3
_POOL_SIZE = 8


@contextmanager
def postgres_errors() -> Iterator[None]:
    """Translate errors of psycopg and its pool (whose errors are OperationalErrors)."""
    try:
        yield
    except psycopg.errors.DiskFull as exc:
        message = "PostgreSQL's disk is full: free some space and try again."
        raise StoreFullError(message) from exc
    except psycopg.errors.QueryCanceled as exc:
        message = "PostgreSQL took too long over a search and gave it up: narrow it, or try again."
        raise StoreUnavailableError(message) from exc
    except psycopg.OperationalError as exc:
        message = f"PostgreSQL does not answer; check that it runs and its address. ({exc})"
        raise StoreUnavailableError(message) from exc
    except psycopg.Error as exc:
        message = f"PostgreSQL refused what the vector store asked for: {exc}"
        raise StoreError(message) from exc


class Connections:
    """A pool of connections to `dsn`, opened on first use; safe to share between threads."""

    def __init__(self, dsn: str) -> None:
        self._pool = ConnectionPool(
            dsn,
            min_size=0,
            max_size=_POOL_SIZE,
            open=False,
            timeout=_TIMEOUT_SECONDS,
            reconnect_timeout=_TIMEOUT_SECONDS,
            # One generic plan for all parameters is rarely good.
            kwargs={"connect_timeout": _TIMEOUT_SECONDS, "prepare_threshold": None},
            check=ConnectionPool.check_connection,
            name="vector-store",
        )

    @contextmanager
    def transaction(self) -> Iterator[psycopg.Connection]:
        """Yield a connection in a transaction. Raises StoreError."""
        with postgres_errors():
            self._pool.open()  # does nothing when it is open
            with self._pool.connection() as connection:
                yield connection

    @contextmanager
    def session(self) -> Iterator[psycopg.Connection]:
        """Yield an autocommit connection outside the pool. Raises StoreError."""
        with self.transaction() as connection:
            connection.autocommit = True
            try:
                yield connection
            finally:
                if not connection.closed:
                    connection.execute("RESET ALL")
                    connection.autocommit = False

    def close(self) -> None:
        """Close the pool permanently."""
        self._pool.close()


_WRITE_BATCH = 1000
_READ_BATCH = 10_000
# Exact comparison of so many points takes about 10 ms; an index saves little.
_EXACT_POINTS = 10_000
_SEARCH_SECONDS = 20.0


class PgVectorStore:
    """VectorStore in the database `dsn`. Connects on first use; safe to share between threads.

    An organisation of more than `exact_points` gets a vector index. A search that takes longer than
    `search_seconds` raises StoreUnavailableError.
    """

    def __init__(
        self,
        dsn: str,
        *,
        exact_points: int = _EXACT_POINTS,
        search_seconds: float = _SEARCH_SECONDS,
    ) -> None:
        self._exact_points = exact_points
        self._search_seconds = search_seconds
        self._connections = Connections(dsn)
        self._tables: set[EmbedderSpec] = set()  # embedders whose tables exist
        self._partitions: set[tuple[EmbedderSpec, str]] = set()  # partitions that exist

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        organization_key(collection.organization)
        self._make(collection)
        for batch in batches(points, _WRITE_BATCH):
            try:
                self._write(collection, batch)
            except StoreError as exc:
                if not isinstance(exc.__cause__, psycopg.errors.CheckViolation):
                    raise
                # Another process dropped the partition of an organisation that exists again.
                self._partitions.discard((collection.embedder, collection.organization))
                self._make(collection)
                self._write(collection, batch)

    def delete(self, collection: Collection, ids: Sequence[UUID]) -> None:
        self._delete(collection, list(ids))

    def drop(self, collection: Collection) -> None:
        self._delete(collection, None)

    def drop_organization(self, organization: str) -> None:
        with self._connections.transaction() as connection:
            drop_partitions(connection, organization)
        self._partitions = {key for key in self._partitions if key[1] != organization}

    def search(
        self, collections: Sequence[Collection], queries: Sequence[HybridQuery]
    ) -> list[HybridHits]:
        answers = []
        for (organization, embedder), repositories in _scopes(collections).items():
            if not self._exists(embedder):
                continue
            with (
                self._connections.transaction() as connection,
                search_pipeline(connection, seconds=self._search_seconds),
            ):
                scope = Scope(
                    connection,
                    embedder,
                    organization,
                    repositories,
                    filters={query.filter for query in queries},
                    exact_points=self._exact_points,
                )
                sent = [(scope.dense(query), scope.lexical(query)) for query in queries]
                answers.append([HybridHits(dense(), lexical()) for dense, lexical in sent])
        return best_hits(queries, answers)

    def vectors(self, collection: Collection, ids: Sequence[UUID]) -> dict[UUID, Vector]:
        rows = self._select("id, vector::real[]", collection, list(ids))
        return {point: np.array(vector, dtype=np.float32) for point, vector in rows}

    def existing(self, collection: Collection, ids: Sequence[UUID]) -> set[UUID]:
        return {point for (point,) in self._select("id", collection, list(ids))}

    def points(self, collection: Collection) -> Iterator[tuple[UUID, UUID]]:
        yield from self._select("id, run", collection, None)

    def optimize(self) -> None:
        with self._connections.session() as connection:
            maintenance.vacuum(connection)
        self.maintain()

    def maintain(self) -> None:
        """Index partitions too large for exact comparison; analyse and vacuum changed ones."""
        with self._connections.transaction() as connection:
            divide_plain_tables(connection)
        with self._connections.session() as connection:
            maintenance.run(connection, exact_points=self._exact_points)

    def check(self) -> None:
        with self._connections.transaction() as connection:
            connection.execute("SELECT 1")

    def close(self) -> None:
        self._connections.close()

    def _write(self, collection: Collection, points: Sequence[Point]) -> None:
        with self._connections.transaction() as connection:
            _upsert(connection, collection, points)

    def _make(self, collection: Collection) -> None:
        """Create the collection's table and partition."""
        key = (collection.embedder, collection.organization)
        if key not in self._partitions:
            with self._connections.transaction() as connection:
                make_partition(connection, *key)
            self._partitions.add(key)
            self._tables.add(collection.embedder)

    def _exists(self, embedder: EmbedderSpec) -> bool:
        if embedder not in self._tables:
            with self._connections.transaction() as connection:
                if not exists(connection, table(embedder)):
                    return False
            self._tables.add(embedder)
        return True

    def _delete(self, collection: Collection, ids: list[UUID] | None) -> None:
        if self._exists(collection.embedder):
            with self._connections.transaction() as connection:
                connection.execute(
                    statements.delete(collection.embedder), _parameters(collection, ids)
                )

    def _select(
        self, what: str, collection: Collection, ids: list[UUID] | None
    ) -> Iterator[tuple[Any, ...]]:
        if not self._exists(collection.embedder):
            return
        statement = statements.select(what, collection.embedder)
        with self._connections.transaction() as connection, connection.cursor("points") as cursor:
            cursor.itersize = _READ_BATCH
            yield from cursor.execute(statement, _parameters(collection, ids))


def _upsert(
    connection: psycopg.Connection, collection: Collection, points: Sequence[Point]
) -> None:
    connection.execute(statements.stage_sql(collection.embedder))
    with connection.cursor() as cursor, cursor.copy(statements.COPY) as copy:
        copy.set_types(statements.COPY_TYPES)
        for point in points:
            copy.write_row(statements.row(collection, point))
    connection.execute(statements.merge_sql(collection.embedder))


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
