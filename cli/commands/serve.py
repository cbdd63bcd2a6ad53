"""`serve`: the service on this machine, until it is ended."""

import os
from pathlib import Path
from typing import Annotated

import typer

from cli.commands.options import examples
from cli.context import CommandContext

commands = typer.Typer()


@commands.command(
    "serve",
    epilog=examples(
        "codesearch serve", "codesearch serve --bind 127.0.0.1:9000 --data-dir ~/code-search"
    ),
)
def serve(
    ctx: typer.Context,
    bind: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="AETERNA_BIND; default: 127.0.0.1:8000."),
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", help="AETERNA_DATA_DIR: all that it keeps.")
    ] = None,
) -> None:
    """Run the service on this machine until Ctrl-C.

    Commands start it by themselves for as long as they last; while this runs they are quicker, and
    others can use it too. DATABASE_URL and the like are obeyed.
    """
    from cli.target.embedded import require_service, server_command

    invocation: CommandContext = ctx.obj
    require_service()
    given = {
        "AETERNA_BIND": bind,
        "AETERNA_DATA_DIR": data_dir and str(invocation.directory / data_dir),
    }
    environ = {**invocation.environ, **{name: value for name, value in given.items() if value}}
    if not environ.get("DJANGO_SETTINGS_MODULE", "").startswith("central."):
        environ.pop("DJANGO_SETTINGS_MODULE", None)  # of a program that is worked on
    command = server_command("--of", "codesearch")
    os.execve(command[0], command, environ)  # noqa: S606 - no shell is wanted
