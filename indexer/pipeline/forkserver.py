"""The first worker process, which others are forked from, and the connections to all of them.

A small run needs no other: it does the work itself. It starts without secrets, in the process group
that never outlives this process, with a limit of memory.
"""

import atexit
import pickle
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, Popen, _args_from_interpreter_flags  # type: ignore[attr-defined]
from typing import Any, Final, ParamSpec, TypeVar, cast

from indexer.pipeline.worker_channel import receive, send, send_descriptor
from indexer.process_group import CHILDREN, limit_memory

_ROOT: Final = str(Path(__file__).parents[2])
_PROGRAM: Final = (
    "import sys; sys.path[:] = {path}; "
    "from indexer.pipeline.worker_process import main; main({channel})"
)

_P = ParamSpec("_P")
_T = TypeVar("_T")


class WorkerDiedError(Exception):
    """A worker process ended before it answered, whatever the cause."""


class Worker:
    """The connection to one worker process, which does one task at a time. Thread-safe.

    `process` None: another worker has forked it, and waits for its end.
    """

    def __init__(self, channel: socket.socket, process: "Popen[bytes] | None" = None) -> None:
        self._channel = channel
        self._process = process
        self._asking = threading.Lock()
        self._sending = threading.Lock()
        self.has_ended = False

    def run(self, work: Callable[_P, _T], *arguments: _P.args, **more: _P.kwargs) -> _T:
        """Do a task there; raises what it raises. WorkerDiedError: the process has ended."""
        return cast("_T", result(self.ask(pickled(work, arguments, more))))

    def ask(self, task: bytes) -> bytearray:
        """Do a pickled task; return the answer for `result`. Raises WorkerDiedError."""
        try:
            with self._asking:
                with self._sending:
                    send(self._channel, task)
                return receive(self._channel)[0]
        except (EOFError, OSError) as exc:
            self.end()
            raise WorkerDiedError from exc

    def fork(self) -> "Worker":
        """Have it fork another worker, after its task. Raises WorkerDiedError.

        The new worker dies at once if this one dies before.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs, self._sending:
                send_descriptor(self._channel, theirs.fileno())
        except OSError as exc:
            ours.close()
            self.end()
            raise WorkerDiedError from exc
        return Worker(ours)

    def end(self) -> None:
        """End it: at once if this process has started it, else after its task. May be repeated."""
        self.has_ended = True
        with suppress(OSError):  # it has ended
            self._channel.shutdown(socket.SHUT_RDWR)  # wakes who waits for an answer
        with self._asking, self._sending:
            self._channel.close()
        if self._process:
            self._process.kill()
            self._process.wait()


class ForkServer:
    """The first worker, if it has been started. Thread-safe."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._first: Worker | None = None

    def first(self) -> Worker:
        """Return the first worker: another one if it has died."""
        with self._starting:
            if self._first is None or self._first.has_ended:
                self._first = _started()
            return self._first

    def forked(self) -> Worker:
        """Return a new worker, forked from the first one."""
        try:
            return self.first().fork()
        except WorkerDiedError:
            return self.first().fork()

    def end(self) -> None:
        """End the first worker."""
        with self._starting:
            if self._first:
                self._first.end()
                self._first = None


FORKSERVER: Final = ForkServer()
atexit.register(FORKSERVER.end)


def start_forkserver() -> None:
    """Start the first worker, unless it runs, and return at once.

    It imports grammars and model while this process talks to git and to central: call this before
    importing the rest of the pipeline.
    """
    FORKSERVER.first()


def pickled(work: Callable[..., Any], arguments: Sequence[Any], more: Mapping[str, Any]) -> bytes:
    """Return a task for `Worker.ask`."""
    return pickle.dumps((work, arguments, more), pickle.HIGHEST_PROTOCOL)


def result(answer: bytearray) -> Any:
    """Return what a task has returned, or raise what it has raised."""
    is_done, value = pickle.loads(answer)  # noqa: S301 - of a process that this one has started
    if is_done:
        return value
    raise value


def _started() -> Worker:
    """Start Python with this process's options and module path, and without its `site`."""
    ours, theirs = socket.socketpair()
    program = _PROGRAM.format(path=[*map(str, sys.path), _ROOT], channel=theirs.fileno())
    options = [*_args_from_interpreter_flags(), "-S", "-P"]
    with theirs:
        process = Popen(  # noqa: S603 - this program
            [sys.executable, *options, "-c", program],
            stdin=DEVNULL,
            pass_fds=[theirs.fileno()],
            process_group=CHILDREN.number(),
        )
    limit_memory(process.pid)
    return Worker(ours, process)
