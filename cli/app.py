"""`codesearch …` and `aeterna codesearch …`: the list of commands.

A command is a module of cli.commands with `commands = typer.Typer()` and, in it, a function
decorated with `@commands.command(…)` that takes `typer.Context` (`ctx.obj` is the CommandContext)
and returns an Exit. To add one, import it here and append it to `_COMMANDS`. It may raise
IndexerError; `cli.main` prints the message and sets the exit code. A command module imports only
typer at the top, so that --help is fast.
"""

from typing import Annotated, Any, Final, NoReturn

import typer

from cli.commands import (
    agent,
    chunkhound,
    codequery,
    files,
    graph,
    grep,
    impact,
    index,
    init,
    mcp,
    onboard,
    search,
    serve,
    sidecar,
    status,
    stop,
    trace,
    watch,
)
from indexer.exits import Exit

_COMMANDS: Final = (
    init,
    index,
    search,
    grep,
    files,
    trace,
    graph,
    impact,
    status,
    watch,
    mcp,
    agent,
    chunkhound,
    codequery,
    sidecar,
    serve,
    stop,
    onboard,
)
_EXITS: Final = "\b\nExit codes:\n" + "\n".join(
    f"  {code:<4} {code.meaning}" for code in Exit if code < Exit.TERMINATED
)


def codesearch_application() -> typer.Typer:
    """Return the application `codesearch`; its `obj` is the CommandContext."""
    application = _application(
        help="Search and trace code across the repositories of an organisation.\n\n"
        "AETERNA_URL, AETERNA_TOKEN and AETERNA_ORGANIZATION, or .codesearch.toml, name the "
        "service. Without one, an index on this machine is used.",
        epilog=_EXITS,
    )
    application.callback()(_options)
    for module in _COMMANDS:
        application.add_typer(module.commands)
    return application


def aeterna_application() -> typer.Typer:
    """Return the application `aeterna`, with `codesearch` as a subcommand."""
    application = _application(help="Aeterna's tools.")
    application.callback()(_options)  # also keeps `codesearch` a subcommand
    application.add_typer(codesearch_application(), name="codesearch")
    return application


def _application(**texts: str) -> typer.Typer:
    # Rich's help and tracebacks take 0.2 s and wrap lines in a pipe.
    return typer.Typer(
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        result_callback=_end,
        context_settings={"help_option_names": ["-h", "--help"]},
        **texts,  # type: ignore[arg-type]
    )


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from importlib.metadata import version

        typer.echo(f"codesearch {version('aeterna-code-search')}")
        raise typer.Exit


def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit"
        ),
    ] = False,
) -> None:
    """Options of the applications themselves."""


def _end(code: Exit, **_options: Any) -> NoReturn:
    raise typer.Exit(code)
