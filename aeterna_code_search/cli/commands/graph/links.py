"""Links between nodes: create, remove and traverse."""

from typing import Annotated, Any

import typer

from aeterna_code_search.cli.commands.graph.options import From, Id, Properties, To, Type
from aeterna_code_search.cli.commands.graph.output import mapping, print_answer, without_empty
from aeterna_code_search.cli.commands.options import Json, examples
from aeterna_code_search.cli.commands.requests import asks
from aeterna_code_search.contract.knowledge import Traversal
from indexer.exits import Exit

commands = typer.Typer()


@commands.command(
    "link",
    epilog=examples(
        "codesearch graph link code:payments-api/src/db.py implements ADR-042",
        "codesearch graph link mem-123 derived_from code:src/auth/login.rs --weight 0.9",
    ),
)
def link(
    ctx: typer.Context,
    source: From,
    type: Type,
    target: To,
    weight: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Strength of the link")
    ] = None,
    property: Properties = None,
    json: Json = False,
) -> Exit:
    """Link two nodes, or change the weight and properties of an existing link.

    In a pipe: from, type, to, weight and origin, separated by tabs.
    """
    from aeterna_code_search.cli.output import knowledge
    from aeterna_code_search.client.console import Console, print_stdout

    body = {"from": source, "type": type, "to": target, "weight": weight}
    with ctx.obj.service_api() as api:
        edge = api.link({**without_empty(body), "properties": mapping(property or [])})
    console = Console.of(ctx.obj.environ)
    print_stdout(
        console.as_json(edge) if json else knowledge.render(console, knowledge.edges([edge]))
    )
    return Exit.OK


@commands.command(
    "unlink",
    epilog=examples("codesearch graph unlink mem-123 derived_from code:src/auth/login.rs"),
)
def unlink(ctx: typer.Context, source: From, type: Type, target: To) -> Exit:
    """Remove a link that was made by hand; derived links end with their source."""
    from aeterna_code_search.client.console import print_stderr

    with ctx.obj.service_api() as api:
        api.unlink({"from": source, "type": type, "to": target})
    print_stderr("Link removed.")
    return Exit.OK


@commands.command(
    "traverse",
    epilog=examples(
        "codesearch graph traverse ADR-042 --types implements",
        "codesearch graph traverse code:src/auth/login.rs --direction in --depth 2",
    ),
)
@asks(Traversal)
def traverse(
    ctx: typer.Context,
    id: Id,
    *,
    types: Annotated[
        str | None, typer.Option(metavar="TYPE,…", help="Follow only these edge types")
    ] = None,
    json: Json = False,
    **request: Any,
) -> Exit:
    """Follow links from a node, nearest nodes first.

    In a pipe: steps, id, kind, status and title, separated by tabs.
    """
    from aeterna_code_search.cli.output import knowledge
    from aeterna_code_search.client.console import Console, print_stderr

    named = [type_.strip() for type_ in (types or "").split(",") if type_.strip()]
    chosen = {"types": named} if named else {}
    with ctx.obj.service_api() as api:
        answer = api.graph("traverse", {"from": id, **chosen, **request})
    columns = [knowledge.traversed(answer)]
    if Console.of(ctx.obj.environ).is_terminal:
        columns.append(knowledge.edges(answer["edges"]))
    if answer["truncated"] and not json:
        print_stderr(
            "The answer is truncated: raise --limit, lower --depth, or set --types or --direction."
        )
    return print_answer(ctx.obj, answer, columns, count=len(columns[0].rows), json=json)
