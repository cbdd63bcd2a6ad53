"""EdgeStore in a process of its own, so that its work and the caller's run side by side.

Every call into Edge holds the interpreter lock until it returns; in the web process a search would
stop all others, and an update every request.
"""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from indexer.errors import StoreUnavailableError
from indexer.records import Vector
from indexer.store.base import Collection, HybridHits, HybridQuery, Point
from indexer.store.process_channel import Reply
from indexer.store.process_packing import (
    pack_ids,
    pack_points,
    unpack_answers,
    unpack_ids,
    unpack_vectors,
)
from indexer.store.process_parent import ProcessGoneError, StoreProcess
from indexer.store.schema import READ_BATCH, WRITE_BATCH


class ProcessStore:
    """VectorStore in `directory`. The process starts on first use; safe to share between threads.

    If it dies, the calls under way raise StoreUnavailableError and the next starts another. After
    a fork only the parent may go on using it.
    """

    def __init__(self, directory: Path, *, lock_seconds: float = 10.0) -> None:
        """`lock_seconds`: how long to wait for a predecessor's lock before StoreLockedError."""
        self._directory = directory
        self._lock_seconds = lock_seconds
        self._process: StoreProcess | None = None
        self._starting = threading.Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The store process's id, while there is one."""
        process = self._process
        return process.pid if process else None

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        for start in range(0, len(points), WRITE_BATCH):
            packed = pack_points(points[start : start + WRITE_BATCH])
            self._call("upsert", collection, packed)

    def delete(self, collection: Collection, ids: Sequence[UUID]) -> None:
        for start in range(0, len(ids), WRITE_BATCH):
            self._call("delete", collection, pack_ids(ids[start : start + WRITE_BATCH]))

    def drop(self, collection: Collection) -> None:
        self.delete(collection, [point for point, _ in self.points(collection)])

    def drop_organization(self, organization: str) -> None:
        self._call("drop_organization", organization)

    def search(
        self, collections: Sequence[Collection], queries: Sequence[HybridQuery]
    ) -> list[HybridHits]:
        return unpack_answers(self._call("search", collections, queries))

    def vectors(self, collection: Collection, ids: Sequence[UUID]) -> dict[UUID, Vector]:
        found: dict[UUID, Vector] = {}
        for start in range(0, len(ids), READ_BATCH):
            packed = pack_ids(ids[start : start + READ_BATCH])
            found |= unpack_vectors(self._call("vectors", collection, packed))
        return found

    def existing(self, collection: Collection, ids: Sequence[UUID]) -> set[UUID]:
        found: set[UUID] = set()
        for start in range(0, len(ids), READ_BATCH):
            packed = pack_ids(ids[start : start + READ_BATCH])
            found.update(unpack_ids(self._call("existing", collection, packed)))
        return found

    def points(self, collection: Collection) -> Iterator[tuple[UUID, UUID]]:
        start: UUID | None = None
        while True:
            points, runs, start = self._call("page", collection, start)
            yield from zip(unpack_ids(points), unpack_ids(runs), strict=True)
            if start is None:
                return

    def optimize(self) -> None:
        """Compact every shard in the directory: every other call waits for it."""
        self._call("optimize")

    def maintain(self) -> None:
        """Nothing is due: see `optimize`."""

    def check(self) -> None:
        self._call("check")

    def close(self) -> None:
        with self._starting:
            self._closed = True
            process, self._process = self._process, None
        if process:
            try:
                _result(process.call("close"))
            except ProcessGoneError:
                pass  # nothing is lost: the shards' logs keep what was written
            finally:
                process.end()

    def _call(self, name: str, *arguments: object) -> Any:
        process = self._started()
        try:
            reply = process.call(name, *arguments)
        except ProcessGoneError as exc:
            self._retire(process)
            message = f"The process of the vector store in {self._directory} {exc}; try again."
            raise StoreUnavailableError(message) from exc
        except BaseException:
            self._retire(process)  # a channel with a reply under way must not serve another call
            raise
        return _result(reply)

    def _started(self) -> StoreProcess:
        with self._starting:
            if self._closed:
                message = f"The vector store in {self._directory} has been closed."
                raise StoreUnavailableError(message)
            if self._process is None:
                self._process = StoreProcess(self._directory, lock_seconds=self._lock_seconds)
            return self._process

    def _retire(self, process: StoreProcess) -> None:
        with self._starting:
            if self._process is not process:
                return  # another thread does it
            self._process = None
        process.end()


def _result(reply: Reply) -> Any:
    if reply.error is not None:
        raise reply.error
    return reply.result
