"""The parent's side of the store process."""

import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import numpy as np

from indexer.errors import StoreUnavailableError
from indexer.records.vectors import Vector
from indexer.store.base import Collection, HybridHits, HybridQuery, Point, batches
from indexer.store.edge.channel import Channel, Reply, encode
from indexer.store.edge.packing import (
    PackedVectors,
    pack_ids,
    pack_points,
    pack_queries,
    unpack_answers,
    unpack_ids,
)
from indexer.store.schema import READ_BATCH, WRITE_BATCH

_CHANNELS = 8
_END_SECONDS = 30.0
_CALL_SECONDS = 30.0  # far above the slowest slice: a slower process is stuck
_LOAD_SECONDS = 300.0  # its first answer comes after it has loaded every shard
_LONG_SECONDS = {"optimize": 6 * 3600.0, "close": 300.0}
_ROOT = Path(__file__).resolve().parents[3]


class ProcessGoneError(Exception):
    """The store process ended or was killed before it answered; the message states why."""


class StoreProcess:
    """A running store process. It ends with its parent, whose end closes the channels."""

    def __init__(self, directory: Path, *, lock_seconds: float) -> None:
        """Start it; calls wait until its shards are loaded. Raises StoreUnavailableError."""
        pairs = [socket.socketpair() for _ in range(_CHANNELS)]
        self._channels = [Channel(own) for own, _ in pairs]
        self._idle: queue.LifoQueue[Channel] = queue.LifoQueue()
        self._has_answered = False
        self._lock_seconds = lock_seconds
        try:
            self._process = _start(directory, lock_seconds, [other for _, other in pairs])
        except OSError as exc:
            self._close_channels()
            message = f"The vector store's process cannot be started: {exc}"
            raise StoreUnavailableError(message) from exc
        finally:
            for _, other in pairs:
                other.close()
        for channel in self._channels:
            self._idle.put(channel)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def call(self, name: str, *arguments: object) -> Reply:
        """Call EdgeServer's method `name`. Raises ProcessGoneError.

        A process that does not answer in time is killed, because it blocks every other call.
        After any other exception (an interrupt), a reply may be pending: `end` the process.
        """
        request = encode((name, *arguments))
        seconds = self._seconds(name)
        try:
            channel = self._idle.get(timeout=seconds)
        except queue.Empty as exc:
            raise self._hung(seconds) from exc
        try:
            channel.set_timeout(seconds)
            channel.send(request)
            reply = cast(Reply, channel.receive())
        except TimeoutError as exc:
            raise self._hung(seconds) from exc
        except (EOFError, OSError) as exc:
            raise ProcessGoneError("has ended") from exc
        finally:
            self._idle.put(channel)
        self._has_answered = True
        return reply

    def _seconds(self, name: str) -> float:
        """Return the time limit of a call."""
        seconds = _LONG_SECONDS.get(name, _CALL_SECONDS)
        return seconds if self._has_answered else seconds + _LOAD_SECONDS + self._lock_seconds

    def _hung(self, seconds: float) -> ProcessGoneError:
        self._process.kill()  # the shards' logs keep what was written
        return ProcessGoneError(f"did not answer within {seconds:.0f} s and was ended")

    def end(self) -> None:
        """Wait until it has closed its shards. Running calls raise ProcessGoneError."""
        for channel in self._channels:
            channel.shut_down()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()  # the shards' logs keep what was written
            self._process.wait()
        for _ in self._channels:
            self._idle.get()  # each is returned: its reader was woken
        self._close_channels()

    def _close_channels(self) -> None:
        for channel in self._channels:
            channel.close()
            self._idle.put(channel)  # a waiting caller finds it closed


def _start(
    directory: Path, lock_seconds: float, sockets: list[socket.socket]
) -> subprocess.Popen[bytes]:
    descriptors = [end.fileno() for end in sockets]
    return subprocess.Popen(  # noqa: S603 - this interpreter and our own module
        [
            *(sys.executable, "-m", "indexer.store.edge.child"),
            *(str(directory.resolve()), str(lock_seconds), *map(str, descriptors)),
        ],
        cwd=_ROOT,  # where -m finds the package, whatever the parent's path is
        pass_fds=descriptors,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # not signalled by the terminal's Ctrl-C
    )


class EdgeClient:
    """VectorStore in `directory`. The process starts on first use. Thread-safe.

    If it dies, running calls raise StoreUnavailableError and the next call starts another. After
    a fork only the parent may use it.
    """

    def __init__(self, directory: Path, *, lock_seconds: float = 10.0) -> None:
        """Set how long to wait for a predecessor's lock before raising StoreLockedError."""
        self._directory = directory
        self._lock_seconds = lock_seconds
        self._process: StoreProcess | None = None
        self._starting = threading.Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The id of the running store process, if any."""
        process = self._process
        return process.pid if process else None

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        for batch in batches(points, WRITE_BATCH):
            self._call("upsert", collection, pack_points(batch))

    def delete(self, collection: Collection, ids: Sequence[UUID]) -> None:
        for batch in batches(ids, WRITE_BATCH):
            self._call("delete", collection, pack_ids(batch))

    def drop(self, collection: Collection) -> None:
        self.delete(collection, [point for point, _ in self.points(collection)])

    def drop_organization(self, organization: str) -> None:
        self._call("drop_organization", organization)

    def search(
        self, collections: Sequence[Collection], queries: Sequence[HybridQuery]
    ) -> list[HybridHits]:
        return unpack_answers(self._call("search", collections, pack_queries(queries)))

    def vectors(self, collection: Collection, ids: Sequence[UUID]) -> dict[UUID, Vector]:
        found: dict[UUID, Vector] = {}
        for batch in batches(ids, READ_BATCH):
            found |= _unpack_vectors(self._call("vectors", collection, pack_ids(batch)))
        return found

    def existing(self, collection: Collection, ids: Sequence[UUID]) -> set[UUID]:
        found: set[UUID] = set()
        for batch in batches(ids, READ_BATCH):
            found.update(unpack_ids(self._call("existing", collection, pack_ids(batch))))
        return found

    def points(self, collection: Collection) -> Iterator[tuple[UUID, UUID]]:
        start: UUID | None = None
        while True:
            points, runs, start = self._call("page", collection, start)
            yield from zip(unpack_ids(points), unpack_ids(runs), strict=True)
            if start is None:
                return

    def optimize(self) -> None:
        """Compact every shard in the directory; blocks all other calls."""
        self._call("optimize")

    def maintain(self) -> None:
        """Do nothing; see `optimize`."""

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
                pass  # nothing is lost: the shards' logs keep all writes
            finally:
                process.end()

    def _call(self, name: str, *arguments: object) -> Any:
        process = self._started()
        try:
            reply = process.call(name, *arguments)
        except ProcessGoneError as exc:
            self._discard_process(process)
            message = f"The process of the vector store in {self._directory} {exc}; try again."
            raise StoreUnavailableError(message) from exc
        except BaseException:
            # A channel with a pending reply must not serve another call.
            self._discard_process(process)
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

    def _discard_process(self, process: StoreProcess) -> None:
        with self._starting:
            if self._process is not process:
                return  # another thread ends it
            self._process = None
        process.end()


def _unpack_vectors(packed: PackedVectors) -> dict[UUID, Vector]:
    """Invert `pack_vectors`; the vectors are views."""
    ids = unpack_ids(packed.ids)
    if not ids:
        return {}
    return dict(
        zip(ids, np.frombuffer(packed.values, np.float32).reshape(len(ids), -1), strict=True)
    )


def _result(reply: Reply) -> Any:
    if reply.error is not None:
        raise reply.error
    return reply.result
