"""`status`: the indexed repositories with their commits and times."""

import typer

from aeterna_code_search.cli.commands.options import Json, Project, examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

commands = typer.Typer()


@commands.command(
    "status",
    epilog=examples(
        "codesearch status", "codesearch status --project billing --json | jq .total_chunks"
    ),
)
def status(ctx: typer.Context, project: Project = None, json: Json = False) -> Exit:
    """Show the indexed repositories, their commits and when they were indexed.

    In a pipe: repository, state, commit, time, files, chunks, symbols, references and error,
    separated by tabs.
    """
    from aeterna_code_search.cli.output import status
    from aeterna_code_search.cli.output.answers import print_answer
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import print_stderr

    context: CommandContext = ctx.obj
    with context.search_api() as search_api:
        answer = search_api.status(project)
        server = context.local_server()
    local = answer.get("local")
    overlay = f"Overlay: {receipt.local_line(local)}." if local else ""
    print_answer(
        context.environ,
        answer,
        status.render,
        json=json,
        notes=[overlay, *status.notes(answer), status.local_service(server)],
    )
    if any(project["last_indexed_commit"] for project in answer["projects"]):
        return Exit.OK
    print_stderr(receipt.NOTHING_INDEXED)
    return Exit.NOT_INDEXED
