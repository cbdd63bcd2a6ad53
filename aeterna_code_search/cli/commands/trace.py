"""`trace`: callers, callees and call graph of a definition, in every repository."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aeterna_code_search.cli.commands.options import (
    Json,
    examples,
)
from aeterna_code_search.cli.commands.requests import asks
from aeterna_code_search.cli.commands.trace_at import at
from aeterna_code_search.cli.context import CommandContext
from aeterna_code_search.contract.trace import OF_CALLERS, GraphRequest, TraceRequest
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.client.api import SearchApi
    from aeterna_code_search.client.console import Console

commands = typer.Typer()
_trace = typer.Typer(no_args_is_help=True)
commands.add_typer(
    _trace,
    name="trace",
    help="Show the callers, callees or call graph of a definition, or what a name means.",
)
_trace.command(
    "at",
    epilog=examples(
        "codesearch trace at auth/tokens.py:70:12",
        "codesearch trace at auth/tokens.py:70:12 --references --kind call",
        "codesearch trace at acme_auth/app.py:44:13 --project auth-service --json",
    ),
)(at)


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
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import Console, print_stderr, print_stdout

    answer = _request(context, what, {name: value for name, value in parameters.items() if value})
    if answer is None:
        print_stderr(receipt.NOTHING_INDEXED)
        return Exit.NOT_INDEXED
    console = Console.of(context.environ)
    if json:
        print_stdout(console.as_json(answer))
    else:
        _print(console, what, answer)
        print_stderr(*receipt.receipt_notes(answer))
    code, why = receipt.exit_status(answer, count=len(answer["edges" if what == "graph" else what]))
    print_stderr(why)
    return code


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


def _print(console: "Console", what: str, answer: Mapping[str, Any]) -> None:
    from aeterna_code_search.cli.output import graph, links
    from aeterna_code_search.client.console import print_stdout

    if what == "graph":
        print_stdout(
            graph.render(console, answer) if console.is_terminal else graph.format_plain(answer)
        )
    else:
        links.print_links(console, answer, what)
