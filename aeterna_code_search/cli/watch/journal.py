"""The output of `watch`: one line per update, as text or as JSON."""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from aeterna_code_search.cli.watch.lock import WatchRecord
from aeterna_code_search.client.console import print_stderr, print_stdout
from indexer.errors import IndexerError
from indexer.output.terminal import escape_line, escape_lines
from indexer.pipeline.report import Report

_NAMED: Final = 3
_LISTED: Final = 100


@dataclass(frozen=True, slots=True)
class Update:
    """A snapshot that became searchable `seconds` after the last write to its files.

    `paths` differ from the previous snapshot. If that is unknown, both are empty.
    """

    state: WatchRecord
    report: Report
    paths: frozenset[str] = frozenset()
    seconds: float | None = None


class UpdateLog:
    """A log of updates on standard output, and of other notes on standard error."""

    def __init__(self, *, as_json: bool) -> None:
        self.is_for_programs = as_json

    def watching(self, first: Update) -> None:
        """Report that the first index is built; from now on every change is noticed."""
        if self.is_for_programs:
            self._line("watching", _as_json(first))
            return
        state, report = first.state, first.report
        root = escape_line(str(state.root))
        print_stdout(
            f"watching {root} as {escape_line(state.project)}, up to date after "
            f"{report.total_seconds:.1f} s ({report.sentence}); Ctrl-C ends it\n"
        )

    def updated(self, update: Update) -> None:
        """Report that a change is searchable."""
        if self.is_for_programs:
            self._line("updated", _as_json(update))
            return
        names = sorted(update.paths)
        further = len(names) - _NAMED
        named = ", ".join(escape_line(name) for name in names[:_NAMED])
        if further > 0:
            named += f" and {further} more"
        now = datetime.now().astimezone()
        print_stdout(f"{now:%H:%M:%S} {named or 'changes'}: searchable {_after(update.seconds)}\n")

    def failed(self, error: IndexerError, root: Path, pause: float) -> None:
        """Report that an update failed and is retried."""
        if self.is_for_programs:
            problem = {"root": str(root), "error": str(error), "retry_seconds": pause}
            self._line("failed", problem)
            return
        print_stderr(*escape_lines(f"not indexed: {error}"))
        print_stderr(f"Retrying at the next change, or in {pause:.0f} s.")

    def note(self, text: str) -> None:
        """Print a note."""
        print_stderr(*escape_lines(text))

    def _line(self, event: str, fields: dict[str, Any]) -> None:
        print_stdout(json.dumps({"event": event, **fields}) + "\n")


def _after(seconds: float | None) -> str:
    return "now" if seconds is None else f"{seconds:.2f} s after the last write"


def _as_json(update: Update) -> dict[str, Any]:
    """Return the figures of a run under the names of `index --json`."""
    state, report = update.state, update.report
    return {
        "root": str(state.root),
        "project": state.project,
        "commit": state.commit,
        "indexed_at": state.indexed_at,
        "mode": report.mode,
        "reason": report.reason,
        "files": {
            "changed": report.stats.files_changed,
            "removed": report.stats.files_removed,
            "skipped": report.stats.files_skipped,
        },
        "paths": sorted(update.paths)[:_LISTED],
        "seconds_after_last_write": update.seconds,
        "seconds": report.seconds,
    }
