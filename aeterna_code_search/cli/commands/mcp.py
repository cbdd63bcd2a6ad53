"""`mcp`: an MCP server for coding agents over standard input and output."""

from enum import StrEnum
from typing import Annotated

import typer

from aeterna_code_search.cli.commands.options import examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

commands = typer.Typer()


class Integration(StrEnum):
    """Integrations whose tools can be offered too (docs/how-to/integrations.md)."""

    CHUNKHOUND = "chunkhound"
    CODEQUERY = "codequery"


@commands.command(
    "mcp",
    epilog=examples(
        "claude mcp add code-search -- codesearch mcp",
        "claude mcp add code-search -- codesearch mcp --with chunkhound",
        "npx @modelcontextprotocol/inspector codesearch mcp",
    ),
)
def mcp(
    ctx: typer.Context,
    integrations: Annotated[
        list[Integration] | None,
        typer.Option("--with", help="Also offer the tools of this integration; repeatable"),
    ] = None,
) -> Exit:
    """Serve the tools for coding agents (MCP) over standard input and output.

    An agent starts it in a repository. It ends when its input does, and logs to standard error.
    """
    from aeterna_code_search.cli.mcp.stdio import serve

    context: CommandContext = ctx.obj
    serve(context, [str(integration) for integration in integrations or ()])
    return Exit.OK
