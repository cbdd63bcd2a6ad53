"""`status`: what is indexed, of which commit, and how fresh that is."""

import typer

from cli.commands.options import Json, Project, examples
from cli.context import Invocation
from indexer.exits import Exit

commands = typer.Typer()


@commands.command(
    "status",
    epilog=examples(
        "codesearch status", "codesearch status --project billing --json | jq .total_chunks"
    ),
)
def status(ctx: typer.Context, project: Project = None, json: Json = False) -> Exit:
    """Tell what is indexed, of which commit, and how fresh it is.

    In a pipe: repository, state, commit, time, files, chunks, symbols, references and error,
    separated by tabs.
    """
    from cli.output import receipt, status
    from cli.output.console import Console, note, tell

    invocation: Invocation = ctx.obj
    with invocation.asks() as asks:
        answer = asks.status(project)
    console = Console.of(invocation.environ)
    indexed = any(one["last_indexed_commit"] for one in answer["projects"])
    if json:
        tell(console.as_json(answer))
    else:
        tell(status.drawn(console, answer) if console.is_terminal else status.plain(answer))
        if local := answer.get("local"):
            note(f"In front of it: {receipt.local_line(local)}.")
    if indexed:
        return Exit.OK
    note(receipt.NOTHING_INDEXED)
    return Exit.NOT_INDEXED
