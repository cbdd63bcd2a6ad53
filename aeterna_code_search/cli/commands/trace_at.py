"""`trace at`: what the name at a position of a file means, or all references to it."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from aeterna_code_search.cli.commands.options import Json, Project
from aeterna_code_search.cli.commands.requests import asks
from aeterna_code_search.cli.context import CommandContext
from aeterna_code_search.contract.trace import ReferencesRequest
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.client.api import ServiceApi

_POSITION: Final = re.compile(r"(.+?):0*([1-9]\d{0,6}):0*([1-9]\d{0,6}):?")


@asks(ReferencesRequest, without=("project", "caller_projects"))
def at(
    ctx: typer.Context,
    position: Annotated[
        str,
        typer.Argument(
            metavar="FILE:LINE:COL",
            help="Line and column from 1, in characters, of any character of the name. FILE from "
            "here or from the root of the checkout; with --project from that repository's root",
        ),
    ],
    project: Project = None,
    references: Annotated[
        bool, typer.Option("--references", help="List all references to it, in every repository")
    ] = False,
    *,
    json: Json = False,
    **request: Any,
) -> Exit:
    """Show the definition that a name in a file means, or all references to it.

    Lines and columns are those of the indexed commit, without uncommitted work. In a pipe a
    definition is `repository/path:line: signature (confidence, rule)`, a reference is what `trace
    callers` prints; --kind, --min-confidence and --limit are of references.
    """
    found = _POSITION.fullmatch(position)
    if found is None:
        raise typer.BadParameter("write FILE:LINE:COL, both numbers from 1", ctx=ctx)
    if "kind" in request and not references:
        raise typer.BadParameter(
            "it chooses among references: add --references", param_hint="--kind"
        )
    context: CommandContext = ctx.obj
    path, line, column = found[1], int(found[2]), int(found[3]) - 1
    with context.service_api() as api:
        if not (project or api.project):
            raise typer.BadParameter("this is no checkout: name its repository by --project")
        file = path if project else _path_in(api.root or context.directory, context.directory, path)
        parameters: dict[str, Any] = {"project": project or api.project, "file": file, "line": line}
        parameters["column"] = column
        if references:
            parameters |= request
        what = "references" if references else "definition"
        answer = _answer(api, what, parameters, is_own=not project)
        is_edited = not project and api.root and _is_edited(api, api.root / file, answer["name"])
    return _show(context, answer, what, is_edited=bool(is_edited), json=json)


def _path_in(root: Path, directory: Path, path: str) -> str:
    """Return a path from the root of the checkout. Raises typer.BadParameter outside of it."""
    here = os.path.relpath(os.path.normpath(directory.resolve() / path), root.resolve())
    if here.startswith("../") or (not (root / here).exists() and (root / path).exists()):
        here = os.path.normpath(path)
    if here.startswith(("../", "/")):
        raise typer.BadParameter(
            "the file is outside of this checkout: name its repository by "
            "--project, and the path from its root"
        )
    return here


def _answer(
    api: "ServiceApi", what: str, parameters: Mapping[str, Any], *, is_own: bool
) -> dict[str, Any]:
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import print_stderr
    from indexer.errors import CentralRefusedError

    try:
        return api.trace(what, parameters)
    except CentralRefusedError as error:
        if is_own and error.code == "repository_not_found":
            print_stderr(receipt.CHECKOUT_NOT_INDEXED)
        raise


def _is_edited(api: "ServiceApi", path: Path, name: Mapping[str, Any]) -> bool:
    """Whether the line of a name is another one in the checkout than in the index."""
    line = name["line"]
    asked = {"project": name["project"], "path": name["file"], "start_line": line, "end_line": line}
    indexed = api.read_file(asked)
    if indexed["encoding"]:
        return False  # it is not known how this checkout would be read
    try:
        own = path.read_bytes().decode("utf-8-sig", errors="replace").split("\n")
    except OSError:
        return True
    return own[line - 1 : line] != [indexed["content"].removesuffix("\n")]


def _show(
    context: CommandContext, answer: dict[str, Any], what: str, *, is_edited: bool, json: bool
) -> Exit:
    from aeterna_code_search.cli.output import links
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import Console, print_stderr, print_stdout

    console = Console.of(context.environ)
    print_stderr(links.position_line(answer["name"]))
    if is_edited:
        print_stderr(receipt.LINE_EDITED)
    if json:
        print_stdout(console.as_json(answer))
    elif what == "definition":
        print_stdout(
            links.render_definitions(console, answer["definitions"])
            if console.is_terminal
            else links.format_definitions(answer["definitions"])
        )
    else:
        links.print_links(console, answer, what)
        print_stderr(*receipt.receipt_notes(answer))
    count = len(answer["references" if what == "references" else "definitions"])
    code, why = receipt.exit_status(answer, count=count)
    print_stderr(why or receipt.in_options(answer["hint"] or ""))
    return code
