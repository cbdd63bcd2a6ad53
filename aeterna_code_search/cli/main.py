"""`codesearch` and `aeterna` as processes: streams, signals and exit codes.

Signal handlers are installed before anything else is imported.
"""

import os
import signal
import sys
from collections.abc import Callable
from errno import EDQUOT, ENOSPC
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    import typer

_FULL: Final = {ENOSPC, EDQUOT}


def main_codesearch() -> NoReturn:
    """Run `codesearch`."""
    _run("codesearch")


def main_aeterna() -> NoReturn:
    """Run `aeterna`."""
    _run("aeterna")


def _run(name: str) -> NoReturn:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_at_once)
    _open_streams()
    _check_packages()
    try:
        code = _exit_code(name)
    except KeyboardInterrupt:  # after typer has returned
        code = 128 + signal.SIGINT
    _leave(code)


def _check_packages() -> None:
    """Exit if an import would get a package of another project."""
    from aeterna_code_search.cli.distribution import shadow_error

    if error := shadow_error():
        _say(error)
        sys.exit(2)  # Exit.USAGE, which may be in a package that is not ours


def _exit_code(name: str) -> int:
    from indexer.config.settings import consume_environment

    environ = consume_environment()
    # Keeps httpx from importing its own command line with click and rich, and HTTP/2.
    sys.modules["httpx._main"] = sys.modules["h2"] = None  # type: ignore[assignment]

    from aeterna_code_search.cli import app
    from aeterna_code_search.cli.context import CommandContext, directory
    from aeterna_code_search.cli.output.errors import format_error
    from indexer.errors import IndexerError
    from indexer.exits import Exit, TerminatedError

    make: Callable[[], typer.Typer] = getattr(app, f"{name}_application")
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, _terminate)
        make()(prog_name=name, obj=CommandContext(environ, directory()))
    except SystemExit as ended:  # typer's normal end; Ctrl-C is 130 there
        return ended.code if isinstance(ended.code, int) else Exit.OK
    except IndexerError as error:
        _say(format_error(error))
        return error.exit_code
    except TerminatedError:
        return Exit.TERMINATED
    except Exception as error:  # noqa: BLE001 - exit code 1 means that nothing was found
        return _fault(error)
    return Exit.OK


def _fault(error: Exception) -> int:
    from indexer.exits import Exit

    if isinstance(error, OSError) and error.errno in _FULL:
        _say(f"error: {error.strerror}: {error.filename or 'standard output'}")
        return Exit.USAGE
    import logging

    logging.getLogger(__name__).error(
        "error: internal error in codesearch; please report it with these lines:", exc_info=error
    )
    from aeterna_code_search.cli.distribution import sharing_warning

    if warning := sharing_warning():
        _say(warning)
    return Exit.NOT_INDEXED


def _open_streams() -> None:
    """Open /dev/null for each closed stream (`>&-`), so that no file gets its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            while (opened := os.open(os.devnull, os.O_RDWR)) < number:
                pass
            setattr(sys, name, open(opened, "r" if number == 0 else "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):  # a terminal may lack characters
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def _say(message: str) -> None:
    try:
        sys.stderr.write(f"{message}\n")
    except OSError:  # the reader is gone
        return


def _end_at_once(number: int, _frame: object) -> NoReturn:
    os._exit(128 + number)


def _terminate(_signal: int, _frame: object) -> NoReturn:
    from indexer.exits import TerminatedError

    raise TerminatedError


def _leave(code: int) -> NoReturn:
    """Exit at once, without waiting for threads that wait for an answer."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_at_once)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:  # the reader is gone: `| head`
            continue
        except OSError as error:
            if not code:
                code = _fault(error)
    os._exit(code)
