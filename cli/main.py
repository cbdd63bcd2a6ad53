"""`codesearch …` and `aeterna codesearch …`: the list of commands, signals and exit codes.

A command is a module of cli.commands with `commands = typer.Typer()` and, in it, a function
decorated with `@commands.command(…)` that takes `typer.Context` (`ctx.obj` is the Invocation) and
answers an Exit; import the module here and put it into `_COMMANDS`. It raises IndexerError, whose
message and exit code are told here. At import it needs typer alone: --help answers at once.
"""

import logging
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn

import typer

from cli.commands import impact, index, init, mcp, search, serve, sidecar, status, trace, watch
from cli.context import Invocation
from cli.refusals import told
from indexer.config import take_environment
from indexer.errors import IndexerError
from indexer.exits import Exit, TerminatedError, exit_of

_COMMANDS: Final = (init, index, search, trace, impact, status, watch, mcp, sidecar, serve)
_EXITS: Final = "\b\nExit codes:\n" + "\n".join(
    f"  {code:<4} {code.meaning}" for code in Exit if code < Exit.TERMINATED
)
_log = logging.getLogger(__name__)


def main_codesearch() -> NoReturn:
    """`codesearch`."""
    _run(codesearch_application(), "codesearch")


def main_aeterna() -> NoReturn:
    """`aeterna`."""
    application = _application(help="Aeterna's tools.")
    application.callback()(lambda: None)  # so that its only command keeps its name
    application.add_typer(codesearch_application(), name="codesearch")
    _run(application, "aeterna")


def codesearch_application() -> typer.Typer:
    """Every command; `obj` is the Invocation."""
    application = _application(
        help="Search and trace code across the repositories of an organisation.\n\n"
        "The service is that of AETERNA_URL, AETERNA_TOKEN and AETERNA_ORGANIZATION or of "
        ".codesearch.toml; without one, an index on this machine is used.",
        epilog=_EXITS,
    )
    for module in _COMMANDS:
        application.add_typer(module.commands)
    return application


def _application(**texts: str) -> typer.Typer:
    # Rich's help and tracebacks cost a fifth of a second, and break lines that are piped.
    return typer.Typer(
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        result_callback=_end,
        context_settings={"help_option_names": ["-h", "--help"]},
        **texts,  # type: ignore[arg-type]
    )


def _end(code: Exit, **_options: Any) -> NoReturn:
    raise typer.Exit(code)


def _run(application: typer.Typer, name: str) -> NoReturn:
    environ = take_environment()
    # httpx imports its own command line, and click and rich for it, where these are installed.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    # `_leave` leaves semaphores to multiprocessing's own cleaner, which need not complain of them.
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")
    for stream in (sys.stdout, sys.stderr):  # a terminal may not have every letter
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    signal.signal(signal.SIGTERM, _terminate)
    _leave(_exit_code(application, name, environ))


def _exit_code(application: typer.Typer, name: str, environ: Mapping[str, str]) -> int:
    try:
        application(prog_name=name, obj=Invocation(environ, Path.cwd()))
    except SystemExit as ended:  # how typer ends; Ctrl-C is 130 there
        return ended.code if isinstance(ended.code, int) else Exit.OK
    except IndexerError as error:
        sys.stderr.write(f"{told(error)}\n")
        return exit_of(error)
    except TerminatedError:
        return Exit.TERMINATED
    except Exception:  # noqa: BLE001 - the interpreter would exit with 1: nothing was found
        _log.exception("error: a fault of codesearch; please report it with these lines:")
        return Exit.NOT_INDEXED
    return Exit.OK


def _terminate(_signal: int, _frame: object) -> NoReturn:
    raise TerminatedError


def _leave(code: int) -> NoReturn:
    """At once: a thread that still waits for an answer would be waited for."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(BrokenPipeError):  # who read it has gone: `| head`
            stream.flush()
    os._exit(code)
