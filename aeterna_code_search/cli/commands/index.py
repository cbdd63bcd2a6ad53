"""`index`: bring the index of a repository up to date and print a report."""

import json as json_
from pathlib import Path
from typing import Annotated

import typer

from aeterna_code_search.cli.commands.options import Project, examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

commands = typer.Typer()


@commands.command(
    "index",
    epilog=examples(
        "codesearch index", "codesearch index ~/src/billing --full", "codesearch index --json"
    ),
)
def index(
    ctx: typer.Context,
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="Directory of the repository")
    ] = Path(),
    full: Annotated[
        bool, typer.Option("--full", help="Compare every file, not only those that commits changed")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Process every file, changed or not")
    ] = False,
    organization: Annotated[str | None, typer.Option(metavar="SLUG")] = None,
    project: Project = None,
    ref: Annotated[
        str | None,
        typer.Option(
            metavar="BRANCH",
            help="Branch to index at a configured service; default: the current one",
        ),
    ] = None,
    scip: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH[:PREFIX]",
            help="SCIP index, or a pattern of several, relative to PATH; may be repeated",
        ),
    ] = None,
    scip_commit: Annotated[
        str,
        typer.Option(metavar="SHA", help="Commit of which the SCIP indexes were made"),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON")] = False,
) -> Exit:
    """Bring the index up to date with the last commit.

    The local index follows the checked-out commit; a service follows a branch. Uncommitted changes
    are not indexed: use `codesearch watch` for them.
    """
    from indexer.pipeline.forkserver import start_forkserver

    start_forkserver()  # while the rest is imported and the service starts
    from aeterna_code_search.cli.indexing import checkout_root, index_target
    from aeterna_code_search.client.console import print_stdout
    from aeterna_code_search.client.target.target import open_target
    from indexer.client.credentials import Purpose
    from indexer.output.github import log_to_standard_error
    from indexer.pipeline.job import scip_request
    from indexer.pipeline.report import as_json, format_text
    from indexer.records.runs import Requested

    log_to_standard_error()
    context: CommandContext = ctx.obj
    directory = context.directory / path
    checkout_root(directory)
    request = scip_request(scip or [], scip_commit, context.environ, directory)
    requested = Requested.FORCE if force else Requested.FULL if full else Requested.AUTO
    with open_target(
        context.environ,
        directory,
        organization=organization,
        project=project,
        purpose=Purpose.INDEX,
    ) as target:
        report = index_target(
            target, context.environ, directory, requested, plain=json, ref=ref, scip=request
        )
    print_stdout(f"{json_.dumps(as_json(report)) if json else format_text(report)}\n")
    return Exit.OK
