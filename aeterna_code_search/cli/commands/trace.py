"""`trace`: callers, callees and call graph of a definition, and what a name in a file means."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from aeterna_code_search.cli.commands.options import Json, Project, asks, examples
from aeterna_code_search.cli.context import CommandContext
from aeterna_code_search.contract.trace import (
    OF_CALLERS,
    GraphRequest,
    ReferencesRequest,
    TraceRequest,
)
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.client.api import SearchApi, ServiceApi

_POSITION: Final = re.compile(r"(.+?):0*([1-9]\d{0,6}):0*([1-9]\d{0,6}):?")

commands = typer.Typer()
_trace = typer.Typer(no_args_is_help=True)
commands.add_typer(
    _trace,
    name="trace",
    help="Show the callers, callees or call graph of a definition, or what a name means.",
)


@_trace.command(
    "at",
    epilog=examples(
        "codesearch trace at auth/tokens.py:70:12",
        "codesearch trace at auth/tokens.py:70:12 --references --kind call",
        "codesearch trace at acme_auth/app.py:44:13 --project auth-service --json",
    ),
)
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
        elif "ref" in request:
            parameters["ref"] = request["ref"]
        what = "references" if references else "definition"
        answer = _answer(api, what, parameters, is_own=not project)
        is_edited = not project and api.root and _is_edited(api, api.root / file, answer["name"])
    return _show_position(context, answer, what, is_edited=bool(is_edited), json=json)


def _symbol(symbol: str) -> str:
    if not symbol.strip():
        raise typer.BadParameter("the symbol is empty: type a name")
    return symbol.strip()


Symbol = Annotated[
    str,
    typer.Argument(
        metavar="SYMBOL",
        callback=_symbol,
        help="Name, qualified name (Auth.verify) or module:name",
    ),
]


@_trace.command(
    "callers",
    epilog=examples(
        "codesearch trace callers verify_token",
        "codesearch trace callers Auth.verify --project auth-service --depth 2",
        "codesearch trace callers verify --file auth/tokens.py --line 70 --json",
        "codesearch trace callers Store --kind inherit --depth 5",
        "codesearch trace callers verify_token --kind import",
    ),
)
@asks(TraceRequest)
def callers(ctx: typer.Context, symbol: Symbol, *, json: Json = False, **request: Any) -> Exit:
    """Show the callers of a definition, in every repository.

    In a pipe each is `repository/path:line: caller -> callee at repository/path:line (confidence)`
    with rule, kind and version beside it; at the top level of a file no caller is named.
    """
    return _show(ctx.obj, "callers", {"symbol": symbol, **request}, json=json)


@_trace.command(
    "callees",
    epilog=examples(
        "codesearch trace callees HandleLogin", "codesearch trace callees pay -p billing-service"
    ),
)
@asks(TraceRequest, without=OF_CALLERS)
def callees(ctx: typer.Context, symbol: Symbol, *, json: Json = False, **request: Any) -> Exit:
    """Show the callees of a definition.

    In a pipe each is `repository/path:line: caller -> callee at repository/path:line (confidence)`
    with rule, kind and version beside it; at the top level of a file no caller is named.
    """
    return _show(ctx.obj, "callees", {"symbol": symbol, **request}, json=json)


@_trace.command(
    "graph",
    epilog=examples(
        "codesearch trace graph verify_token --depth 1",
        "codesearch trace graph Auth.verify --json | jq '.edges[]'",
    ),
)
@asks(GraphRequest)
def graph(ctx: typer.Context, symbol: Symbol, *, json: Json = False, **request: Any) -> Exit:
    """Show the call graph of a definition: callers and callees, level by level.

    In a pipe each is `repository/path:line: caller -> callee at repository/path:line (confidence)`
    with rule, kind and version beside it; at the top level of a file no caller is named.
    """
    return _show(ctx.obj, "graph", {"symbol": symbol, **request}, json=json)


def _show(context: CommandContext, what: str, parameters: Mapping[str, Any], *, json: bool) -> Exit:
    from aeterna_code_search.cli.output import graph, links
    from aeterna_code_search.cli.output.answers import exit_code, print_answer
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import print_stderr

    answer = _request(context, what, {name: value for name, value in parameters.items() if value})
    if answer is None:
        print_stderr(receipt.NOTHING_INDEXED)
        return Exit.NOT_INDEXED
    if what == "graph":
        notes = receipt.receipt_notes(answer)
        print_answer(context.environ, answer, graph.render, json=json, notes=notes)
    else:
        links.print_links(context.environ, answer, what, json=json)
    return exit_code(answer, count=len(answer["edges" if what == "graph" else what]))


def _request(
    context: CommandContext, what: str, parameters: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the answer; None if nothing is indexed. Raises IndexerError."""
    from indexer.errors import CentralRefusedError

    with context.search_api() as search_api:
        try:
            return search_api.trace(what, parameters)
        except CentralRefusedError as error:
            _say_if_unindexed(search_api)
            if error.code == "symbol_not_found" and not error.problem.get("near"):
                projects = search_api.status()["projects"]
                if not any(project["last_indexed_commit"] for project in projects):
                    return None
            raise


def _say_if_unindexed(search_api: "SearchApi") -> None:
    """Print a note if the checkout's own symbols are not in the index."""
    from aeterna_code_search.cli.overlay.checkout import CheckoutSearchApi
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import print_stderr

    if isinstance(search_api, CheckoutSearchApi) and not search_api.is_indexed():
        print_stderr(receipt.CHECKOUT_NOT_INDEXED)


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


def _show_position(
    context: CommandContext, answer: dict[str, Any], what: str, *, is_edited: bool, json: bool
) -> Exit:
    from aeterna_code_search.cli.output import links
    from aeterna_code_search.cli.output.answers import print_answer
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import print_stderr

    print_stderr(links.position_line(answer["name"]), receipt.LINE_EDITED if is_edited else "")
    if what == "references":
        links.print_links(context.environ, answer, what, json=json)
    else:
        print_answer(context.environ, answer, links.render_definitions, json=json)
    count = len(answer["references" if what == "references" else "definitions"])
    code, why = receipt.exit_status(answer, count=count)
    print_stderr(why or receipt.in_options(answer["hint"] or ""))
    return code
