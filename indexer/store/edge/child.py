"""The store process: EdgeStore for one parent, which starts it (`client`) and outlives it.

One thread answers one request at a time, in turn over the channels: Edge holds the interpreter
lock during every call, so more threads would only wait for each other. Requests are small, so a
search waits for at most one slice of each writer.
"""

import selectors
import signal
import socket
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import cast
from uuid import UUID

from indexer.errors import StoreError, StoreLockedError
from indexer.store.base import Collection
from indexer.store.edge.channel import Channel, Reply, encode
from indexer.store.edge.packing import (
    PackedHits,
    PackedPoints,
    PackedQuery,
    PackedVectors,
    pack_answers,
    pack_ids,
    pack_vectors,
    unpack_ids,
    unpack_points,
    unpack_queries,
)
from indexer.store.edge.store import EdgeStore

_RETRY_SECONDS = 0.05


class EdgeServer:
    """EdgeStore with packed arguments and results. Requests call its public methods by name."""

    def __init__(self, store: EdgeStore) -> None:
        self._store = store
        self.check = store.check
        self.drop_organization = store.drop_organization
        self.optimize = store.optimize
        self.close = store.close

    def upsert(self, collection: Collection, points: PackedPoints) -> None:
        self._store.upsert(collection, unpack_points(points))

    def delete(self, collection: Collection, ids: bytes) -> None:
        self._store.delete(collection, unpack_ids(ids))

    def search(
        self, collections: Sequence[Collection], queries: Sequence[PackedQuery]
    ) -> list[tuple[PackedHits, PackedHits]]:
        return pack_answers(self._store.search(collections, unpack_queries(queries)))

    def vectors(self, collection: Collection, ids: bytes) -> PackedVectors:
        return pack_vectors(self._store.stored_vectors(collection, unpack_ids(ids)))

    def existing(self, collection: Collection, ids: bytes) -> bytes:
        return pack_ids(self._store.existing(collection, unpack_ids(ids)))

    def page(self, collection: Collection, start: UUID | None) -> tuple[bytes, bytes, UUID | None]:
        found, following = self._store.page(collection, start)
        return pack_ids(point for point, _ in found), pack_ids(run for _, run in found), following


def open_shards(store: EdgeStore, *, lock_seconds: float) -> None:
    """Open the shards on disk, so that no search waits for it.

    A killed predecessor may still hold a lock: wait for it, for at most `lock_seconds` in total. A
    shard that cannot be opened is skipped; its first use opens it again and raises the error.
    """
    deadline = time.monotonic() + lock_seconds
    for path in store.shard_paths():
        while _is_locked(store, path) and time.monotonic() < deadline:
            time.sleep(_RETRY_SECONDS)


def _is_locked(store: EdgeStore, path: Path) -> bool:
    try:
        store.open_shard(path)
    except StoreLockedError:
        return True
    except StoreError:
        return False
    return False


def serve(store: EdgeServer, channels: Sequence[Channel]) -> None:
    """Answer on every channel until the parent has closed them all or ended."""
    with selectors.DefaultSelector() as selector:
        for channel in channels:
            selector.register(channel, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                channel = cast(Channel, key.fileobj)
                try:
                    channel.send(encode(_reply(store, *channel.receive())))
                except (EOFError, OSError):  # the parent has closed this channel
                    selector.unregister(channel)
                    channel.close()


def _reply(store: EdgeServer, name: str, *arguments: object) -> Reply:
    try:
        return Reply(getattr(store, name)(*arguments))
    except Exception as exc:  # noqa: BLE001 - raised again in the parent
        exc.add_note("".join(traceback.format_exception(exc)))
        return Reply(error=exc)


def main(directory: str, lock_seconds: str, *descriptors: str) -> None:
    """Serve the parent at the other end of the inherited sockets `descriptors`."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A service manager signals every process; this one ends when its parent does.
        signal.signal(number, signal.SIG_IGN)
    channels = [Channel(socket.socket(fileno=int(descriptor))) for descriptor in descriptors]
    store = EdgeStore(Path(directory))
    open_shards(store, lock_seconds=float(lock_seconds))
    serve(EdgeServer(store), channels)
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
