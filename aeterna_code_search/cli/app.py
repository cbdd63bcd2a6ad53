"""`codesearch …` and `aeterna codesearch …`: the list of commands.

A command is a module of cli.commands with `commands = typer.Typer()` and, in it, a function
decorated with `@commands.command(…)` that takes `typer.Context` (`ctx.obj` is the CommandContext)
and returns an Exit. To add one, name it in `_COMMANDS`. It may raise IndexerError; `cli.main`
prints the message and sets the exit code. A command module imports only typer at the top, so that
--help is fast.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperGroup
from typer.main import get_group

from indexer.exits import Exit

if TYPE_CHECKING:
    from typer._click import Command

# The module of each command, in the order of --help. Only that of the command in use is imported.
_COMMANDS: Final = {
    "init": "index",
    "index": "index",
    "search": "search",
    "grep": "grep",
    "cat": "files",
    "ls": "files",
    "history": "history",
    "blame": "blame",
    "trace": "trace",
    "graph": "graph",
    "map": "map",
    "scip": "scip",
    "impact": "impact",
    "status": "status",
    "watch": "index",
    "mcp": "mcp",
    "agent": "agent",
    "chunkhound": "chunkhound",
    "codequery": "codequery",
    "sidecar": "sidecar",
    "serve": "serve",
    "stop": "serve",
    "onboard": "onboard",
}
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
    application.callback(cls=_CommandGroup)(_options)
    return application


def aeterna_application() -> typer.Typer:
    """Return the application `aeterna`, with `codesearch` as a subcommand."""
    application = _application(help="Aeterna's tools.")
    application.callback()(_options)  # also keeps `codesearch` a subcommand
    application.add_typer(codesearch_application(), name="codesearch")
    return application


class _Commands(Mapping[str, "Command"]):
    """The commands of `codesearch`, each imported when it is looked up."""

    def __getitem__(self, name: str) -> "Command":
        module = import_module(f"aeterna_code_search.cli.commands.{_COMMANDS[name]}")
        application = _application()
        application.add_typer(module.commands)
        application.callback()(_options)  # keeps a single command a subcommand
        return get_group(application).commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class _CommandGroup(TyperGroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands()  # type: ignore[assignment]

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override] # noqa: ARG002
        return list(_COMMANDS)


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
