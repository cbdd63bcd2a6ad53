"""GitHub's runner, if present: job summary, outputs, annotations; the log, without its commands.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

import logging
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from indexer.output.terminal import escape_line

_log = logging.getLogger(__name__)


class Level(StrEnum):
    """The severity of an annotation."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class GitHubRunner:
    """The runner of a job; outside GitHub Actions nothing is written."""

    reads_commands: bool = False
    summary_file: Path | None = None
    output_file: Path | None = None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "GitHubRunner":
        """Return the runner that started this process."""
        return cls(
            reads_commands=environ.get("GITHUB_ACTIONS") == "true",
            summary_file=_path(environ, "GITHUB_STEP_SUMMARY"),
            output_file=_path(environ, "GITHUB_OUTPUT"),
        )

    def summarize(self, markdown: str) -> None:
        """Append to the job summary, of which GitHub shows 1 MiB."""
        _append(self.summary_file, markdown)

    def set_outputs(self, values: Mapping[str, str]) -> None:
        """Set outputs of the step."""
        _append(self.output_file, "".join(_output(*item) for item in values.items()))

    def annotate(self, level: Level, title: str, message: str) -> None:
        """Show a message on the run's page.

        Written to standard error, which the runner reads as well (ScriptHandler.cs), so that a JSON
        report is alone on standard output.
        """
        if self.reads_commands:
            sys.stderr.write(f"::{level} title={_property(title)}::{_data(message)}\n")


def strip_commands(line: str) -> str:
    """Return `line` as one line without workflow commands; its text may be untrusted.

    The runner looks for `::` at the beginning and for `##[` anywhere (ActionCommand.cs).
    """
    shown = escape_line(line).replace("##[", "## [")
    return f"> {shown}" if shown.lstrip().startswith("::") else shown


def _path(environ: Mapping[str, str], name: str) -> Path | None:
    value = environ.get(name)
    return Path(value) if value else None


def _append(path: Path | None, text: str) -> None:
    if path is None:
        return
    try:
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as exc:  # neither the run nor its other reports depend on it
        _log.warning("the output for GitHub could not be written: %s", exc)


def _output(name: str, value: str) -> str:
    """Format an output with a random delimiter, which no value can contain on purpose."""
    delimiter = os.urandom(16).hex()
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def _data(text: str) -> str:
    return "%0A".join(escape_line(line).replace("%", "%25") for line in text.split("\n"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def log_to_standard_error() -> None:
    """Start logging in this process: lines without commands to the runner."""
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
