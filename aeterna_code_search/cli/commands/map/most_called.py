"""`map most-called`: the definitions that most other repositories use."""

from typing import Annotated, Any

import typer

from aeterna_code_search.cli.commands.completion import complete_project
from aeterna_code_search.cli.commands.map.answers import answer_of, print_answer
from aeterna_code_search.cli.commands.options import Json, examples
from aeterna_code_search.cli.commands.requests import asks
from aeterna_code_search.contract.codemap import MostCalledRequest
from indexer.exits import Exit

commands = typer.Typer()


@commands.command(
    "most-called",
    epilog=examples("codesearch map most-called", "codesearch map most-called common-utils"),
)
@asks(MostCalledRequest)
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
    *,
    json: Json = False,
    **request: Any,
) -> Exit:
    """Show the definitions that most other repositories use.

    Each line is `repository/path:line: name: REPOSITORIES, CALLS; repository CALLS, …`.
    """
    from aeterna_code_search.cli.output.consumers import most_called_lines

    answer = answer_of(ctx.obj, "map/most-called", {"project": project, **request})
    count = len(answer["definitions"])
    return print_answer(ctx.obj, answer, most_called_lines, count=count, json=json)
