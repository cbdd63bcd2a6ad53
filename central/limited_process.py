"""A child process that answers one request at a time, each within a limit of processor time.

For libraries that hostile input can block for hours. The kernel ends the child when a request has
used its time. The child also ends with its parent, because its connection closes.
"""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]


class LimitExceededError(Exception):
    """The request used up its processor time; the child is gone."""


class ChildEndedError(Exception):
    """The child ended, or did not answer in time, for another reason; it is gone."""


class LimitedProcess:
    """A child that runs `python -m module`, which calls `answer_requests`. Not thread-safe.

    `cpu_seconds` of the processor for one request, `seconds` of waiting for its answer. A child
    that is gone is started again by the next request.
    """

    def __init__(self, module: str, *, cpu_seconds: float, seconds: float) -> None:
        self._module = module
        self._cpu_seconds = cpu_seconds
        self._seconds = seconds
        self._child: _Child | None = None

    @property
    def pid(self) -> int | None:
        """The child's id, while there is one."""
        return self._child.process.pid if self._child else None

    def ask(self, request: Any) -> Any:
        """The answer to a request; both are JSON. Raises LimitExceededError, ChildEndedError."""
        try:
            if self._child is None:
                self._child = _Child(self._module, self._cpu_seconds, self._seconds)
            return self._child.ask(request)
        except (EOFError, OSError) as exc:  # a timeout too
            if self.close() == -signal.SIGPROF:
                raise LimitExceededError from exc
            raise ChildEndedError(repr(exc)) from exc
        except BaseException:
            self.close()  # an answer may be under way, which is not the next request's
            raise

    def close(self) -> int | None:
        """End the child; its exit code, negative if a signal ended it, None if there was none."""
        child, self._child = self._child, None
        return None if child is None else child.end()


class _Child:
    def __init__(self, module: str, cpu_seconds: float, seconds: float) -> None:
        self._connection, other = socket.socketpair()
        self._connection.settimeout(seconds)
        self._answers = self._connection.makefile("rb")
        try:
            with other:
                self.process = subprocess.Popen(  # noqa: S603 - our own
                    [sys.executable, "-m", module, str(cpu_seconds)],
                    cwd=_ROOT,  # where -m finds the package, whatever the parent's path is
                    stdin=other.fileno(),
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,  # out of reach of the terminal's Ctrl-C
                )
        except OSError:
            self._close()
            raise

    def ask(self, request: Any) -> Any:
        self._connection.sendall(json.dumps(request).encode() + b"\n")
        answer = self._answers.readline()
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


def answer_requests(answer: Callable[[Any], Any], *, cpu_seconds: float) -> None:
    """The child's side: answer each request on the socket that is standard input."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # it ends the process, inside a library too
    connection = socket.socket(fileno=sys.stdin.fileno())
    with connection, connection.makefile("rb") as requests:
        for request in requests:
            signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
            answered = answer(json.loads(request))
            signal.setitimer(signal.ITIMER_PROF, 0)
            connection.sendall(json.dumps(answered).encode() + b"\n")
