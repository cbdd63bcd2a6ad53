"""GitHub's job summary of a run, as Markdown: the result, or how to fix the error."""

from indexer.errors import IndexerError, RunFailedError, RunStaleError
from indexer.exits import Exit
from indexer.output.markdown import code, link, table, text
from indexer.output.terminal import pluralize
from indexer.pipeline.report import (
    Report,
    RunProgress,
    RunStage,
    embedding_cost,
    files_note,
    refused_note,
    scip_note,
)
from indexer.records.runs import Mode, Reason, RunStats

_SHORT = 12  # characters of a commit
_REWRITTEN = {Reason.DIVERGED, Reason.REWOUND}
_OUTCOMES = {
    RunStage.NOT_OPENED: "The index is unchanged.",
    RunStage.OPEN: (
        "The run could not be cancelled because the service was unreachable; it will expire. The "
        "index is unchanged."
    ),
    RunStage.ANNOUNCING: "The service may continue the run: check its status.",
    RunStage.ANNOUNCED: "The upload was complete: the service continues the run.",
    RunStage.CANCELLED: "The run was cancelled. The index is unchanged.",
}


def report_summary(report: Report) -> str:
    """Format the summary of a successful run; one line if nothing was done."""
    if report.mode is Mode.NONE:
        return (
            f"**Code index of {code(report.project)}:** nothing to do at "
            f"{_commit(report, report.commit_sha)}, {_why(report)}. {_run(report)}\n\n"
        )
    return "\n".join(
        (
            f"### Code index: {code(report.project)}\n",
            f"**{str(report.mode).capitalize()} run** of {_commit(report, report.commit_sha)}: "
            f"{_why(report)}.{_rewritten(report)}\n",
            f"{_figures(report)}\n",
            *([f"Vectors were {text(refused_note(report))}.\n"] if report.direct_refusal else []),
            *([f"SCIP: {text(scip_note(report.scip))}.\n"] if report.scip else []),
            *_tables(report),
            f"{_run(report)}\n\n",
        )
    )


def failure_summary(error: IndexerError, exit_code: Exit, run_progress: RunProgress) -> str:
    """Format the summary of a failed run."""
    is_final = isinstance(error, RunFailedError | RunStaleError)  # central reported the outcome
    return "\n".join(
        (
            f"### Code index failed: {error.title}\n",
            f"{text(str(error))}\n",
            *([f"```yaml\n{error.fix}\n```\n"] if error.fix else []),
            *([] if is_final else [f"{run_outcome(run_progress)}\n"]),
            _exit_line(exit_code, run_progress),
        )
    )


def crash_summary(exit_code: Exit) -> str:
    """Format the summary of a command that ended with an unexpected error."""
    return (
        "### Internal error of the indexer\n\nPlease report it with the log.\n\n"
        f"{_exit_line(exit_code, RunProgress())}"
    )


def cancelled_summary(exit_code: Exit, run_progress: RunProgress) -> str:
    """Format the summary of a cancelled run."""
    outcome = f"{run_outcome(run_progress)} {_exit_line(exit_code, run_progress)}"
    return f"### Code index cancelled\n\n{outcome}"


def run_outcome(run_progress: RunProgress) -> str:
    """Return the outcome of a run that ended early."""
    return _OUTCOMES[run_progress.stage]


def _exit_line(exit_code: Exit, run_progress: RunProgress) -> str:
    run = f" Run {code(run_progress.run_id)}." if run_progress.run_id else ""
    return f"Exit code {exit_code:d}: {exit_code.meaning}.{run}\n\n"


def _why(report: Report) -> str:
    return f"{report.sentence} ({code(report.reason)})"


def _commit(report: Report, commit: str) -> str:
    address = report.repository_url and f"{report.repository_url}/commit/{commit}"
    return link(code(commit[:_SHORT]), address)


def _rewritten(report: Report) -> str:
    if report.reason not in _REWRITTEN or not report.base_commit:
        return ""
    old, new = (_commit(report, commit) for commit in (report.base_commit, report.commit_sha))
    return f" The branch was moved from {old} to {new}."


def _figures(report: Report) -> str:
    stats = report.stats
    return (
        f"{pluralize(stats.files_changed, 'file')} indexed{files_note(report)}, "
        f"{stats.files_removed:,} removed, "
        f"{stats.files_skipped:,} skipped; {pluralize(stats.chunks, 'chunk')} "
        f"({stats.embedded:,} embedded, {stats.reused:,} reused), "
        f"{pluralize(stats.symbols, 'symbol')}, {pluralize(stats.references, 'reference')}."
        f"{_cost(stats)}"
    )


def _cost(stats: RunStats) -> str:
    return f" Embedding took {embedding_cost(stats)}." if stats.embedding_requests else ""


def _tables(report: Report) -> list[str]:
    languages = sorted(report.languages.items(), key=lambda item: (-item[1], item[0]))
    skipped = sorted(report.skipped.items(), key=lambda item: (-item[1], item[0]))
    files = [(text(name), f"{count:,}") for name, count in languages]
    reasons = [(code(name), f"{count:,}", name.sentence) for name, count in skipped]
    stages = [(name, f"{seconds:.2f}") for name, seconds in report.seconds.items()]
    return [
        *([table(("Language", "Files:"), files)] if files else []),
        *([table(("Skipped", "Files:", "Why"), reasons)] if reasons else []),
        table(("Stage", "Seconds:"), [*stages, ("**all**", f"**{report.total_seconds:.2f}**")]),
    ]


def _run(report: Report) -> str:
    if report.branch_refusal:
        return text(report.branch_refusal)
    return f"Run {link(code(report.run_id), report.page_url or report.status_url)}."
