"""The parent's side of a store process: starts it, calls it from any thread, ends it."""

import queue
import socket
import subprocess
import sys
from pathlib import Path
from typing import cast

from indexer.errors import StoreUnavailableError
from indexer.store.process_channel import Channel, Reply, encode

_CHANNELS = 8
_END_SECONDS = 30.0
_CALL_SECONDS = 30.0  # far above the slowest slice: a process that needs longer hangs
_LOAD_SECONDS = 300.0  # its first answer comes after it has loaded every shard
_LONG_SECONDS = {"optimize": 6 * 3600.0, "close": 300.0}
_ROOT = Path(__file__).resolve().parents[2]


class ProcessGoneError(Exception):
    """The store process ended, or was ended, before it answered; the message says why."""


class StoreProcess:
    """A running store process. It ends when the parent does: then its channels close."""

    def __init__(self, directory: Path, *, lock_seconds: float) -> None:
        """Start it; calls wait until it has loaded its shards. Raises StoreUnavailableError."""
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
        """Its process id."""
        return self._process.pid

    def call(self, name: str, *arguments: object) -> Reply:
        """What PackedStore's method `name` answers. Raises ProcessGoneError.

        A process that does not answer in time is killed: it holds up every other call too.
        If it raises anything else (an interrupt), a reply may be under way: `end` the process.
        """
        request = encode((name, *arguments))
        seconds = self._seconds(name)
        try:
            channel = self._idle.get(timeout=seconds)
        except queue.Empty as exc:
            raise self._hung(seconds) from exc
        try:
            channel.set_patience(seconds)
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
        """How long a call may take."""
        seconds = _LONG_SECONDS.get(name, _CALL_SECONDS)
        return seconds if self._has_answered else seconds + _LOAD_SECONDS + self._lock_seconds

    def _hung(self, seconds: float) -> ProcessGoneError:
        self._process.kill()  # the shards' logs keep what was written
        return ProcessGoneError(f"did not answer within {seconds:.0f} s and was ended")

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
