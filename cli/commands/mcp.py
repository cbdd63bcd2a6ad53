"""`mcp`: the tools of coding agents over standard input and output."""

import typer

from cli.context import Invocation
from cli.options import examples
from indexer.exits import Exit

commands = typer.Typer()


@commands.command(
    "mcp",
    epilog=examples(
        "claude mcp add code-search -- codesearch mcp",
        "npx @modelcontextprotocol/inspector codesearch mcp",
    ),
)
def mcp(ctx: typer.Context) -> Exit:
    """Serve the tools of coding agents (MCP) over standard input and output.

    An agent starts it in a repository. It ends when its input does; what it has to say of itself
    goes to standard error.
    """
    from cli.stdio import serve

    invocation: Invocation = ctx.obj
    serve(invocation)
    return Exit.OK
