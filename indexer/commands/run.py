"""`run`: index the checked-out commit, and tell what was done."""

import argparse
import json
import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from indexer.config import Settings
from indexer.errors import IndexerError
from indexer.exits import Exit
from indexer.planning import Requested
from indexer.summary import Report, annotation, as_json, as_markdown, as_text, failure_as_markdown

_WAIT_SECONDS: Final = 1800.0
_log = logging.getLogger(__name__)


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its arguments."""
    parser = commands.add_parser(
        "run",
        help="index the checked-out commit",
        epilog="The server and the credential come from AETERNA_URL and AETERNA_TOKEN.",
    )
    parser.add_argument("--path", type=Path, default=Path(), help="a directory of the repository")
    parser.add_argument("--organization", help="its slug (AETERNA_ORGANIZATION)")
    parser.add_argument("--project", help="the repository's name in the index (AETERNA_PROJECT)")
    parser.add_argument("--ref", help="the branch; default: the checked-out one")
    parser.add_argument("--mode", type=Requested, choices=list(Requested), default=Requested.AUTO)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace, environ: Mapping[str, str]) -> Exit:
    """Bring the index up to date. Raises IndexerError."""
    try:
        report, settings = _index(options, environ)
    except IndexerError as error:
        _tell_failure(error, environ)
        raise
    sys.stdout.write((json.dumps(as_json(report)) if options.json else as_text(report)) + "\n")
    _write_summary(settings.github.summary_file, as_markdown(report))
    return Exit.OK


def _index(options: argparse.Namespace, environ: Mapping[str, str]) -> tuple[Report, Settings]:
    # Imported here: --help and a wrong argument answer at once.
    from indexer.processing import warm_up

    warm_up()
    # httpx imports its own command line, and click and rich for it, where these are installed.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    from indexer.client import Central
    from indexer.git import Repository
    from indexer.identity import credentials_of
    from indexer.job import make_job, repository_name
    from indexer.pipeline import index
    from indexer.progress import display
    from indexer.transport import Transport

    repository = Repository(options.path)
    settings = Settings.load(
        environ,
        project_dir=repository.root,
        default_project=repository_name(repository),
        overrides={"organization": options.organization, "project": options.project},
    )
    job = make_job(
        repository, settings, ref=options.ref, requested=options.mode, timeout_seconds=_WAIT_SECONDS
    )
    transport = Transport(
        url=settings.url,
        credentials=credentials_of(settings),
        retry_seconds=settings.retry_seconds,
    )
    with display(plain=options.json or settings.continuous_integration) as progress:
        report = index(
            job=job, repository=repository, central=Central(transport), progress=progress
        )
    return report, settings


def _tell_failure(error: IndexerError, environ: Mapping[str, str]) -> None:
    if environ.get("GITHUB_ACTIONS") == "true":
        sys.stderr.write(annotation(error) + "\n")
    summary = environ.get("GITHUB_STEP_SUMMARY")
    _write_summary(Path(summary) if summary else None, failure_as_markdown(error))


def _write_summary(path: Path | None, markdown: str) -> None:
    if path is None:
        return
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(markdown)
    except OSError as exc:  # what the run did stands
        _log.warning("the job summary was not written: %s", exc)
