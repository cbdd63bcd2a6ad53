"""`impact`: tell which functions a branch changes and who calls them, in other repositories too."""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from indexer import advice
from indexer.actions import Level, Runner
from indexer.config import GitCredential, Settings
from indexer.errors import IndexerError
from indexer.exits import EXIT_OF, Exit

if TYPE_CHECKING:
    from indexer.impact import Impact


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its arguments."""
    parser = commands.add_parser(
        "impact",
        help="tell who calls what a branch changes",
        epilog="The server and the credential come from AETERNA_URL and AETERNA_TOKEN.",
    )
    parser.add_argument(
        "range",
        nargs="?",
        metavar="BASE..HEAD",
        help="what HEAD changes since it left BASE; default: the pull request that started the "
        "job, else the remote's default branch and HEAD",
    )
    parser.add_argument("--path", type=Path, default=Path(), help="a directory of the repository")
    parser.add_argument("--organization", help="its slug (AETERNA_ORGANIZATION)")
    parser.add_argument("--project", help="the repository's name in the index (AETERNA_PROJECT)")
    parser.add_argument(
        "--min-confidence",
        choices=["high", "medium", "low"],
        default="medium",
        help="how sure a caller must be to be named",
    )
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace, environ: Mapping[str, str]) -> Exit:
    """Tell the impact. Raises IndexerError; callers are no failure, an unknown project is one."""
    # httpx imports its own command line, and click and rich for it, where these are installed.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    # Imported here: --help and a wrong argument answer at once.
    from indexer import impact_report, impact_summary

    runner = Runner.of(environ)
    try:
        impact = _assess(options, environ)
    except IndexerError as error:
        message = "\n".join(filter(None, (str(error), advice.lines_to_write(error))))
        runner.annotate(Level.ERROR, advice.title(error), message)
        runner.summarize(impact_summary.of_failure(error, EXIT_OF[type(error)]))
        raise
    found = json.dumps(impact_report.as_json(impact)) if options.json else None
    sys.stdout.write((found or impact_report.as_text(impact)) + "\n")
    runner.summarize(impact_summary.of_impact(impact))
    return Exit.NOT_INDEXED if impact.indexed_commit is None else Exit.OK


def _assess(options: argparse.Namespace, environ: Mapping[str, str]) -> "Impact":
    from indexer.git import Repository
    from indexer.identity import Purpose, credentials_of
    from indexer.impact import assess, range_of
    from indexer.job import repository_name
    from indexer.questions import Questions
    from indexer.transport import Transport

    repository = Repository(options.path, GitCredential.load(environ))
    settings = Settings.load(
        environ,
        project_dir=repository.root,
        default_project=repository_name(repository),
        overrides={"organization": options.organization, "project": options.project},
    )
    transport = Transport(
        url=settings.url,
        credentials=credentials_of(settings, Purpose.IMPACT),
        retry_seconds=settings.retry_seconds,
    )
    return assess(
        repository=repository,
        questions=Questions(
            transport, organization=settings.organization, project=settings.project
        ),
        project=settings.project,
        compared=range_of(repository, settings.github, options.range),
        min_confidence=options.min_confidence,
    )
