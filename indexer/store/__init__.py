"""Vector stores: dense vectors and BM25 term weights behind one protocol."""

from pathlib import Path

from indexer.errors import ConfigurationError
from indexer.store.base import VectorStore
from indexer.store.qdrant.address import SCHEMES as QDRANT_SCHEMES
from indexer.store.qdrant.address import QdrantAddress

_POSTGRES = ("postgresql", "postgres")


def open_store(
    url: str, *, api_key: str | None = None, public_url: str | None = None
) -> VectorStore:
    """Return the store at `url`: "edge:DIRECTORY", "postgresql://…" (pgvector) or "qdrant://…".

    `api_key` is Qdrant's key, `public_url` Qdrant's address for clients with direct upload. Nothing
    is contacted, started or opened before the first use, so this may be called before a fork.
    Raises ConfigurationError for an unknown scheme or an invalid address.
    """
    check_address(url)
    scheme, _, rest = url.partition(":")
    match scheme:
        case "edge":
            from indexer.store.edge.client import EdgeClient

            return EdgeClient(Path(rest))
        case "qdrant" | "qdrants":
            from indexer.store.qdrant.store import QdrantStore

            public = QdrantAddress.parse(public_url) if public_url else None
            return QdrantStore(QdrantAddress.parse(url), api_key=api_key, public=public)
    from indexer.store.pgvector.store import PgVectorStore

    return PgVectorStore(url)


def check_address(url: str) -> None:
    """Check a store's address without loading the store. Raises ConfigurationError."""
    scheme, _, rest = url.partition(":")
    if scheme in QDRANT_SCHEMES:
        QdrantAddress.parse(url)
    elif scheme in _POSTGRES and rest:
        _check_postgres(url)
    elif scheme != "edge" or not rest:
        message = (
            "The vector store's address must be edge:DIRECTORY, "
            "postgresql://USER@HOST/DATABASE or qdrant://HOST:6334, "
            f"and its scheme here is {scheme!r}."
        )
        raise ConfigurationError(message)


def _check_postgres(url: str) -> None:
    """Check the address here: the driver would log an invalid one, including its password."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(url)
    except ProgrammingError:
        message = (
            "The vector store's address begins as PostgreSQL's does and cannot be read. Write "
            "postgresql://USER@HOST/DATABASE, and special characters of a password as %XX."
        )
        raise ConfigurationError(message) from None
