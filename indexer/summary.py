"""What a run did, for people and programs: text, JSON, GitHub's job summary and annotations."""

from dataclasses import dataclass
from typing import Any

from indexer.errors import IndexerError
from indexer.records import Mode, Reason, RunStats

_SENTENCES = {
    Reason.FIRST_INDEX: "this is the repository's first index",
    Reason.FAST_FORWARD: "only what changed since the indexed commit",
    Reason.DIVERGED: "history was rewritten; files that did not change were kept",
    Reason.REWOUND: "the branch was set back to an earlier commit",
    Reason.BASE_MISSING: "the indexed commit is no longer in the repository",
    Reason.EXTRACTOR_CHANGED: "this version of the indexer extracts differently",
    Reason.EMBEDDER_CHANGED: "the organisation uses another embedder",
    Reason.SELECTION_CHANGED: ".codesearch.toml or .gitattributes selects other files",
    Reason.REQUESTED: "as requested with --mode",
    Reason.UP_TO_DATE: "the commit is indexed already",
    Reason.SUPERSEDED: "a newer commit is indexed already",
}


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a run. `seconds` by stage; with `Mode.NONE` nothing was done."""

    project: str
    commit_sha: str
    base_commit: str | None
    run_id: str
    mode: Mode
    reason: Reason
    stats: RunStats
    seconds: dict[str, float]

    @property
    def total_seconds(self) -> float:
        """Wall time of the run without the start of the interpreter."""
        return sum(self.seconds.values())


def as_json(report: Report) -> dict[str, Any]:
    """The report as API.md ("Command line") has it."""
    stats = report.stats
    return {
        "mode": report.mode,
        "reason": report.reason,
        "project": report.project,
        "base_commit": report.base_commit,
        "commit_sha": report.commit_sha,
        "files": {
            "changed": stats.files_changed,
            "removed": stats.files_removed,
            "skipped": stats.files_skipped,
        },
        "chunks": stats.chunks,
        "symbols": stats.symbols,
        "references": stats.references,
        "embedded": stats.embedded,
        "reused": stats.reused,
        "seconds": report.seconds,
        "run_id": report.run_id,
    }


def as_text(report: Report) -> str:
    """A few lines for a person at a terminal."""
    head = f"{report.project} at {report.commit_sha[:12]}: {headline(report)}"
    if report.mode is Mode.NONE:
        return head
    stats = report.stats
    stages = ", ".join(f"{name} {value:.2f} s" for name, value in report.seconds.items())
    return (
        f"{head}\n"
        f"  files: {stats.files_changed} indexed, {stats.files_removed} removed, "
        f"{stats.files_skipped} skipped\n"
        f"  chunks: {stats.chunks} ({stats.embedded} embedded, {stats.reused} reused); "
        f"symbols: {stats.symbols}; references: {stats.references}\n"
        f"  time: {report.total_seconds:.2f} s ({stages})"
    )


def headline(report: Report) -> str:
    """Mode and reason in one line."""
    done = "nothing to do" if report.mode is Mode.NONE else f"{report.mode} run"
    return f"{done} ({report.reason}: {_SENTENCES[report.reason]})"


def as_markdown(report: Report) -> str:
    """GitHub's job summary."""
    stats = report.stats
    rows = {
        "Commit": f"`{report.commit_sha}`",
        "Base": f"`{report.base_commit}`" if report.base_commit else "none",
        "Files indexed": str(stats.files_changed),
        "Files removed": str(stats.files_removed),
        "Files skipped": str(stats.files_skipped),
        "Chunks": str(stats.chunks),
        "Symbols": str(stats.symbols),
        "References": str(stats.references),
        "Seconds": f"{report.total_seconds:.2f}",
    }
    table = "\n".join(f"| {name} | {value} |" for name, value in rows.items())
    title = f"### Code index: {_cell(report.project)}\n\n{headline(report)}."
    return f"{title}\n\n| | |\n|---|---|\n{table}\n"


def failure_as_markdown(error: IndexerError) -> str:
    """GitHub's job summary of a run that failed."""
    return f"### Code index failed\n\n{type(error).__name__}: {_cell(str(error))}\n"


def annotation(error: IndexerError) -> str:
    """A workflow command that shows the error on the run's page.

    https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    text = str(error).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::error title=Code index failed::{text}"


def _cell(text: str) -> str:
    """`text` where it can end neither a table nor a line nor start markup."""
    escaped = "".join(f"\\{char}" if char in "\\`*_[]<>|#" else char for char in text)
    return " ".join(escaped.split())
