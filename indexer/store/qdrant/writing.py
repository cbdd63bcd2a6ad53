"""Writing points to one physical collection, by the service or by a client of its own."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from qdrant_client import QdrantClient, models

from indexer.store.base import Point
from indexer.store.qdrant.connection import Connection
from indexer.store.qdrant.points import stored_point

WORK_SECONDS: Final = 60  # of one request that no person waits for
# Some 0.6 MB at 256 dimensions, 2 MB at 1,536: below what proxies and REST (32 MB) let through.
_WRITE_BATCH: Final = 256

_Item = TypeVar("_Item")


def upsert(connection: Connection, name: str, repository: int, points: Sequence[Point]) -> None:
    """Insert or replace points and return when they can be found. Raises CollectionMissingError."""
    for batch in batches(points, _WRITE_BATCH):
        stored = [stored_point(repository, point) for point in batch]
        connection.call(partial(_upsert, name=name, points=stored))


def _upsert(client: QdrantClient, *, name: str, points: list[models.PointStruct]) -> None:
    client.upsert(name, points, wait=True)


def batches(items: Sequence[_Item], size: int) -> Iterator[Sequence[_Item]]:
    """Slices of at most `size`."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
