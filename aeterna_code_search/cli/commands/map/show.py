"""`map show`: which repositories, or packages, use which."""

from typing import Annotated, Any

import typer

from aeterna_code_search.cli.commands.completion import complete_project
from aeterna_code_search.cli.commands.map.answers import answer_of, print_answer
from aeterna_code_search.cli.commands.options import Json, examples
from aeterna_code_search.cli.commands.requests import asks
from aeterna_code_search.contract.codemap import MapRequest
from indexer.exits import Exit

commands = typer.Typer()


@commands.command(
    "show",
    epilog=examples(
        "codesearch map show",
        "codesearch map show common-utils --level package",
        "codesearch map show --json | jq '.cycles'",
    ),
)
@asks(MapRequest)
def show(
    ctx: typer.Context,
    project: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROJECT]",
            autocompletion=complete_project,
            help="Only what this repository uses and what uses it",
        ),
    ] = None,
    *,
    json: Json = False,
    **request: Any,
) -> Exit:
    """Show which repositories use which, with calls, imports and versions.

    Each line is `repository -> repository: CALLS, IMPORTS; package version`.
    """
    from aeterna_code_search.cli.output.map import map_lines

    answer = answer_of(ctx.obj, "map", {"project": project, **request})
    return print_answer(ctx.obj, answer, map_lines, count=len(answer["links"]), json=json)
