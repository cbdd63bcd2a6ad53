"""The errors of a call: stable codes with messages, and their exit codes."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from indexer.exits import Exit


class Code(StrEnum):
    """`error.code` of a response."""

    INVALID_REQUEST = "invalid_request"
    NO_FILES = "no_files"
    DISABLED = "disabled"
    CONFIGURATION = "configuration"
    NOT_INSTALLED = "not_installed"
    STORE_NOT_FOUND = "store_not_found"
    STORE_BUSY = "store_busy"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    RATE_LIMITED = "rate_limited"
    SERVICE_ERROR = "service_error"
    REFUSED = "refused"
    BAD_ANSWER = "bad_answer"
    INDEXING_FAILED = "indexing_failed"
    NO_ANSWER = "no_answer"


EXIT_CODES: Final[Mapping[Code, Exit]] = {
    Code.INVALID_REQUEST: Exit.USAGE,
    Code.NO_FILES: Exit.USAGE,
    Code.DISABLED: Exit.USAGE,
    Code.CONFIGURATION: Exit.USAGE,
    Code.NOT_INSTALLED: Exit.USAGE,
    Code.STORE_NOT_FOUND: Exit.NOT_INDEXED,
    Code.STORE_BUSY: Exit.NOT_INDEXED,
    Code.TIMEOUT: Exit.UNREACHABLE,
    Code.UNREACHABLE: Exit.UNREACHABLE,
    Code.RATE_LIMITED: Exit.UNREACHABLE,
    Code.SERVICE_ERROR: Exit.UNREACHABLE,
    Code.REFUSED: Exit.REFUSED,
    Code.BAD_ANSWER: Exit.NOT_INDEXED,
    Code.INDEXING_FAILED: Exit.NOT_INDEXED,
    Code.NO_ANSWER: Exit.NOT_INDEXED,
}
_GENERAL: Final = frozenset({
    Code.CONFIGURATION, Code.STORE_NOT_FOUND, Code.UNREACHABLE,
})  # fmt: skip


class CodeQueryError(Exception):
    """An error whose `message` is safe to show and says what to do.

    `is_transient`: the same request may succeed later, after at least `pause_seconds`.
    `is_general`: other files of the same call would fail in the same way.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        is_transient: bool = False,
        pause_seconds: float = 0.0,
        is_general: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.is_transient = is_transient
        self.pause_seconds = pause_seconds
        self.is_general = is_general or code in _GENERAL


class MissingError(CodeQueryError):
    """The service does not know the object (HTTP 404)."""

    def __init__(self, message: str) -> None:
        super().__init__(Code.REFUSED, message)
