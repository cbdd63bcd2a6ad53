"""`serve` and `stop`: the service on this machine, in the foreground, or no longer."""

import os
from pathlib import Path
from typing import Annotated

import typer

from aeterna_code_search.cli.commands.options import examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

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
        typer.Option(
            metavar="HOST:PORT", help="Listen address (AETERNA_BIND); default: 127.0.0.1:8000"
        ),
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Data directory (AETERNA_DATA_DIR)")
    ] = None,
) -> None:
    """Run the service on this machine until Ctrl-C.

    Commands start the service on demand. Here other programs can use it too, it stays until you end
    it, and it reads DATABASE_URL and the other settings of the service from the environment.
    """
    from aeterna_code_search.cli.distribution import sharing_warning
    from aeterna_code_search.client.console import print_stderr
    from aeterna_code_search.client.target.embedded import require_service, server_command
    from aeterna_code_search.client.target.shutdown import end_idle_service
    from aeterna_code_search.client.target.target import data_dir_of

    context: CommandContext = ctx.obj
    require_service()
    if warning := sharing_warning():
        print_stderr(warning)
    settings = {
        "AETERNA_BIND": bind,
        "AETERNA_DATA_DIR": data_dir and str(context.directory / data_dir),
    }
    environ = {**context.environ, **{name: value for name, value in settings.items() if value}}
    if not environ.get("DJANGO_SETTINGS_MODULE", "").startswith("central."):
        environ.pop("DJANGO_SETTINGS_MODULE", None)  # set for another Django project in this shell
    end_idle_service(data_dir_of(environ))
    command = server_command("--of", "codesearch")
    os.execve(command[0], command, environ)  # noqa: S606 - runs without a shell


@commands.command("stop", epilog=examples("codesearch stop"))
def stop(ctx: typer.Context) -> Exit:
    """End the service on this machine that a command has started.

    It would end by itself after ten minutes without a command (AETERNA_IDLE_MINUTES). A run that is
    being applied is finished, or continued at the next start: nothing is lost.
    """
    from aeterna_code_search.client.console import print_stderr
    from aeterna_code_search.client.target.shutdown import stop_service
    from aeterna_code_search.client.target.target import data_dir_of

    context: CommandContext = ctx.obj
    data_dir = data_dir_of(context.environ)
    server = stop_service(data_dir)
    print_stderr(
        f"The service of {data_dir} (pid {server['pid']}) has ended."
        if server
        else f"No service runs on {data_dir}."
    )
    return Exit.OK
