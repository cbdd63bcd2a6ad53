"""`watch`: keep the index on this machine as the work tree is."""

from pathlib import Path
from typing import Annotated

import typer

from cli.commands.options import examples
from cli.context import CommandContext
from indexer.exits import Exit

commands = typer.Typer()


@commands.command("watch", epilog=examples("codesearch watch", "codesearch watch ~/src/billing"))
def watch(
    ctx: typer.Context,
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A directory of the repository.")
    ] = Path(),
    json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object a line for each update.")
    ] = False,
) -> Exit:
    """Keep the index as the files are, committed or not, until Ctrl-C.

    What git ignores is left out. Uncommitted work is indexed on this machine only: where a service
    is configured, `search`, `trace` and `mcp` put it in front of that service's answers.
    """
    from cli.watch.journal import UpdateLog
    from cli.watch.session import watch as keep_watching
    from indexer.output import log

    log.to_standard_error()
    invocation: CommandContext = ctx.obj
    keep_watching(invocation.environ, invocation.directory / path, UpdateLog(as_json=json))
