"""The process group of git and of workers, which ends whenever this process ends; their limits.

A shell leads the group and reads from a pipe that only this process holds open. When the pipe
closes, even after SIGKILL, the shell kills the group: git and its children. No thread is needed.
"""

import atexit
import os
import resource
import threading
from contextlib import suppress
from subprocess import DEVNULL, PIPE, Popen
from typing import IO, Final

INDEXING_MEMORY_BYTES: Final = 2 * 1024**3  # of a git, a worker, a child of a backfill


_LEADER: Final = ("/bin/sh", "-c", "read -r _; kill -s KILL 0")


class ProcessGroup:
    """A process group whose leader starts with the first child. Thread-safe."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._leader: Popen[bytes] | None = None

    def number(self) -> int:
        """Return the group for a new child, for `Popen(process_group=…)`."""
        with self._starting:
            if self._leader is None or self._leader.poll() is not None:
                self._leader = Popen(  # noqa: S603 - a constant
                    _LEADER, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, process_group=0
                )
            return self._leader.pid

    def end(self) -> None:
        """Kill the rest of the group."""
        with self._starting:
            if self._leader:
                self._leader.communicate()  # closes the pipe
                self._leader = None


CHILDREN: Final = ProcessGroup()
atexit.register(CHILDREN.end)


def limit_memory(pid: int) -> None:
    """Limit what a process, and each that it starts, may allocate, where the system enforces it.

    Files that are only read do not count: git maps whole packs.
    """
    if not hasattr(resource, "prlimit"):  # no Linux
        return
    with suppress(ProcessLookupError, PermissionError):  # it has ended; a sandbox forbids it
        _, most = resource.prlimit(pid, resource.RLIMIT_DATA)
        if most == resource.RLIM_INFINITY or most > INDEXING_MEMORY_BYTES:
            limits = (INDEXING_MEMORY_BYTES, INDEXING_MEMORY_BYTES)
            resource.prlimit(pid, resource.RLIMIT_DATA, limits)


def read_end(output: IO[bytes], most_bytes: int, begin: int = 0) -> bytes:
    """Return the end of a file with a child's output, of what is behind `begin`."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(begin, size - most_bytes))
    return output.read(most_bytes)
