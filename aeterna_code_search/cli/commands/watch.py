"""`watch`: keep the local index up to date with the work tree."""

from pathlib import Path
from typing import Annotated

import typer

from aeterna_code_search.cli.commands.options import examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

commands = typer.Typer()


@commands.command("watch", epilog=examples("codesearch watch", "codesearch watch ~/src/billing"))
def watch(
    ctx: typer.Context,
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="Directory of the repository")
    ] = Path(),
    json: Annotated[
        bool, typer.Option("--json", help="Print each update as a line of JSON")
    ] = False,
) -> Exit:
    """Keep the local index up to date with the work tree, until Ctrl-C.

    Uncommitted changes are included; files that git ignores are not. Uncommitted work stays on this
    machine: `search`, `trace` and `mcp` overlay it on the answers of a configured service.
    """
    from aeterna_code_search.cli.watch.journal import UpdateLog
    from aeterna_code_search.cli.watch.session import watch as keep_watching
    from indexer.output.github import log_to_standard_error

    log_to_standard_error()
    context: CommandContext = ctx.obj
    keep_watching(context.environ, context.directory / path, UpdateLog(as_json=json))
