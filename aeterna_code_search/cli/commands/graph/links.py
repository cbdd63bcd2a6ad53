"""Links between nodes, and questions: what they lead to, what resembles, violates or is left."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aeterna_code_search.cli.commands.graph.options import (
    From,
    Id,
    Properties,
    To,
    Type,
    mapping,
    not_blank,
    print_found,
    print_rows,
    without_empty,
)
from aeterna_code_search.cli.commands.options import Json, Project, asks, examples
from aeterna_code_search.contract.knowledge import (
    RelatedRequest,
    Traversal,
    UnmigratedRequest,
    ViolationsRequest,
)
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.client.api import ServiceApi

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

    body = {"from": source, "type": type, "to": target, "weight": weight}
    with ctx.obj.service_api() as api:
        edge = api.link({**without_empty(body), "properties": mapping(property or [])})
    print_rows(ctx.obj, edge, knowledge.edges([edge]), json=json)
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
    from aeterna_code_search.client.console import Console

    named = [type_.strip() for type_ in (types or "").split(",") if type_.strip()]
    chosen = {"types": named} if named else {}
    with ctx.obj.service_api() as api:
        answer = api.graph("traverse", {"from": id, **chosen, **request})
    columns = [knowledge.traversed(answer)]
    if Console.of(ctx.obj.environ).is_terminal:
        columns.append(knowledge.edges(answer["edges"]))
    cut = "The answer is truncated: raise --limit, lower --depth, or set --types or --direction."
    return print_found(
        ctx.obj,
        answer,
        *columns,
        count=len(columns[0].rows),
        json=json,
        notes=[cut] if answer["truncated"] else [],
    )


@commands.command(
    "related",
    epilog=examples(
        "codesearch graph related mem-123 --target-type code",
        "codesearch graph related code:shop/net/retry.py#L10-L30 --target-type knowledge",
    ),
)
@asks(RelatedRequest)
def related(ctx: typer.Context, id: Id, *, json: Json = False, **request: Any) -> Exit:
    """Find nodes that resemble a node in meaning and words, linked to it or not.

    In a pipe: score, similarity, id, kind and title, separated by tabs.
    """
    from aeterna_code_search.cli.output import knowledge

    with ctx.obj.service_api() as api:
        answer = api.graph("related", {"id": id, **request})
    found = knowledge.related(answer)
    return print_found(ctx.obj, answer, found, count=answer["count"], json=json)


@commands.command("violations", epilog=examples("codesearch graph violations -p payments-service"))
@asks(ViolationsRequest)
def violations(
    ctx: typer.Context, project: Project = None, *, json: Json = False, **request: Any
) -> Exit:
    """List code that violates policies; default: in this checkout's repository.

    In a pipe: repository/path:line, severity, policy, message and text, separated by tabs.
    """
    from aeterna_code_search.cli.output import knowledge
    from indexer.output.terminal import escape_line, pluralize

    with ctx.obj.service_api() as api:
        answer = api.graph("violations", {"project": _project(api, project), **request})
    notes = [
        escape_line(f"{policy['policy']} is not run. {policy['reason']}")
        for policy in answer.get("not_run", ())
    ]
    if answer["over_limit"]:
        files = pluralize(answer["over_limit"], "file")
        notes.insert(0, f"{files} not checked: matching took too much time or memory.")
    found = knowledge.violations(answer)
    return print_found(ctx.obj, answer, found, count=answer["count"], json=json, notes=notes)


@commands.command(
    "unmigrated", epilog=examples("codesearch graph unmigrated -p legacy-monolith --path handlers/")
)
@asks(UnmigratedRequest)
def unmigrated(
    ctx: typer.Context, project: Project = None, *, json: Json = False, **request: Any
) -> Exit:
    """List definitions without a migrated_to link on them, their file or a parent directory.

    In a pipe: repository/path:line and name, separated by tabs.
    """
    from aeterna_code_search.cli.output import knowledge

    with ctx.obj.service_api() as api:
        answer = api.graph("unmigrated", {"project": _project(api, project), **request})
    count, total = answer["count"], answer["total"]
    notes = [f"{total:,} definitions in all."] if count < total else []
    found = knowledge.unmigrated(answer)
    return print_found(ctx.obj, answer, found, count=count, json=json, notes=notes)


@commands.command(
    "context",
    epilog=examples(
        "codesearch graph context src/payment/handler.rs",
        "codesearch graph context payments/ledger.py -p payments-api --json",
    ),
)
def context(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            callback=not_blank,
            help="A file of this checkout; with --project, a path in that repository",
        ),
    ],
    project: Project = None,
    json: Json = False,
) -> Exit:
    """Show the policies, decisions, memories, callers and callees of a file.

    In a pipe: what, how, id or location, and title, separated by tabs.
    """
    from aeterna_code_search.cli.output import knowledge

    with ctx.obj.service_api() as api:
        path = file if project else _path(api, ctx.obj.directory, file)
        answer = api.graph("context", {"project": _project(api, project), "file": path})
    found = knowledge.context(answer)
    return print_found(ctx.obj, answer, found, count=len(found.rows), json=json)


def _project(api: "ServiceApi", project: str | None) -> str:
    """Return `project`, else the checkout's own. Raises ConfigurationError."""
    from indexer.errors import ConfigurationError

    if named := project or api.project:
        return named
    raise ConfigurationError("this directory is not in a repository: name one with --project")


def _path(api: "ServiceApi", directory: Path, file: str) -> str:
    """Return the path of a checkout's file in its repository."""
    path = (directory / file).resolve()
    root = api.root and api.root.resolve()
    return path.relative_to(root).as_posix() if root and path.is_relative_to(root) else file
