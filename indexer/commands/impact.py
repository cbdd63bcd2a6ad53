"""`impact`: report which functions a branch changes and their callers in all repositories."""

import argparse
import json
import sys
from collections.abc import Mapping

from indexer.commands.connection import add_arguments, connect
from indexer.errors import IndexerError
from indexer.exits import Exit
from indexer.output.github import GitHubRunner, Level


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
    from indexer.client.credentials import Purpose  # here, so that --help answers at once
    from indexer.impact import job_summary, report
    from indexer.impact.assessment import impact_of

    runner = GitHubRunner.of(environ)
    try:
        connection = connect(options, environ, Purpose.IMPACT)
        settings = connection.settings
        impact = impact_of(
            connection.repository,
            connection.transport,
            organization=settings.organization,
            project=settings.project,
            github=settings.github,
            range_text=options.range,
            min_confidence=options.min_confidence,
        )
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
            "report": job_summary.comment_body(impact, settings.github.run_url),
        }
    )
    return report.exit_of(impact)
