"""What a run did, or how far it came: the records, and their forms for terminals and programs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from indexer.output.terminal import pluralize
from indexer.records.files import SkipReason
from indexer.records.runs import Mode, Reason, RunStats, reason_sentence


class RunStage(Enum):
    """What central knows of a run. While it is being announced, only central can tell."""

    NOT_OPENED = auto()
    OPEN = auto()
    ANNOUNCING = auto()
    ANNOUNCED = auto()
    CANCELLED = auto()


@dataclass(slots=True)
class RunProgress:
    """How far a run has come: noted on the way, told if it ends before its time."""

    run_id: str = ""
    stage: RunStage = RunStage.NOT_OPENED


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a run. `seconds` by stage; with `Mode.NONE` nothing was done.

    `languages` and `skipped` count this run's files; `deepened`: it had to fetch the history that
    the clone lacked. `repository_url` is where people see the repository, if it has such a place.
    """

    project: str
    commit_sha: str
    base_commit: str | None
    run_id: str
    mode: Mode
    reason: Reason
    stats: RunStats
    seconds: dict[str, float]
    languages: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[SkipReason, int] = field(default_factory=dict)
    status_url: str | None = None
    page_url: str | None = None
    repository_url: str | None = None
    deepened: bool = False

    @property
    def total_seconds(self) -> float:
        """Wall time of the run without the start of the interpreter."""
        return sum(self.seconds.values())

    @property
    def last_indexed_commit(self) -> str | None:
        """The commit that the index is of, now that the run has ended."""
        return self.base_commit if self.mode is Mode.NONE else self.commit_sha

    @property
    def sentence(self) -> str:
        """Why the run was of its mode."""
        return reason_sentence(self.reason)


def as_json(report: Report) -> dict[str, Any]:
    """The report as API.md ("Command line") has it."""
    stats = report.stats
    return {
        "mode": report.mode,
        "reason": report.reason,
        "project": report.project,
        "base_commit": report.base_commit,
        "commit_sha": report.commit_sha,
        "last_indexed_commit": report.last_indexed_commit,
        "files": {
            "changed": stats.files_changed,
            "removed": stats.files_removed,
            "skipped": stats.files_skipped,
        },
        "languages": dict(report.languages),
        "skipped": dict(report.skipped),
        "chunks": stats.chunks,
        "symbols": stats.symbols,
        "references": stats.references,
        "embedded": stats.embedded,
        "reused": stats.reused,
        "embedding": {
            "requests": stats.embedding_requests,
            "tokens": stats.embedding_tokens,
            "cost_usd": stats.embedding_cost_usd,
        },
        "seconds": report.seconds,
        "run_id": report.run_id,
        "status_url": report.status_url,
        "page_url": report.page_url,
    }


def format_text(report: Report) -> str:
    """A few lines for a person at a terminal."""
    head = f"{report.project} at {report.commit_sha[:12]}: {summary_line(report)}"
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
        f"{_embedding_line(stats)}"
        f"  time: {report.total_seconds:.2f} s ({stages})"
    )


def _embedding_line(stats: RunStats) -> str:
    return f"  embedding: {embedding_cost(stats)}\n" if stats.embedding_requests else ""


def embedding_cost(stats: RunStats) -> str:
    """What the embedder's service was asked for and, where a price is known, what that cost."""
    asked = pluralize(stats.embedding_requests, "request")
    tokens = pluralize(stats.embedding_tokens, "token")
    cost = stats.embedding_cost_usd
    return f"{asked}, {tokens}" + ("" if cost is None else f", ${cost:.4f}")


def summary_line(report: Report) -> str:
    """Mode and reason in one line."""
    done = "nothing to do" if report.mode is Mode.NONE else f"{report.mode} run"
    return f"{done} ({report.reason}: {report.sentence})"
