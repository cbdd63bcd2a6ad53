"""`map unused`: public definitions that nothing visible calls."""

from enum import StrEnum
from typing import Annotated

import typer

from aeterna_code_search.cli.commands.completion import complete_project
from aeterna_code_search.cli.commands.map.answers import answer_of, print_answer
from aeterna_code_search.cli.commands.options import Json, examples
from indexer.exits import Exit

commands = typer.Typer()


class Include(StrEnum):
    """Files whose definitions are left out unless they are asked for."""

    TESTS = "tests"
    EXAMPLES = "examples"
    DOCS = "docs"
    GENERATED = "generated"
    VENDORED = "vendored"
    DECLARATIONS = "declarations"


@commands.command(
    "unused",
    epilog=examples(
        "codesearch map unused common-utils",
        "codesearch map unused --doubts published",
        "codesearch map unused --kind class --json | jq '.definitions[].file'",
    ),
)
def unused(
    ctx: typer.Context,
    project: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROJECT]",
            autocompletion=complete_project,
            help="Only definitions of this repository",
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Such definitions only: function, class …; repeatable"),
    ] = None,
    include: Annotated[
        list[Include] | None, typer.Option(help="Definitions in such files too; repeatable")
    ] = None,
    doubts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="Only those without other doubts than these; none: without any"
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-k", min=1, max=200, help="Maximum number")
    ] = 50,
    cursor: Annotated[
        str | None, typer.Option(help="Go on with the page that the answer before named")
    ] = None,
    json: Json = False,
) -> Exit:
    """Show public definitions that nothing in a visible repository calls, with doubts.

    Each line is `repository/path:line: KIND NAME (doubts)`. Not seen are calls by frameworks,
    reflection and code elsewhere, so read the doubts before you delete one.
    """
    from aeterna_code_search.cli.output.map import unused_lines

    asked = {
        "project": project,
        "kind": kind or None,
        "include": [str(include) for include in include or ()] or None,
        "doubts": doubts or None,
        "limit": limit,
        "cursor": cursor,
    }
    answer = answer_of(ctx.obj, "map/unused", asked)
    return print_answer(ctx.obj, answer, unused_lines, count=answer["count"], json=json)
