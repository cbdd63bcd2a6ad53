"""The log: lines on standard error, without commands to GitHub's runner."""

import logging
import sys

from indexer.output.github import strip_commands


def to_standard_error() -> None:
    """Start logging in this process."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Plain())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for client in ("httpx", "httpx2"):  # a line for each request
        logging.getLogger(client).setLevel(logging.WARNING)


class _Plain(logging.Formatter):
    """A formatter of one line per message, for any file name; a traceback keeps its lines."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        return strip_commands(super().formatMessage(record))

    def formatException(self, ei: "logging._SysExcInfoType") -> str:  # noqa: N802 - logging's name
        return "\n".join(strip_commands(line) for line in super().formatException(ei).split("\n"))
