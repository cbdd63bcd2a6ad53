"""`python -m indexer run`: arguments, progress, report, exit code."""

import argparse
import json
import logging
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

from indexer import errors
from indexer.config import Settings, take_environment
from indexer.planning import Requested
from indexer.summary import Report, annotation, as_json, as_markdown, as_text, failure_as_markdown

USAGE, NOT_INDEXED, UNREACHABLE, REFUSED = 2, 3, 4, 5
EXIT_CODES: Final[Mapping[type[errors.IndexerError], int]] = {
    errors.IndexerError: NOT_INDEXED,
    errors.ConfigurationError: USAGE,
    errors.GitError: NOT_INDEXED,
    errors.NotARepositoryError: USAGE,
    errors.CommitNotFoundError: USAGE,
    errors.ShallowCloneError: NOT_INDEXED,
    errors.BundleError: NOT_INDEXED,
    errors.EmbeddingError: NOT_INDEXED,
    errors.EmbedderMismatchError: NOT_INDEXED,
    errors.EmbedderUnavailableError: UNREACHABLE,
    errors.StoreError: NOT_INDEXED,
    errors.StoreUnavailableError: UNREACHABLE,
    errors.StoreLockedError: NOT_INDEXED,
    errors.CentralError: NOT_INDEXED,
    errors.CentralUnreachableError: UNREACHABLE,
    errors.CentralRefusedError: REFUSED,
    errors.RunConflictError: NOT_INDEXED,
    errors.RunStaleError: NOT_INDEXED,
    errors.RunFailedError: NOT_INDEXED,
}
_INTERRUPTED, _TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM
_WAIT_SECONDS: Final = 1800.0
_log = logging.getLogger(__name__)


class _TerminatedError(BaseException):
    """SIGTERM; like KeyboardInterrupt nothing but the top catches it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and answer its exit code."""
    options = _parser().parse_args(arguments)
    environ = take_environment()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    signal.signal(signal.SIGTERM, _terminate)
    try:
        return _attempt(options, environ)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except _TerminatedError:
        return _TERMINATED
    except Exception:  # noqa: BLE001 - the interpreter would exit with 1: nothing was found
        _log.exception("error: a fault of the indexer; please report it with these lines:")
        return NOT_INDEXED


def _attempt(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    try:
        report, settings = _run(options, environ)
    except errors.IndexerError as error:
        _tell_failure(error, environ)
        return EXIT_CODES[type(error)]
    sys.stdout.write((json.dumps(as_json(report)) if options.json else as_text(report)) + "\n")
    _write_summary(settings.github.summary_file, as_markdown(report))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m indexer", description="Bring the index of a repository up to date."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="index the checked-out commit",
        epilog="The server and the credential come from AETERNA_URL and AETERNA_TOKEN.",
    )
    run.add_argument("--path", type=Path, default=Path(), help="a directory of the repository")
    run.add_argument("--organization", help="its slug (AETERNA_ORGANIZATION)")
    run.add_argument("--project", help="the repository's name in the index (AETERNA_PROJECT)")
    run.add_argument("--ref", help="the branch; default: the checked-out one")
    run.add_argument("--mode", type=Requested, choices=list(Requested), default=Requested.AUTO)
    run.add_argument("--json", action="store_true", help="print the report as JSON")
    return parser


def _terminate(_signal: int, _frame: object) -> NoReturn:
    raise _TerminatedError


def _run(options: argparse.Namespace, environ: Mapping[str, str]) -> tuple[Report, Settings]:
    # Imported here: --help and a wrong argument answer at once.
    from indexer.processing import warm_up

    warm_up()
    # httpx imports its own command line, and click and rich for it, where these are installed.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    from indexer.client import Central
    from indexer.git import Repository
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
        url=settings.url, token=settings.token, retry_seconds=settings.retry_seconds
    )
    with display(plain=options.json or settings.continuous_integration) as progress:
        report = index(
            job=job, repository=repository, central=Central(transport), progress=progress
        )
    return report, settings


def _tell_failure(error: errors.IndexerError, environ: Mapping[str, str]) -> None:
    sys.stderr.write(f"error: {error}\n")
    if environ.get("GITHUB_ACTIONS") == "true":
        sys.stderr.write(annotation(error) + "\n")
    summary = environ.get("GITHUB_STEP_SUMMARY")
    _write_summary(Path(summary) if summary else None, failure_as_markdown(error))


def _write_summary(path: Path | None, markdown: str) -> None:
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(markdown)


if __name__ == "__main__":
    sys.exit(main())
