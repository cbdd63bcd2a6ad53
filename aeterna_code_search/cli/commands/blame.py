"""`blame`: the commit that made each line of a file."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from aeterna_code_search.cli.commands.files import line_range, read_content
from aeterna_code_search.cli.commands.options import Json, Repository, examples, project_and_path
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.client.api import ServiceApi

commands = typer.Typer()


@commands.command(
    "blame",
    epilog=examples(
        "codesearch blame auth-service acme_auth/tokens.py",
        "codesearch blame auth-service acme_auth/tokens.py --lines 60-95",
    ),
)
def blame(
    ctx: typer.Context,
    project: Repository,
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="File, from the repository's root")
    ] = None,
    lines: Annotated[
        str | None, typer.Option(metavar="A-B", help="Only these lines; also A-, -B or A")
    ] = None,
    json: Json = False,
) -> Exit:
    """Show which commit made each line of a file, as it is in the index.

    In a pipe each line has the commit, when it was committed, its number and its text, with tabs
    between them. A line whose commit is not known has no commit: the reason is on standard error.
    """
    from aeterna_code_search.cli.output import blamed_lines
    from aeterna_code_search.cli.output.answers import print_answer
    from aeterna_code_search.client import receipt

    first, last = line_range(lines)
    project, path = project_and_path(project, path)
    if not path:
        raise typer.BadParameter("which file? `codesearch ls PROJECT` lists them")
    parameters: dict[str, Any] = {"project": project, "path": path, "start_line": first}
    with ctx.obj.service_api() as api:
        answer = _all_lines(api, parameters | ({"end_line": last} if last else {}))
        text = None if json else read_content(api, project, path, first, last)
    notes = [receipt.indexed_line(answer["receipt"]), receipt.in_options(answer["hint"] or "")]
    shown = answer if json else {**answer, "content": (text or {}).get("content") or ""}
    print_answer(ctx.obj.environ, shown, blamed_lines.render, json=json, notes=notes)
    return Exit.OK if answer["ranges"] else Exit.NOTHING_FOUND


def _all_lines(api: "ServiceApi", parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the lines of as many answers as they need."""
    first = page = api.blame(parameters)
    ranges, unknown = list(first["ranges"]), list(first["unknown"])
    while page["truncated"]:
        page = api.blame({**parameters, "start_line": page["end_line"] + 1})
        ranges += page["ranges"]
        unknown += page["unknown"]
    return {**page, "start_line": first["start_line"], "ranges": ranges, "unknown": unknown}
