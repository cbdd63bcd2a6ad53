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
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import Console, print_stderr, print_stdout

    context: CommandContext = ctx.obj
    with context.search_api() as search_api:
        answer = search_api.status(project)
        server = context.local_server()
    console = Console.of(context.environ)
    indexed = any(project["last_indexed_commit"] for project in answer["projects"])
    if json:
        print_stdout(console.as_json(answer))
    else:
        print_stdout(
            status.render(console, answer) if console.is_terminal else status.format_plain(answer)
        )
        if local := answer.get("local"):
            print_stderr(f"Overlay: {receipt.local_line(local)}.")
        print_stderr(
            status.text_only(answer),
            status.generated_files(answer),
            status.partly_parsed_files(answer),
            status.resolved_by(answer),
            status.unread_manifests(answer),
            status.older_extractor(answer),
            status.skipped_files(answer),
            status.policies_not_run(answer),
            status.local_service(server),
        )
    if indexed:
        return Exit.OK
    print_stderr(receipt.NOTHING_INDEXED)
    return Exit.NOT_INDEXED
