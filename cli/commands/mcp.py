"""`mcp`: the tools of coding agents over standard input and output."""

from enum import StrEnum
from typing import Annotated

import typer

from cli.commands.options import examples
from cli.context import CommandContext
from indexer.exits import Exit

commands = typer.Typer()


class Integration(StrEnum):
    """Tools of others that are offered too (docs/integrations.md)."""

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
        typer.Option("--with", help="Offer the tools of this integration too; repeatable."),
    ] = None,
) -> Exit:
    """Serve the tools of coding agents (MCP) over standard input and output.

    An agent starts it in a repository. It ends when its input does; what it has to say of itself
    goes to standard error.
    """
    from cli.mcp.stdio import serve

    invocation: CommandContext = ctx.obj
    serve(invocation, [str(one) for one in integrations or ()])
    return Exit.OK
