"""The pgvector store's connections, and the translation of its driver's errors."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg_pool import ConnectionPool

from indexer.errors import StoreError, StoreFullError, StoreUnavailableError

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
