"""`python -m indexer COMMAND`: the parser, signals and exit codes. See indexer.commands."""

import argparse
import logging
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

from indexer.commands import comment, impact, run
from indexer.config.settings import consume_environment
from indexer.errors import IndexerError
from indexer.exits import Exit, TerminatedError
from indexer.output.github import GitHubRunner, Level, log_to_standard_error
from indexer.pipeline import job_summary

_COMMANDS: Final = (run, impact, comment)
_log = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    environ = consume_environment()
    log_to_standard_error()
    # httpx imports its own command line, with click and rich, and HTTP/2, if these are installed.
    sys.modules["httpx._main"] = sys.modules["h2"] = None  # type: ignore[assignment]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    signal.signal(signal.SIGTERM, _terminate)
    try:
        return int(options.execute(options, environ))
    except IndexerError as error:
        _log.error("error: %s", error)
        return type(error).exit_code  # of the class: a job does not distinguish refusals
    except (KeyboardInterrupt, TerminatedError) as cancelled:
        _leave(Exit.of_signal(cancelled))
    except Exception:  # noqa: BLE001 - the interpreter would exit with 1: nothing was found
        _log.exception("error: internal error of the indexer; please report it with these lines:")
        runner = GitHubRunner.of(environ)
        runner.annotate(
            Level.ERROR, "Internal error of the indexer", "Please report it with the log."
        )
        runner.summarize(job_summary.crash_summary(Exit.NOT_INDEXED))
        return Exit.NOT_INDEXED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m indexer", description="Bring the index of a repository up to date."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add_parser(commands)
    return parser


def _terminate(_signal: int, _frame: object) -> NoReturn:
    raise TerminatedError


def _leave(code: Exit) -> NoReturn:
    """End the process at once; a normal exit takes 0.1 s, or minutes with a busy thread."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:  # a full disk, or a reader that is gone
        _log.error("error: the report cannot be written: %s", error.strerror)
        code = code or Exit.USAGE
    os._exit(code)


if __name__ == "__main__":
    _leave(Exit(main()))
