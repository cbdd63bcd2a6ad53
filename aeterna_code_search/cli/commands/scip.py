"""`scip`: the index in the format of compilers' indexers."""

from pathlib import Path
from typing import Annotated

import typer

from aeterna_code_search.cli.commands.options import Project, examples
from indexer.exits import Exit
from indexer.output.terminal import escape_line

commands = typer.Typer()
_scip = typer.Typer(no_args_is_help=True)
commands.add_typer(_scip, name="scip", help="Exchange indexes in the format SCIP.")
_RETRY_SECONDS = 120.0  # an export that broke off, as the project was indexed, begins again


@_scip.command(
    "export",
    epilog=examples(
        "codesearch scip export index.scip",
        "codesearch scip export payments.scip.gz --project payments-api --force",
    ),
)
def export(
    ctx: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="File to write, compressed if it ends with .gz")
    ],
    project: Project = None,
    project_root: Annotated[
        str,
        typer.Option(metavar="URL", help="Where the checkout is; default: file:///<project>"),
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file")] = False,
) -> Exit:
    """Write a project's index as SCIP: definitions, references and what inherits from what.

    It is of the indexed commit. Symbols of TypeScript, Python, Go and Java are those of their own
    indexers.
    """
    from aeterna_code_search.cli.export.scip import export_scip
    from aeterna_code_search.cli.output.answers import shown_progress
    from aeterna_code_search.client.console import print_stderr
    from indexer.errors import ConfigurationError

    target = ctx.obj.directory / file
    with (
        ctx.obj.service_api(retry_seconds=_RETRY_SECONDS) as api,
        shown_progress("Preparing the index") as (bars, task, _),
    ):
        named = project or api.project
        if not named:
            raise ConfigurationError("this directory is no project: name one with --project")
        exported = export_scip(
            api,
            target,
            project=named,
            project_root=project_root,
            may_overwrite=force,
            received=lambda size: bars.update(
                task, description=f"{size / 1e6:,.1f} MB of the index"
            ),
        )
    content = f"{exported.size / 1e6:,.1f} MB of {escape_line(named)}"
    print_stderr(f"{escape_line(str(file))}: {content} at commit {exported.commit[:12]}.")
    return Exit.OK
