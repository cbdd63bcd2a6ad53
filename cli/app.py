"""`codesearch …` and `aeterna codesearch …`: the list of commands.

A command is a module of cli.commands with `commands = typer.Typer()` and, in it, a function
decorated with `@commands.command(…)` that takes `typer.Context` (`ctx.obj` is the CommandContext)
and returns an Exit; import the module here and add it to `_COMMANDS`. It raises IndexerError;
`cli.main` prints the message and sets the exit code. At import it needs typer alone: --help
answers at once.
"""

from typing import Any, Final, NoReturn

import typer

from cli.commands import (
    chunkhound,
    codequery,
    graph,
    impact,
    index,
    init,
    mcp,
    search,
    serve,
    sidecar,
    status,
    trace,
    watch,
)
from indexer.exits import Exit

_COMMANDS: Final = (
    init,
    index,
    search,
    trace,
    graph,
    impact,
    status,
    watch,
    mcp,
    chunkhound,
    codequery,
    sidecar,
    serve,
)
_EXITS: Final = "\b\nExit codes:\n" + "\n".join(
    f"  {code:<4} {code.meaning}" for code in Exit if code < Exit.TERMINATED
)


def codesearch_application() -> typer.Typer:
    """Every command; `obj` is the CommandContext."""
    application = _application(
        help="Search and trace code across the repositories of an organisation.\n\n"
        "The service is that of AETERNA_URL, AETERNA_TOKEN and AETERNA_ORGANIZATION or of "
        ".codesearch.toml; without one, an index on this machine is used.",
        epilog=_EXITS,
    )
    for module in _COMMANDS:
        application.add_typer(module.commands)
    return application


def aeterna_application() -> typer.Typer:
    """The same as one command of Aeterna's tools."""
    application = _application(help="Aeterna's tools.")
    application.callback()(lambda: None)  # so that its only command keeps its name
    application.add_typer(codesearch_application(), name="codesearch")
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
