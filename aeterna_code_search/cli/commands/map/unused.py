"""`map unused`: public definitions that nothing visible calls."""

from typing import Annotated, Any

import typer

from aeterna_code_search.cli.commands.completion import complete_project
from aeterna_code_search.cli.commands.map.answers import answer_of, print_answer
from aeterna_code_search.cli.commands.options import Json, examples
from aeterna_code_search.cli.commands.requests import asks
from aeterna_code_search.contract.codemap import UnusedRequest
from indexer.exits import Exit

commands = typer.Typer()


@commands.command(
    "unused",
    epilog=examples(
        "codesearch map unused common-utils",
        "codesearch map unused --doubts published",
        "codesearch map unused --kind class --json | jq '.definitions[].file'",
    ),
)
@asks(UnusedRequest)
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
    *,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Such definitions only: function, class …; repeatable"),
    ] = None,
    doubts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="Only those without other doubts than these; none: without any"
        ),
    ] = None,
    cursor: Annotated[
        str | None, typer.Option(help="Go on with the page that the answer before named")
    ] = None,
    json: Json = False,
    **request: Any,
) -> Exit:
    """Show public definitions that nothing in a visible repository calls, with doubts.

    Each line is `repository/path:line: KIND NAME (doubts)`. Not seen are calls by frameworks,
    reflection and code elsewhere, so read the doubts before you delete one.
    """
    from aeterna_code_search.cli.output.map import unused_lines

    asked = {
        "project": project,
        "kind": kind or None,
        "doubts": doubts or None,
        "cursor": cursor,
        **request,
    }
    answer = answer_of(ctx.obj, "map/unused", asked)
    return print_answer(ctx.obj, answer, unused_lines, count=answer["count"], json=json)
