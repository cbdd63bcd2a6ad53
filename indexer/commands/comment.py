"""`comment`: write the report of `impact` as one comment on the pull request, updated in place."""

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from indexer.errors import CommentForbiddenError, ForgeError, ForgeUnavailableError, IndexerError
from indexer.exits import Exit
from indexer.limits import COMMENT_BYTES, FORGE_WAIT_SECONDS
from indexer.output.github import GitHubRunner, Level, strip_commands

if TYPE_CHECKING:
    from indexer.config.github_job import PullRequestJob

_FORBIDDEN: Final = frozenset({403, 404})  # as GitHub answers a token without the permission
_FORK: Final = (
    "This pull request comes from a fork. GitHub gives its jobs no right to write, so no comment "
    "is written."
)


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its arguments."""
    parser = commands.add_parser(
        "comment",
        help="write the report of `impact` as a comment on the pull request",
        description="Reads the report (the output `report` of the command impact) from standard "
        "input, in a job of a pull request with `pull-requests: write`. Its GITHUB_TOKEN writes "
        "the comment, or updates the one of an earlier commit.",
    )
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace, environ: Mapping[str, str]) -> Exit:
    """Write the comment; a pull request from a fork has none. Raises IndexerError."""
    del options
    from indexer.config.github_job import PullRequestJob
    from indexer.impact.job_summary import failure_summary

    runner = GitHubRunner.of(environ)
    try:
        job = PullRequestJob.load(environ)
        if job.is_from_fork:
            runner.summarize(f"### No comment\n\n{_FORK}\n\n")
            runner.annotate(Level.NOTICE, "No comment", _FORK)
            return Exit.OK
        result = _write(job, _read_report())
    except IndexerError as error:
        runner.annotate(Level.ERROR, error.title, error.message)
        runner.summarize(failure_summary(error, type(error).exit_code, heading="No comment"))
        raise
    sys.stdout.write(strip_commands(f"comment: {result}") + "\n")
    return Exit.OK


def _read_report() -> str:
    """Read a report that may end with line breaks; a longer one is refused later."""
    return sys.stdin.buffer.read(COMMENT_BYTES + 3).decode(errors="replace").strip()


def _write(job: "PullRequestJob", report: str) -> str:
    """Write the report, if the analysis made one; return the comment's address or why not."""
    from indexer.forge.api import GitHubApi
    from indexer.forge.comments import PullRequest, write_comment
    from indexer.retry import Retryable, with_retries

    if not report:
        return "none, as there is no report"
    pull = PullRequest(job.repository, job.number)

    def attempt() -> str | Retryable | None:
        try:
            return write_comment(api, pull, report)
        except ForgeUnavailableError as error:
            return Retryable(error, error.pause_seconds)

    try:
        with GitHubApi(url=job.api_url, token=job.token) as api:
            url = with_retries(attempt, seconds=FORGE_WAIT_SECONDS)
    except ForgeError as error:
        if error.status in _FORBIDDEN:
            raise CommentForbiddenError(
                "The job's token may not comment on the pull request: the job needs the "
                "permission `pull-requests: write`.",
                status=error.status,
            ) from error
        raise
    return "none, as there are no callers" if url is None else url
