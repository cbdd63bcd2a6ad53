"""`run`: index the checked-out commit and report the result."""

import argparse
import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from indexer.commands.connection import Connection, add_arguments, connect
from indexer.errors import IndexerError, ShallowCloneError
from indexer.exits import Exit, TerminatedError
from indexer.output.github import GitHubRunner, Level
from indexer.pipeline import job_summary
from indexer.pipeline.report import Report, RunProgress, as_json, format_text
from indexer.records.files import SkipReason
from indexer.records.runs import Reason, Requested

if TYPE_CHECKING:
    from indexer.pipeline.job import ScipRequest

WAIT_SECONDS: Final = 1800.0
_OVER_LIMITS: Final = (SkipReason.TOO_LARGE, SkipReason.UNPROCESSABLE)
_MANY_FILES, _MANY_OF_ALL = 10, 0.01


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its arguments."""
    parser = commands.add_parser("run", help="index the checked-out commit")
    add_arguments(parser)
    parser.add_argument(
        "--ref", help="the branch; default: the checked-out one, or that of the job"
    )
    parser.add_argument("--mode", type=Requested, choices=list(Requested), default=Requested.AUTO)
    parser.add_argument(
        "--scip",
        action="append",
        default=[],
        metavar="PATH[:PREFIX]",
        help="a SCIP index, or a pattern of several, relative to --path; its paths are below the "
        "repository's directory PREFIX (AETERNA_SCIP; [scip] of .codesearch.toml)",
    )
    parser.add_argument(
        "--scip-commit",
        default="",
        metavar="SHA",
        help="the commit of which the indexes were made: those of another one are not read",
    )
    parser.add_argument(
        "--history",
        action="store_true",
        help="--mode history: send the stored and the newest commits again, with their lines",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace, environ: Mapping[str, str]) -> Exit:
    """Bring the index up to date. Raises IndexerError."""
    runner, run_progress = GitHubRunner.of(environ), RunProgress()
    try:
        report = _index(options, environ, run_progress)
    except IndexerError as error:
        _report_failure(runner, error, run_progress)
        raise
    except (KeyboardInterrupt, TerminatedError) as signal:
        _report_cancelled(runner, run_progress, Exit.of_signal(signal))
        raise
    sys.stdout.write((json.dumps(as_json(report)) if options.json else format_text(report)) + "\n")
    _report_done(runner, report)
    return Exit.OK


def _index(
    options: argparse.Namespace, environ: Mapping[str, str], run_progress: RunProgress
) -> Report:
    # Imported here: --help and a wrong argument answer at once.
    from indexer.pipeline.forkserver import start_forkserver

    start_forkserver()
    from indexer.client.credentials import Purpose
    from indexer.pipeline.job import scip_request

    connection = connect(options, environ, Purpose.INDEX)
    scip = scip_request(options.scip, options.scip_commit, environ, options.path)
    return index_branch(
        connection,
        ref=options.ref,
        requested=Requested.HISTORY if options.history else options.mode,
        scip=scip,
        plain=options.json,
        run_progress=run_progress,
    )


def index_branch(
    connection: Connection,
    *,
    ref: str | None,
    requested: Requested,
    scip: "ScipRequest | None",
    plain: bool,
    run_progress: RunProgress,
) -> Report:
    """Bring the index of `ref` (default: the checked-out branch) up to date, and wait for it.

    Raises IndexerError; `plain`: no bar.
    """
    from indexer.client.api import IndexingClient
    from indexer.pipeline.job import make_job
    from indexer.pipeline.progress import display
    from indexer.pipeline.run import index

    repository, settings = connection.repository, connection.settings
    job = make_job(
        repository,
        settings,
        ref=ref,
        requested=requested,
        timeout_seconds=WAIT_SECONDS,
        scip=scip,
    )
    with display(plain=plain or settings.continuous_integration) as progress:
        return index(
            job=job,
            repository=repository,
            central=IndexingClient(connection.transport),
            progress=progress,
            run_progress=run_progress,
        )


def _report_done(runner: GitHubRunner, report: Report) -> None:
    runner.summarize(job_summary.report_summary(report))
    runner.set_outputs(
        {
            "mode": report.mode,
            "reason": report.reason,
            "files-changed": str(report.stats.files_changed + report.stats.files_removed),
            "chunks": str(report.stats.chunks),
            "run-id": report.run_id,
            "last-indexed-commit": report.last_indexed_commit or "",
        }
    )
    if report.fetched_history:
        runner.annotate(
            Level.WARNING,
            "The checkout lacks history",
            "The history was fetched to compare the commits. Let the checkout fetch it:\n"
            f"{ShallowCloneError.fix}",
        )
    if _skipped_many(report):
        runner.annotate(
            Level.WARNING,
            "Many files are over the limits and were skipped",
            "The job summary has the numbers and reasons. Raise `max_file_bytes` in [index] of "
            ".codesearch.toml, or list the files in `exclude`.",
        )
    if report.reason is Reason.BRANCH_NOT_WANTED:
        runner.annotate(Level.NOTICE, "Nothing to do", report.branch_refusal)
    if report.reason is Reason.SUPERSEDED:
        runner.annotate(
            Level.NOTICE,
            "Nothing to do",
            f"The branch no longer ends at {report.commit_sha}. The index stays at "
            f"{report.last_indexed_commit}.",
        )


def _skipped_many(report: Report) -> bool:
    over = sum(report.skipped.get(reason, 0) for reason in _OVER_LIMITS)
    files = report.stats.files_changed + report.stats.files_skipped
    return over >= max(_MANY_FILES, files * _MANY_OF_ALL)


def _report_failure(runner: GitHubRunner, error: IndexerError, run_progress: RunProgress) -> None:
    runner.annotate(Level.ERROR, error.title, error.message)
    runner.summarize(job_summary.failure_summary(error, type(error).exit_code, run_progress))
    _output_run_id(runner, run_progress)


def _report_cancelled(runner: GitHubRunner, run_progress: RunProgress, code: Exit) -> None:
    sys.stderr.write(f"cancelled: {job_summary.run_outcome(run_progress)}\n")
    runner.summarize(job_summary.cancelled_summary(code, run_progress))
    _output_run_id(runner, run_progress)


def _output_run_id(runner: GitHubRunner, run_progress: RunProgress) -> None:
    if run_progress.run_id:
        runner.set_outputs({"run-id": run_progress.run_id})
