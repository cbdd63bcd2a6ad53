"""The result or the progress of a run, and its forms for terminals and programs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum, auto
from typing import Any, Final

from indexer.output.terminal import escape_line, pluralize
from indexer.records.files import SkipReason
from indexer.records.runs import Mode, Reason, RunStats, UploadMode, reason_sentence

_NEXT_LINE: Final = "\n"


class RunStage(Enum):
    """The state of a run at central. While it is announced, only central knows it."""

    NOT_OPENED = auto()
    OPEN = auto()
    ANNOUNCING = auto()
    ANNOUNCED = auto()
    CANCELLED = auto()


@dataclass(slots=True)
class RunProgress:
    """The progress of a run, which is reported if the run ends early."""

    run_id: str = ""
    stage: RunStage = RunStage.NOT_OPENED


@dataclass(frozen=True, slots=True)
class ScipReport:
    """What became of the SCIP indexes of a run: numbers of documents.

    `outside`: of no file that is indexed; `duplicate`: of a path that came before; `cut`:
    occurrences that a limit left out of what is stored. `problem`: why no index was read, with a
    stable `code`.
    """

    documents: int = 0
    unchanged: int = 0
    sent: int = 0
    removed: int = 0
    refused: int = 0
    outside: int = 0
    duplicate: int = 0
    cut: int = 0
    first_refused: tuple[str, ...] = ()  # path and reason
    code: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a run. `seconds` by stage; with `Mode.NONE` nothing was done.

    `languages`, `skipped`, `generated` and `partly_parsed` count this run's files;
    `fetched_history`: the run had to fetch the history missing from the clone. `repository_url` is
    the repository's web page, if any.
    `direct_refusal`: why central refused the direct upload that QDRANT_URL asked for;
    `branch_refusal`: why it indexes no such branch. `scip`: None if the run was given no SCIP
    index.
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
    generated: int = 0
    partly_parsed: int = 0
    status_url: str | None = None
    page_url: str | None = None
    repository_url: str | None = None
    fetched_history: bool = False
    vectors: UploadMode = UploadMode.RELAY
    direct_refusal: str = ""
    branch_refusal: str = ""
    scip: ScipReport | None = None

    @property
    def total_seconds(self) -> float:
        """Wall time of the run without the start of the interpreter."""
        return sum(self.seconds.values())

    @property
    def last_indexed_commit(self) -> str | None:
        """The commit of the index after the run."""
        return self.base_commit if self.mode is Mode.NONE else self.commit_sha

    @property
    def sentence(self) -> str:
        """The reason for the mode, as a sentence."""
        return reason_sentence(self.reason)


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as `python -m indexer run` prints it (docs/reference/github.md)."""
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
        "generated": report.generated,
        "partly_parsed": report.partly_parsed,
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
        "vectors": report.vectors,
        "scip": asdict(report.scip) if report.scip else None,
        "seconds": report.seconds,
        "run_id": report.run_id,
        "status_url": report.status_url,
        "page_url": report.page_url,
    }


def format_text(report: Report) -> str:
    """Format a few lines for a terminal."""
    head = f"{report.project} at {report.commit_sha[:12]}: {summary_line(report)}"
    if report.branch_refusal:
        return f"{head}\n  {escape_line(report.branch_refusal)}"
    if report.mode is Mode.NONE:
        return head + _scip_line(report).removesuffix("\n")
    stats = report.stats
    stages = ", ".join(f"{name} {value:.2f} s" for name, value in report.seconds.items())
    return (
        f"{head}\n"
        f"  files: {stats.files_changed} indexed{files_note(report)}, "
        f"{stats.files_removed} removed, "
        f"{stats.files_skipped} skipped{skipped_note(report)}\n"
        f"  chunks: {stats.chunks} ({stats.embedded} embedded, {stats.reused} reused); "
        f"symbols: {stats.symbols}; references: {stats.references}\n"
        f"{_embedding_line(stats)}"
        f"{_vectors_line(report)}"
        f"{_scip_line(report).removeprefix(_NEXT_LINE)}"
        f"  time: {report.total_seconds:.2f} s ({stages})"
    )


def files_note(report: Report) -> str:
    """Format how many of the indexed files are generated or partly parsed."""
    notes = []
    if report.generated:
        notes.append(f"{report.generated:,} generated: symbols and references only")
    if report.partly_parsed:
        notes.append(f"{report.partly_parsed:,} partly parsed")
    return f" ({'; '.join(notes)})" if notes else ""


def skipped_note(report: Report) -> str:
    """Format how many files each reason skips, the most frequent first."""
    reasons = sorted(report.skipped.items(), key=lambda item: (-item[1], item[0]))
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in reasons)
    return f" ({counts})" if counts else ""


def _embedding_line(stats: RunStats) -> str:
    return f"  embedding: {embedding_cost(stats)}\n" if stats.embedding_requests else ""


def _vectors_line(report: Report) -> str:
    return f"  vectors: {refused_note(report)}\n" if report.direct_refusal else ""


def _scip_line(report: Report) -> str:
    return f"{_NEXT_LINE}  SCIP: {scip_note(report.scip)}\n" if report.scip else ""


def scip_note(scip: ScipReport) -> str:
    """Format what became of the SCIP indexes, and the first documents that were refused."""
    if scip.problem:
        return escape_line(f"not used, {scip.problem}")
    counts = {
        "unchanged": scip.unchanged,
        "sent": scip.sent,
        "removed": scip.removed,
        "refused": scip.refused,
        "of no indexed file": scip.outside,
        "repeated": scip.duplicate,
    }
    said = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    cut = f"; {pluralize(scip.cut, 'occurrence')} over the limits" if scip.cut else ""
    refused = f"; refused: {'; '.join(scip.first_refused)}" if scip.first_refused else ""
    return escape_line(f"{pluralize(scip.documents, 'document')} ({said or 'none'}){cut}{refused}")


def refused_note(report: Report) -> str:
    """Format that vectors were relayed, and why: a text of the service."""
    return f"{report.vectors.sentence} ({escape_line(report.direct_refusal.removesuffix('.'))})"


def embedding_cost(stats: RunStats) -> str:
    """Format the requests and tokens of the embedding service and, if known, their cost."""
    requests = pluralize(stats.embedding_requests, "request")
    tokens = pluralize(stats.embedding_tokens, "token")
    cost = stats.embedding_cost_usd
    return f"{requests}, {tokens}" + ("" if cost is None else f", ${cost:.4f}")


def summary_line(report: Report) -> str:
    """Format mode and reason in one line."""
    done = "nothing to do" if report.mode is Mode.NONE else f"{report.mode} run"
    return f"{done} ({report.reason}: {report.sentence})"
