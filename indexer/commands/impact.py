"""`impact`: report which functions a branch changes and their callers in all repositories."""

import argparse
import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from indexer.commands.connection import add_arguments, connect
from indexer.errors import IndexerError
from indexer.exits import Exit
from indexer.output.github import GitHubRunner, Level

if TYPE_CHECKING:
    from indexer.commands.connection import Connection
    from indexer.impact.assessment import Impact


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its arguments."""
    parser = commands.add_parser(
        "impact",
        help="show the callers of the definitions that a branch changes",
    )
    add_arguments(parser)
    parser.add_argument(
        "range",
        nargs="?",
        metavar="BASE..HEAD",
        help="the changes of HEAD since its merge base with BASE; default: the pull request that "
        "started the job, else the remote's default branch and HEAD",
    )
    parser.add_argument(
        "--min-confidence",
        choices=["high", "medium", "low"],
        default="medium",
        help="minimum confidence of a caller; `low` includes matches by name only",
    )
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace, environ: Mapping[str, str]) -> Exit:
    """Report the impact. Raises IndexerError.

    Callers are no failure; an unknown project is one.
    """
    from indexer.impact import job_summary, report  # here, so that --help answers at once

    runner = GitHubRunner.of(environ)
    try:
        connection = _connect(options, environ)
        impact = _assess(options, connection)
    except IndexerError as error:
        runner.annotate(Level.ERROR, error.title, error.message)
        runner.summarize(job_summary.failure_summary(error, type(error).exit_code))
        raise
    found = json.dumps(report.as_json(impact)) if options.json else report.format_text(impact)
    sys.stdout.write(found + "\n")
    runner.summarize(job_summary.impact_summary(impact))
    runner.set_outputs(
        {
            "callers": str(sum(symbol.count for symbol in impact.answer.symbols)),
            "report": job_summary.comment_body(impact, connection.settings.github.run_url),
        }
    )
    return report.exit_of(impact)


def _connect(options: argparse.Namespace, environ: Mapping[str, str]) -> "Connection":
    from indexer.client.credentials import Purpose

    return connect(options, environ, Purpose.IMPACT)


def _assess(options: argparse.Namespace, connection: "Connection") -> "Impact":
    from indexer.impact.assessment import impact_of

    settings = connection.settings
    return impact_of(
        connection.repository,
        connection.transport,
        organization=settings.organization,
        project=settings.project,
        github=settings.github,
        range_text=options.range,
        min_confidence=options.min_confidence,
    )
