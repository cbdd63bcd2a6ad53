"""Exit codes of the command line, and what SIGTERM raises."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final


class TerminatedError(BaseException):
    """SIGTERM. As with KeyboardInterrupt, all handlers below `main` must raise it again."""


class Exit(IntEnum):
    """The exit codes of commands. `meaning` is shown beside the number."""

    OK = 0
    NOTHING_FOUND = 1
    USAGE = 2
    NOT_INDEXED = 3
    UNREACHABLE = 4
    REFUSED = 5
    INTERRUPTED = 130
    TERMINATED = 143

    @property
    def meaning(self) -> str:
        """A short description."""
        return _MEANINGS[self]

    @classmethod
    def of_signal(cls, signal: BaseException) -> "Exit":
        """Return the exit code of KeyboardInterrupt or TerminatedError.

        It is 128 plus the signal's number.
        """
        return cls.TERMINATED if isinstance(signal, TerminatedError) else cls.INTERRUPTED


_MEANINGS: Final[Mapping[Exit, str]] = {
    Exit.OK: "done",
    Exit.NOTHING_FOUND: "nothing found",
    Exit.USAGE: "a setting or an argument is wrong",
    Exit.NOT_INDEXED: "not indexed",
    Exit.UNREACHABLE: "a service did not answer, or limits requests",
    Exit.REFUSED: "the service refused",
    Exit.INTERRUPTED: "interrupted",
    Exit.TERMINATED: "terminated",
}
