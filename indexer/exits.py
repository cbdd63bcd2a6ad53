"""Exit codes of the command line, and the end of a process."""

import sys
from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from indexer import errors


class TerminatedError(BaseException):
    """SIGTERM; as with KeyboardInterrupt, who catches it raises it again, but for the top."""


class Exit(IntEnum):
    """How a command ended. `meaning` is shown beside the number."""

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
        """In a few words."""
        return _MEANINGS[self]

    @classmethod
    def of_signal(cls, signal: BaseException) -> "Exit":
        """KeyboardInterrupt or TerminatedError as an exit code: 128 and the signal's number."""
        return cls.TERMINATED if isinstance(signal, TerminatedError) else cls.INTERRUPTED


_MEANINGS: Final[Mapping[Exit, str]] = {
    Exit.OK: "done",
    Exit.NOTHING_FOUND: "nothing found",
    Exit.USAGE: "a setting or an argument is wrong",
    Exit.NOT_INDEXED: "not indexed",
    Exit.UNREACHABLE: "a service did not answer",
    Exit.REFUSED: "the service refused",
    Exit.INTERRUPTED: "interrupted",
    Exit.TERMINATED: "terminated",
}

EXIT_OF: Final[Mapping[type[errors.IndexerError], Exit]] = {
    errors.IndexerError: Exit.NOT_INDEXED,
    errors.ConfigurationError: Exit.USAGE,
    errors.UnconfirmedServerError: Exit.REFUSED,
    errors.GitError: Exit.NOT_INDEXED,
    errors.NotARepositoryError: Exit.USAGE,
    errors.CommitNotFoundError: Exit.USAGE,
    errors.ShallowCloneError: Exit.NOT_INDEXED,
    errors.UntrustedRepositoryError: Exit.USAGE,
    errors.GitTimeoutError: Exit.NOT_INDEXED,
    errors.BundleError: Exit.NOT_INDEXED,
    errors.EmbeddingError: Exit.NOT_INDEXED,
    errors.EmbedderMismatchError: Exit.NOT_INDEXED,
    errors.EmbedderUnavailableError: Exit.UNREACHABLE,
    errors.IdentityError: Exit.REFUSED,
    errors.IdentityUnavailableError: Exit.UNREACHABLE,
    errors.StoreError: Exit.NOT_INDEXED,
    errors.CollectionMissingError: Exit.NOT_INDEXED,
    errors.StoreUnavailableError: Exit.UNREACHABLE,
    errors.StoreFullError: Exit.NOT_INDEXED,
    errors.StoreLockedError: Exit.NOT_INDEXED,
    errors.DirectNotAvailableError: Exit.NOT_INDEXED,
    errors.CentralError: Exit.NOT_INDEXED,
    errors.CentralUnreachableError: Exit.UNREACHABLE,
    errors.CentralRefusedError: Exit.REFUSED,
    errors.RunConflictError: Exit.NOT_INDEXED,
    errors.RunStaleError: Exit.NOT_INDEXED,
    errors.RunFailedError: Exit.NOT_INDEXED,
}

_EXIT_OF_CODE: Final[Mapping[str, Exit]] = {
    "symbol_not_found": Exit.NOTHING_FOUND,
    "file_not_found": Exit.NOTHING_FOUND,
    "repository_not_found": Exit.NOT_INDEXED,
    "node_not_found": Exit.NOTHING_FOUND,
    "edge_not_found": Exit.NOTHING_FOUND,
    **dict.fromkeys(
        (
            "invalid",
            "invalid_node_id",
            "invalid_edge_type",
            "invalid_rule",
            "self_link",
            "node_ambiguous",
            "node_is_code",
            "body_too_large",
            "properties_too_large",
        ),
        Exit.USAGE,
    ),
}


def exit_of(error: errors.IndexerError) -> Exit:
    """The exit code of one error; a refusal that only says that there is nothing is no refusal."""
    if isinstance(error, errors.CentralRefusedError) and error.code in _EXIT_OF_CODE:
        return _EXIT_OF_CODE[error.code]
    return EXIT_OF[type(error)]


def clear_away() -> None:
    """Remove the directory in which multiprocessing has the socket of its fork server, if any.

    The fork server and its workers notice the end of this process by a pipe.
    """
    if "multiprocessing.forkserver" in sys.modules:
        import shutil
        from multiprocessing.process import current_process

        # multiprocessing.util.get_temp_dir would make one where there is none.
        made = getattr(current_process(), "_config", {}).get("tempdir")
        if made:
            shutil.rmtree(made, ignore_errors=True)
