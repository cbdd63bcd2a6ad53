"""`map show`: which repositories, or packages, use which."""

from enum import StrEnum
from typing import Annotated

import typer

from aeterna_code_search.cli.commands.completion import complete_project
from aeterna_code_search.cli.commands.map.answers import answer_of, print_answer
from aeterna_code_search.cli.commands.options import Confidence, Json, MinConfidence, examples
from indexer.exits import Exit

commands = typer.Typer()


class Level(StrEnum):
    """What a line is about."""

    PROJECT = "project"
    PACKAGE = "package"


@commands.command(
    "show",
    epilog=examples(
        "codesearch map show",
        "codesearch map show common-utils --level package",
        "codesearch map show --json | jq '.cycles'",
    ),
)
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
    level: Annotated[Level, typer.Option(help="Repositories, or their packages")] = Level.PROJECT,
    min_confidence: MinConfidence = Confidence.MEDIUM,
    limit: Annotated[
        int, typer.Option("--limit", "-k", min=1, max=5_000, help="Maximum number of links")
    ] = 500,
    json: Json = False,
) -> Exit:
    """Show which repositories use which, with calls, imports and versions.

    Each line is `repository -> repository: CALLS, IMPORTS; package version`.
    """
    from aeterna_code_search.cli.output.map import map_lines

    asked = {
        "project": project,
        "level": str(level),
        "min_confidence": str(min_confidence),
        "limit": limit,
    }
    answer = answer_of(ctx.obj, "map", asked)
    return print_answer(ctx.obj, answer, map_lines, count=len(answer["links"]), json=json)
