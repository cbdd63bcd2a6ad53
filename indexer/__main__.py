"""`python -m indexer COMMAND`: the parser, signals and exit codes. See indexer.commands."""

import argparse
import logging
import signal
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

from indexer.commands import run
from indexer.config import take_environment
from indexer.errors import IndexerError
from indexer.exits import EXIT_OF, Exit

_COMMANDS: Final = (run,)
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
        return int(options.execute(options, environ))
    except IndexerError as error:
        sys.stderr.write(f"error: {error}\n")
        return EXIT_OF[type(error)]
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except _TerminatedError:
        return Exit.TERMINATED
    except Exception:  # noqa: BLE001 - the interpreter would exit with 1: nothing was found
        _log.exception("error: a fault of the indexer; please report it with these lines:")
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
    raise _TerminatedError


if __name__ == "__main__":
    sys.exit(main())
