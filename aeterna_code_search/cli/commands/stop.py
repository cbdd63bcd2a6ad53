"""`stop`: end the service that a command has started on this machine."""

import typer

from aeterna_code_search.cli.commands.options import examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

commands = typer.Typer()


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
