"""`index`: bring the index of a repository up to date, and tell what was done."""

import json as json_
from pathlib import Path
from typing import Annotated

import typer

from cli.commands.options import Project, examples
from cli.context import CommandContext
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
        Path, typer.Argument(metavar="PATH", help="A directory of the repository.")
    ] = Path(),
    full: Annotated[
        bool, typer.Option("--full", help="Compare every file, not only what commits changed.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Process every file anew, changed or not.")
    ] = False,
    organization: Annotated[str | None, typer.Option(metavar="SLUG")] = None,
    project: Project = None,
    ref: Annotated[
        str | None,
        typer.Option(metavar="BRANCH", help="For a configured service; default: the one here."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> Exit:
    """Bring the index up to date with the last commit.

    On this machine that is whatever is checked out; at a service, the branch that it follows.
    What is not committed is `codesearch watch`'s.
    """
    from cli.indexing import checkout_root, index_target
    from cli.output.console import print_stdout
    from cli.target.target import open_target
    from indexer.client.credentials import Purpose
    from indexer.output import log
    from indexer.pipeline.report import as_json, format_text
    from indexer.pipeline.worker_pool import start_forkserver
    from indexer.records.runs import Requested

    log.to_standard_error()
    invocation: CommandContext = ctx.obj
    directory = invocation.directory / path
    checkout_root(directory)
    start_forkserver()  # while the service starts
    requested = Requested.FORCE if force else Requested.FULL if full else Requested.AUTO
    with open_target(
        invocation.environ,
        directory,
        organization=organization,
        project=project,
        purpose=Purpose.INDEX,
    ) as target:
        report = index_target(target, invocation.environ, directory, requested, plain=json, ref=ref)
    print_stdout(f"{json_.dumps(as_json(report)) if json else format_text(report)}\n")
    return Exit.OK
