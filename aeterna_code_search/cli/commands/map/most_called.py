"""`map most-called`: the definitions that most other repositories use."""

from typing import Annotated

import typer

from aeterna_code_search.cli.commands.completion import complete_project
from aeterna_code_search.cli.commands.map.answers import answer_of, print_answer
from aeterna_code_search.cli.commands.options import Confidence, Json, MinConfidence, examples
from indexer.exits import Exit

commands = typer.Typer()


@commands.command(
    "most-called",
    epilog=examples("codesearch map most-called", "codesearch map most-called common-utils"),
)
def most_called(
    ctx: typer.Context,
    project: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROJECT]",
            autocompletion=complete_project,
            help="Only definitions of this repository",
        ),
    ] = None,
    min_confidence: MinConfidence = Confidence.MEDIUM,
    limit: Annotated[
        int, typer.Option("--limit", "-k", min=1, max=500, help="Maximum number of results")
    ] = 50,
    json: Json = False,
) -> Exit:
    """Show the definitions that most other repositories use.

    Each line is `repository/path:line: name: REPOSITORIES, CALLS; repository CALLS, …`.
    """
    from aeterna_code_search.cli.output.consumers import most_called_lines

    asked = {"project": project, "min_confidence": str(min_confidence), "limit": limit}
    answer = answer_of(ctx.obj, "map/most-called", asked)
    count = len(answer["definitions"])
    return print_answer(ctx.obj, answer, most_called_lines, count=count, json=json)
