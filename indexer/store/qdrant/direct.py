"""Direct upload: points that a client writes to its repository's collection."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from qdrant_client import QdrantClient, models

from indexer.errors import ConfigurationError, StoreError
from indexer.records.vectors import DirectUploadGrant, EmbedderSpec
from indexer.store.base import Point, batches
from indexer.store.qdrant.address import QdrantAddress
from indexer.store.qdrant.connection import Connection
from indexer.store.qdrant.points import stored_point

_RETRY_SECONDS: Final = 60.0


class DirectCollection:
    """A client for the collection that central granted. Connects on first use; thread-safe."""

    def __init__(
        self,
        access: DirectUploadGrant,
        *,
        api_key: str | None,
        embedder: EmbedderSpec,
        repository: int,
    ) -> None:
        """Set the grant and the key, which is used if `access` holds no token.

        `repository` is the key of its points. Raises ConfigurationError if the address is invalid.
        """
        self._collection = access.collection
        self._embedder = embedder
        self._repository = repository
        if access.token is None and not api_key:
            message = (
                "Central gave no token for Qdrant, because this run was opened with a secret of "
                "its own: set QDRANT_API_KEY, or AETERNA_VECTORS=relay."
            )
            raise ConfigurationError(message)
        self._connection = Connection(
            QdrantAddress.parse(access.url),
            api_key=access.token or api_key,
            timeout_seconds=WORK_SECONDS,
            retry_seconds=_RETRY_SECONDS,
        )

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points and return once they are searchable. Idempotent.

        Raises StoreError, also for a vector of another length, and StoreUnavailableError.
        """
        for point in points:
            if point.vector.shape != (self._embedder.dimensions,):
                message = (
                    f"A vector has {len(point.vector)} dimensions, and {self._embedder} has "
                    f"{self._embedder.dimensions}: nothing was written."
                )
                raise StoreError(message)
        upsert(self._connection, self._collection, self._repository, points)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


WORK_SECONDS: Final = 60  # of one background request
# About 0.6 MB at 256 dimensions, 2 MB at 1,536: below the limits of proxies and REST (32 MB).
_WRITE_BATCH: Final = 256


def upsert(connection: Connection, name: str, repository: int, points: Sequence[Point]) -> None:
    """Insert or replace points; returns once searchable. Raises CollectionMissingError."""
    for batch in batches(points, _WRITE_BATCH):
        stored = [stored_point(repository, point) for point in batch]
        connection.call(partial(_upsert, name=name, points=stored))


def _upsert(client: QdrantClient, *, name: str, points: list[models.PointStruct]) -> None:
    client.upsert(name, points, wait=True)
