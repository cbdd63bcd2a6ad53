"""The process's vector store and embedders, opened on first use and closed at exit.

An Edge shard belongs to one process and a model takes a quarter of a second to load, so both are
kept. A repository's points lie in the collection of the embedder that it was indexed with.
"""

import atexit
import threading
from functools import cache

from django.conf import settings

from central.repositories.models import Repository
from indexer.embedding import open_embedder
from indexer.embedding.base import Embedder
from indexer.records.vectors import EmbedderConfig, EmbedderSpec
from indexer.store import open_store
from indexer.store.base import Collection, VectorStore

_lock = threading.Lock()  # functools.cache alone may run an opener twice


def vector_store() -> VectorStore:
    """Return the one store of this process. Raises StoreLockedError, StoreUnavailableError."""
    with _lock:
        return _open_store()


def is_store_embedded() -> bool:
    """Whether the store belongs to one process, which other processes must ask."""
    return settings.VECTOR_STORE_URL.startswith("edge:")


def embedder(spec: EmbedderSpec) -> Embedder:
    """Return the embedder for `spec`. Raises EmbeddingError if it is not available here."""
    with _lock:
        return _open_embedder(spec, settings.EMBEDDER_ACCESS)


def collection_of(
    repository: Repository, embedder: str | None = None, *, of_others: bool = False
) -> Collection:
    """Return the collection of the repository's points under `embedder` (EmbedderSpec as text).

    Without it: under the embedder that the repository is indexed with or, before its first run,
    the organisation's. `of_others`: of the chunks that only branches beside the default one have.
    Reads `repository.organization`: select it with the repository.
    """
    organization = repository.organization
    spec = embedder or repository.embedder or organization.embedder
    return Collection(
        organization=organization.slug,
        project=repository.name,
        repository=others_key(repository.pk) if of_others else repository.pk,
        embedder=EmbedderSpec.parse(spec),
    )


def others_key(repository_id: int) -> int:
    """Return the key, in the vector store, of what a repository's default branch lacks."""
    return -repository_id


def close() -> None:
    """Close the store if it is open; the next use opens it again."""
    with _lock:
        if _open_store.cache_info().currsize:
            _open_store().close()
            _open_store.cache_clear()


@cache
def _open_store() -> VectorStore:
    url = settings.VECTOR_STORE_URL
    store = open_store(
        settings.DATABASE_URL if url == "postgresql:" else url,
        api_key=settings.QDRANT_API_KEY,
        public_url=settings.QDRANT_PUBLIC_URL,
    )
    atexit.register(close)
    return store


@cache
def _open_embedder(spec: EmbedderSpec, access: EmbedderConfig) -> Embedder:
    return open_embedder(spec, access)
