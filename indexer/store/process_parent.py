"""The parent's side of a store process: starts it, calls it from any thread, ends it."""

import queue
import socket
import subprocess
import sys
from pathlib import Path
from typing import cast

from indexer.errors import StoreUnavailableError
from indexer.store.process_channel import Channel, Reply

_CHANNELS = 8
_END_SECONDS = 30.0
_ROOT = Path(__file__).resolve().parents[2]


class ProcessGoneError(Exception):
    """The store process ended, or was ended, before it answered."""


class StoreProcess:
    """A running store process. It ends when the parent does: then its channels close."""

    def __init__(self, directory: Path, *, lock_seconds: float) -> None:
        """Start it; calls wait until it has loaded its shards. Raises StoreUnavailableError."""
        pairs = [socket.socketpair() for _ in range(_CHANNELS)]
        self._channels = [Channel(own) for own, _ in pairs]
        self._idle: queue.LifoQueue[Channel] = queue.LifoQueue()
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
        """Its process id."""
        return self._process.pid

    def call(self, request: bytes) -> Reply:
        """The reply to an encoded request. Raises ProcessGoneError.

        If it raises anything else (an interrupt), a reply may be under way: `end` the process.
        """
        channel = self._idle.get()
        try:
            channel.send(request)
            return cast(Reply, channel.receive())
        except (EOFError, OSError) as exc:
            raise ProcessGoneError from exc
        finally:
            self._idle.put(channel)

    def end(self) -> None:
        """Wait until it has closed its shards. Calls under way raise ProcessGoneError."""
        for channel in self._channels:
            channel.shut_down()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()  # the shards' logs keep what was written
            self._process.wait()
        for _ in self._channels:
            self._idle.get()  # each comes back: its reader has been told
        self._close_channels()

    def _close_channels(self) -> None:
        for channel in self._channels:
            channel.close()
            self._idle.put(channel)  # whoever waits for one learns that it is closed


def _start(
    directory: Path, lock_seconds: float, sockets: list[socket.socket]
) -> subprocess.Popen[bytes]:
    descriptors = [end.fileno() for end in sockets]
    return subprocess.Popen(  # noqa: S603 - this interpreter and our own module
        [
            *(sys.executable, "-m", "indexer.store.process_child"),
            *(str(directory.resolve()), str(lock_seconds), *map(str, descriptors)),
        ],
        cwd=_ROOT,  # where -m finds the package, whatever the parent's path is
        pass_fds=descriptors,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # out of reach of the terminal's Ctrl-C
    )
