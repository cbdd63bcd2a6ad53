"""Vector stores: dense vectors and BM25 term weights behind one protocol."""

from pathlib import Path

from indexer.errors import ConfigurationError
from indexer.store.base import VectorStore


def open_store(url: str) -> VectorStore:
    """The store at `url`: "edge:DIRECTORY" or "postgresql://…" (with the extension pgvector).

    Nothing is contacted, started or opened before the first use, so this may be called before a
    fork. Raises ConfigurationError for any other scheme.
    """
    scheme, _, rest = url.partition(":")
    match scheme:
        case "edge" if rest:
            from indexer.store.process import ProcessStore

            return ProcessStore(Path(rest))
        case "postgresql" | "postgres" if rest:
            from indexer.store.pgvector import PgVectorStore

            return PgVectorStore(url)
    message = (
        "The vector store's address must be edge:DIRECTORY or postgresql://USER@HOST/DATABASE, "
        f"and its scheme here is {scheme!r}."
    )
    raise ConfigurationError(message)
