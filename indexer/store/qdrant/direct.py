"""A client's own access to one repository's collection in a Qdrant server.

Import it where it is used only: it loads gRPC.
"""

from collections.abc import Sequence
from typing import Final

from indexer.access import DirectAccess
from indexer.errors import ConfigurationError, StoreError
from indexer.records import EmbedderSpec
from indexer.store.base import Point
from indexer.store.qdrant.connection import Connection
from indexer.store.qdrant.url import QdrantAddress
from indexer.store.qdrant.writing import WORK_SECONDS, upsert

_PATIENCE_SECONDS: Final = 60.0


class DirectCollection:
    """Writes to the collection that central named. Connects on first use; threads may share it."""

    def __init__(
        self,
        access: DirectAccess,
        *,
        api_key: str | None,
        embedder: EmbedderSpec,
        repository: int,
    ) -> None:
        """`api_key` is used where `access` holds no token; `repository` is the key of its points.

        Raises ConfigurationError if the address is not valid.
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
            patience_seconds=_PATIENCE_SECONDS,
        )

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points, and return when they can be found. Idempotent.

        Raises StoreError (a vector of another length is one), StoreUnavailableError.
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
