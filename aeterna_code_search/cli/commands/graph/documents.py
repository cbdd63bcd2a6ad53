"""Decisions, policies and memories: store, show, list, change and delete."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aeterna_code_search.cli.commands.graph.options import (
    Body,
    Exclude,
    Id,
    Include,
    Language,
    Message,
    NewId,
    Properties,
    Rule,
    Severity,
    SeverityOption,
    Status,
    Title,
    mapping,
    not_blank,
    print_found,
    print_rows,
    read_rule,
    without_empty,
)
from aeterna_code_search.cli.commands.options import Json, Project, asks, examples
from aeterna_code_search.cli.context import CommandContext
from aeterna_code_search.contract.knowledge import NodeFilter
from indexer.exits import Exit
from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from aeterna_code_search.client.api import ServiceApi

commands = typer.Typer()
_add = typer.Typer(no_args_is_help=True)
commands.add_typer(_add, name="add", help="Store a decision or guide, a policy, or a memory.")


@_add.command(  # the lower one is listed first
    "memory",
    help="Store a memory: a lesson worth remembering.",
    epilog=examples(
        'codesearch graph add memory "Auth retries need backoff" -p auth-service --id mem-123',
    ),
)
@_add.command(
    "knowledge",
    help="Store a decision record, a runbook or another guide.",
    epilog=examples(
        'codesearch graph add knowledge "Use PostgreSQL" --id ADR-042 --status Accepted --body -',
    ),
)
def add_document(
    ctx: typer.Context,
    title: Title,
    id: NewId = None,
    project: Project = None,
    body: Body = None,
    status: Status = None,
    property: Properties = None,
    json: Json = False,
) -> Exit:
    """Store a document whose kind is the command's name."""
    document = _document(str(ctx.info_name), title, id, project, body, status, property)
    return _store(ctx.obj, document, json=json)


@_add.command(
    "policy",
    epilog=examples(
        'codesearch graph add policy "No panic!()" --language rust --rule no-panic.yaml '
        "--exclude tests/ --severity error",
    ),
)
def add_policy(
    ctx: typer.Context,
    title: Title,
    rule: Annotated[
        str,
        typer.Option(
            "--rule", metavar="FILE", callback=read_rule, help="ast-grep YAML file; - is stdin"
        ),
    ],
    language: Annotated[str, typer.Option(metavar="NAME", help="Language, such as rust")],
    include: Include = None,
    exclude: Exclude = None,
    severity: SeverityOption = None,
    message: Message = None,
    id: NewId = None,
    project: Project = None,
    body: Body = None,
    status: Status = None,
    property: Properties = None,
    json: Json = False,
) -> Exit:
    """Store a rule for code; code that violates it is reported from then on."""
    document = _document("policy", title, id, project, body, status, property)
    policy = _policy(rule, language, include, exclude, severity, message)
    return _store(ctx.obj, {**document, "policy": policy}, json=json)


@commands.command("show", epilog=examples("codesearch graph show ADR-042"))
def show(ctx: typer.Context, id: Id, json: Json = False) -> Exit:
    """Show a node with its text and links; a short id may match several nodes.

    In a pipe: the nodes and the links, their columns separated by tabs, then the indented text.
    """
    from aeterna_code_search.cli.output import knowledge

    with ctx.obj.service_api() as api:
        answer = api.node(id)
    nodes = answer["nodes"]
    return print_found(
        ctx.obj,
        answer,
        knowledge.nodes(nodes),
        knowledge.edges(answer["edges"]),
        count=answer["count"],
        json=json,
        after="".join(knowledge.body_text(node["body"]) for node in nodes),
        notes=knowledge.not_run(nodes),
    )


@commands.command(
    "list", epilog=examples("codesearch graph list --kind policy", "codesearch graph list -q retry")
)
@asks(NodeFilter)
def list_documents(ctx: typer.Context, *, json: Json = False, **request: Any) -> Exit:
    """List decisions, policies and memories, ordered by id.

    In a pipe: id, kind, status, lines and title, separated by tabs.
    """
    from aeterna_code_search.cli.output import knowledge

    with ctx.obj.service_api() as api:
        answer = api.graph("nodes", request)
    nodes = knowledge.nodes(answer["nodes"])
    return print_found(ctx.obj, answer, nodes, count=answer["count"], json=json)


@commands.command(
    "edit",
    epilog=examples(
        "codesearch graph edit ADR-042 --status Superseded --property by=ADR-050",
        "codesearch graph edit POL-1 --rule no-panic.yaml",
    ),
)
def edit(
    ctx: typer.Context,
    id: Id,
    title: Annotated[str | None, typer.Option(callback=not_blank, help="New title")] = None,
    body: Body = None,
    status: Status = None,
    property: Properties = None,
    rule: Rule = None,
    language: Language = None,
    include: Include = None,
    exclude: Exclude = None,
    severity: SeverityOption = None,
    message: Message = None,
    if_version: Annotated[
        int | None,
        typer.Option(min=1, help="Only if this is still the version (`version` of show --json)"),
    ] = None,
    json: Json = False,
) -> Exit:
    """Change the given fields of a document; `--property KEY=` removes a property.

    A concurrent change is never overwritten: the command fails with exit code 5.
    """
    policy = _policy(rule, language, include, exclude, severity, message)
    changes = {"title": title, "body": body, "status": status, **policy}
    changes = {name: value for name, value in changes.items() if value is not None}
    if not changes and not property:
        raise typer.BadParameter("nothing to change: give an option, such as --status Accepted")
    with ctx.obj.service_api() as api:
        version, properties = _version_and_properties(api, id, property or [])
        if property:
            changes["properties"] = properties
        answer = api.change_node(id, changes, version=if_version or version)
    return _print_stored(ctx.obj, answer, json=json)


@commands.command("delete", epilog=examples("codesearch graph delete mem-123"))
def delete(ctx: typer.Context, id: Id) -> Exit:
    """Delete a document and its links."""
    from aeterna_code_search.client.console import print_stderr

    with ctx.obj.service_api() as api:
        api.delete_node(id)
    print_stderr(f"Deleted {escape_line(id)}.")
    return Exit.OK


def _document(
    kind: str,
    title: str,
    name: str | None,
    project: str | None,
    body: str | None,
    status: str | None,
    properties: list[str] | None,
) -> dict[str, Any]:
    fields = {"id": name, "project": project, "body": body, "status": status}
    document = {"kind": kind, "title": title, **without_empty(fields)}
    return document | {"properties": mapping(properties)} if properties else document


def _policy(
    rule: str | None,
    language: str | None,
    include: list[str] | None,
    exclude: list[str] | None,
    severity: Severity | None,
    message: str | None,
) -> dict[str, Any]:
    fields = {"rule": rule, "language": language, "include": include, "exclude": exclude}
    return without_empty(fields | {"severity": severity and str(severity), "message": message})


def _store(context: CommandContext, document: Mapping[str, Any], *, json: bool) -> Exit:
    with context.service_api() as api:
        answer = api.add_node(document)
    return _print_stored(context, answer, json=json)


def _print_stored(context: CommandContext, answer: Mapping[str, Any], *, json: bool) -> Exit:
    from aeterna_code_search.cli.output import knowledge

    print_rows(context, answer, knowledge.nodes(answer["nodes"]), json=json)
    return Exit.OK


def _version_and_properties(
    api: "ServiceApi", name: str, properties: list[str]
) -> tuple[int | None, dict[str, Any]]:
    """Return the document's current version and its properties after the change."""
    nodes = api.node(name)["nodes"]
    if len(nodes) != 1:
        return None, {}  # the service rejects the change and lists them
    updates = mapping(properties)
    merged = nodes[0]["properties"] | updates
    for removed in (name for name, value in updates.items() if not value):
        del merged[removed]
    return nodes[0]["version"], merged
