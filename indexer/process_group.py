"""One process group for git and for workers, which ends when this process does, however it ends.

A shell leads the group and reads from a pipe that this process alone holds. When that closes, by
SIGKILL too, the shell kills the group: git, and what git has started. No thread plays a part.
"""

import atexit
import threading
from subprocess import DEVNULL, PIPE, Popen
from typing import Final

_LEADER: Final = ("/bin/sh", "-c", "read -r _; kill -s KILL 0")


class ProcessGroup:
    """Safe to share between threads. Its leader starts with the first child."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._leader: Popen[bytes] | None = None

    def number(self) -> int:
        """The group for a child that starts now, as `Popen(process_group=…)` takes it."""
        with self._starting:
            if self._leader is None or self._leader.poll() is not None:
                self._leader = Popen(  # noqa: S603 - our own words
                    _LEADER, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, process_group=0
                )
            return self._leader.pid

    def end(self) -> None:
        """Kill what is left of the group."""
        with self._starting:
            if self._leader:
                self._leader.communicate()  # closes the pipe
                self._leader = None


CHILDREN: Final = ProcessGroup()
atexit.register(CHILDREN.end)
