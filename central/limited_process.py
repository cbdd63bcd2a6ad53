"""Child processes that answer one request at a time, within limits of processor time and memory.

For libraries that hostile input can block for hours, or make take gigabytes. The kernel ends the
child that exceeds a limit; macOS knows no limit of memory. The environment has no secret of the
service. A child also ends with its parent, because its connection closes.
"""

import atexit
import json
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Hashable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from central.fair_pool import FairPool

CHILD_MEMORY_BYTES: Final = 512 * 1024 * 1024
CHILD_ANSWER_BYTES: Final = 64 * 1024 * 1024
_ROOT: Final = Path(__file__).resolve().parents[1]
_INHERITED: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PYTHONPATH")
# Each thread of OpenBLAS reserves memory when NumPy is imported, one for each processor.
_ENVIRONMENT: Final = {"OPENBLAS_NUM_THREADS": "1"}

_OUT_OF_MEMORY: Final = 75  # the exit code after a MemoryError
# Native code aborts if it gets no memory, and has a signal where its stack ends.
_MEMORY_CODES: Final = (_OUT_OF_MEMORY, -signal.SIGABRT, -signal.SIGSEGV)


class LimitExceededError(Exception):
    """The request used up its processor time; the child is gone."""


class MemoryExceededError(LimitExceededError):
    """The request used up its memory; the child is gone."""


class ChildEndedError(Exception):
    """The child ended, or did not answer in time, for another reason; it is gone."""


class LimitedProcess:
    """A child with a module whose `answer` answers requests. Not thread-safe.

    `cpu_seconds` of the processor for one request, `seconds` of waiting for its answer,
    `memory_bytes` for all of the child. A child that is gone is started again by the next request.
    """

    def __init__(
        self,
        module: str,
        *,
        cpu_seconds: float,
        seconds: float,
        memory_bytes: int = CHILD_MEMORY_BYTES,
    ) -> None:
        self._arguments = [module, str(cpu_seconds), str(memory_bytes)]
        self._seconds = seconds
        self._child: _Child | None = None

    @property
    def pid(self) -> int | None:
        """The child's id, while there is one."""
        return self._child.process.pid if self._child else None

    def ask(self, request: Any) -> Any:
        """The answer to a request; both are JSON.

        Raises LimitExceededError, MemoryExceededError, ChildEndedError.
        """
        try:
            if self._child is None:
                self._child = _Child(self._arguments, self._seconds)
            return self._child.ask(request)
        except (EOFError, OSError) as exc:  # a timeout too
            code = self.close()
            if code == -signal.SIGPROF:
                raise LimitExceededError from exc
            if code in _MEMORY_CODES:
                raise MemoryExceededError from exc
            raise ChildEndedError(repr(exc)) from exc
        except BaseException:
            self.close()  # an answer may be under way, which is not the next request's
            raise

    def close(self) -> int | None:
        """End the child; its exit code, negative if a signal ended it, None if there was none."""
        child, self._child = self._child, None
        return None if child is None else child.end()


class LimitedProcesses:
    """Such children, lent to callers in turn; for several threads."""

    def __init__(self, module: str, count: int, *, cpu_seconds: float, seconds: float) -> None:
        """`seconds` of waiting for a child that is free, and again for its answer."""
        children = [
            LimitedProcess(module, cpu_seconds=cpu_seconds, seconds=seconds) for _ in range(count)
        ]
        for child in children:
            atexit.register(child.close)
        self._pool = FairPool(children)
        self._seconds = seconds

    def ask(self, request: Any, *, caller: Hashable) -> Any:
        """Return a child's answer, as `LimitedProcess.ask`. Raises TimeoutError if none is free."""
        with self._pool.lent(caller, seconds=self._seconds) as child:
            return child.ask(request)


class _Child:
    def __init__(self, arguments: list[str], seconds: float) -> None:
        self._connection, other = socket.socketpair()
        self._connection.settimeout(seconds)
        self._answers = self._connection.makefile("rb")
        try:
            with other:
                self.process = subprocess.Popen(  # noqa: S603 - our own
                    [sys.executable, "-m", "central.limited_process", *arguments],
                    cwd=_ROOT,  # where -m finds the package, whatever the parent's path is
                    env=_environment(),
                    stdin=other.fileno(),
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,  # out of reach of the terminal's Ctrl-C
                )
        except OSError:
            self._close()
            raise

    def ask(self, request: Any) -> Any:
        self._connection.sendall(json.dumps(request).encode() + b"\n")
        answer = self._answers.readline(CHILD_ANSWER_BYTES)
        if not answer.endswith(b"\n"):
            raise EOFError
        return json.loads(answer)

    def end(self) -> int:
        self._close()
        self.process.kill()
        return self.process.wait()

    def _close(self) -> None:
        self._answers.close()
        self._connection.close()


def _environment() -> dict[str, str]:
    own = os.environ  # noqa: TID251 (what Python itself needs; no setting)
    return {name: own[name] for name in _INHERITED if name in own} | _ENVIRONMENT


def main(module: str, cpu_seconds: str, memory_bytes: str) -> None:
    """Be the child: limit the memory, import the module, and answer each request with it."""
    _limit_memory(int(memory_bytes))
    try:
        _answer_requests(import_module(module).answer, cpu_seconds=float(cpu_seconds))
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)  # at once: the connection's end has this code


def _limit_memory(most: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "darwin":
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))


def _answer_requests(answer: Callable[[Any], Any], *, cpu_seconds: float) -> None:
    """Answer each request on the socket that is standard input."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # it ends the process, inside a library too
    connection = socket.socket(fileno=sys.stdin.fileno())
    for request in connection.makefile("rb"):
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        answered = json.dumps(answer(json.loads(request))).encode()
        signal.setitimer(signal.ITIMER_PROF, 0)
        connection.sendall(answered + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
