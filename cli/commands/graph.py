"""`graph`: decisions, policies and memories, their links to code, and what follows from them."""

import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.context import Invocation
from cli.options import Json, Project, examples
from indexer.exits import Exit
from indexer.limits import NODE_BODY_BYTES, RULE_BYTES
from indexer.printable import one_line

if TYPE_CHECKING:
    from cli.graph_api import GraphApi
    from cli.knowledge import Columns

commands = typer.Typer()
_graph = typer.Typer(no_args_is_help=True)
_add = typer.Typer(no_args_is_help=True)
commands.add_typer(
    _graph,
    name="graph",
    help="Link decisions, policies and memories to code, and ask what belongs together.",
)
_graph.add_typer(_add, name="add", help="Store a decision or a guide, a policy, or a memory.")


class Kind(StrEnum):
    """What a document is."""

    KNOWLEDGE = "knowledge"
    POLICY = "policy"
    MEMORY = "memory"


class Target(StrEnum):
    """What relatives are looked for."""

    CODE = "code"
    KNOWLEDGE = "knowledge"
    POLICY = "policy"
    MEMORY = "memory"


class Direction(StrEnum):
    """Which way edges are followed."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


class Severity(StrEnum):
    """How bad a violation is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def _not_blank(text: str | None) -> str | None:
    if text is not None and not text.strip():
        raise typer.BadParameter("it must not be blank")
    return text and text.strip()


def _properties(given: list[str] | None) -> list[str]:
    for one in given or ():
        if not one.partition("=")[0] or "=" not in one:
            raise typer.BadParameter(f"write {one!r} as KEY=VALUE")
    return given or []


def _file_content(path: str, most: int) -> str:
    """The text of a file, or of standard input for `-`."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(most + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(most + 1)
        text = data.decode()
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{path} is not UTF-8 text") from error
    if len(data) > most:
        raise typer.BadParameter(f"{path} is longer than {most:,} bytes")
    return text


def _body(path: str | None) -> str | None:
    return None if path is None else _file_content(path, NODE_BODY_BYTES)


def _rule(path: str | None) -> str | None:
    return None if path is None else _file_content(path, RULE_BYTES)


Title = Annotated[str, typer.Argument(metavar="TITLE", callback=_not_blank)]
Id = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        callback=_not_blank,
        help="ADR-042, REPOSITORY/ADR-042, code:REPOSITORY/PATH or code:REPOSITORY/PATH#NAME.",
    ),
]
NewId = Annotated[
    str | None, typer.Option("--id", metavar="ID", help="Such as ADR-042; without it, one is made.")
]
Body = Annotated[
    str | None,
    typer.Option(
        "--body", metavar="FILE", callback=_body, help="Markdown of a file; - is standard input."
    ),
]
Status = Annotated[str | None, typer.Option(help="Such as Accepted.")]
Properties = Annotated[
    list[str] | None,
    typer.Option(
        "--property", metavar="KEY=VALUE", callback=_properties, help="Anything else; repeatable."
    ),
]
Rule = Annotated[
    str | None,
    typer.Option("--rule", metavar="FILE", callback=_rule, help="ast-grep's YAML; - is stdin."),
]
Language = Annotated[str | None, typer.Option(metavar="NAME", help="Such as rust.")]
Include = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Paths that it holds for, as in .gitignore; repeatable."),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Paths that it does not hold for; repeatable."),
]
SeverityOption = Annotated[Severity | None, typer.Option(help="How bad a violation is.")]
Message = Annotated[str | None, typer.Option(help="What to do about a violation.")]
Limit = Annotated[int, typer.Option(min=1, max=200, help="How many at most.")]


@_add.command(
    "knowledge",
    epilog=examples(
        'codesearch graph add knowledge "Use PostgreSQL" --id ADR-042 --status Accepted --body -',
    ),
)
def add_knowledge(
    ctx: typer.Context,
    title: Title,
    id: NewId = None,
    project: Project = None,
    body: Body = None,
    status: Status = None,
    property: Properties = None,
    json: Json = False,
) -> Exit:
    """Store a decision record, a runbook or another guide."""
    document = _document("knowledge", title, id, project, body, status, property)
    return _store(ctx.obj, document, json=json)


@_add.command(
    "memory",
    epilog=examples(
        'codesearch graph add memory "Auth retries need backoff" -p auth-service --id mem-123',
    ),
)
def add_memory(
    ctx: typer.Context,
    title: Title,
    id: NewId = None,
    project: Project = None,
    body: Body = None,
    status: Status = None,
    property: Properties = None,
    json: Json = False,
) -> Exit:
    """Store what was learnt and is worth remembering."""
    document = _document("memory", title, id, project, body, status, property)
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
        typer.Option("--rule", metavar="FILE", callback=_rule, help="ast-grep's YAML; - is stdin."),
    ],
    language: Annotated[str, typer.Option(metavar="NAME", help="Such as rust.")],
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
    """Store a rule that code has to keep; code that violates it is found from then on."""
    document = _document("policy", title, id, project, body, status, property)
    policy = _policy(rule, language, include, exclude, severity, message)
    return _store(ctx.obj, {**document, "policy": policy}, json=json)


@_graph.command("show", epilog=examples("codesearch graph show ADR-042"))
def show(ctx: typer.Context, id: Id, json: Json = False) -> Exit:
    """Show a node with its text and links; a short id may mean several.

    In a pipe the nodes, then the links, their columns separated by tabs, then the text, indented.
    """
    from cli import knowledge

    invocation: Invocation = ctx.obj
    with invocation.graph() as graph:
        answer = graph.node(id)
    columns = [knowledge.nodes(answer["nodes"]), knowledge.edges(answer["edges"])]
    bodies = "".join(knowledge.body_text(one["body"]) for one in answer["nodes"])
    return _tell(invocation, answer, columns, found=answer["count"], json=json, after=bodies)


@_graph.command(
    "list", epilog=examples("codesearch graph list --kind policy", "codesearch graph list -q retry")
)
def list_documents(
    ctx: typer.Context,
    kind: Annotated[Kind | None, typer.Option(help="Only these.")] = None,
    project: Project = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", help="A part of the id or the title.")
    ] = None,
    limit: Limit = 50,
    json: Json = False,
) -> Exit:
    """List decisions, policies and memories by id.

    In a pipe: id, kind, status, lines and title, separated by tabs.
    """
    from cli import knowledge

    asked = {"kind": kind and str(kind), "project": project, "query": query, "limit": limit}
    with ctx.obj.graph() as graph:
        answer = graph.ask("nodes", _given(asked))
    columns = [knowledge.nodes(answer["nodes"])]
    return _tell(ctx.obj, answer, columns, found=answer["count"], json=json)


@_graph.command(
    "edit",
    epilog=examples(
        "codesearch graph edit ADR-042 --status Superseded --property by=ADR-050",
        "codesearch graph edit POL-1 --rule no-panic.yaml",
    ),
)
def edit(
    ctx: typer.Context,
    id: Id,
    title: Annotated[str | None, typer.Option(callback=_not_blank, help="A new title.")] = None,
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
        typer.Option(min=1, help="Only if it is of this version still (`version` of show --json)."),
    ] = None,
    json: Json = False,
) -> Exit:
    """Change what is given of a document; a property without a value is removed.

    Nothing is overwritten that somebody else changes at the same time: that is refused, with 5.
    """
    policy = _policy(rule, language, include, exclude, severity, message)
    changes = {"title": title, "body": body, "status": status, **policy}
    changes = {name: value for name, value in changes.items() if value is not None}
    if not changes and not property:
        raise typer.BadParameter("say what to change, such as --status Accepted")
    with ctx.obj.graph() as graph:
        version, properties = _version_and_properties(graph, id, property or [])
        if property:
            changes["properties"] = properties
        answer = graph.change(id, changes, version=if_version or version)
    return _tell_stored(ctx.obj, answer, json=json)


@_graph.command("delete", epilog=examples("codesearch graph delete mem-123"))
def delete(ctx: typer.Context, id: Id) -> Exit:
    """Delete a document and its links."""
    from cli.console import note

    with ctx.obj.graph() as graph:
        graph.delete(id)
    note(f"Deleted {one_line(id)}.")
    return Exit.OK


From = Annotated[str, typer.Argument(metavar="FROM", callback=_not_blank, help="A node's id.")]
Type = Annotated[
    str, typer.Argument(metavar="TYPE", callback=_not_blank, help="Such as implements.")
]
To = Annotated[str, typer.Argument(metavar="TO", callback=_not_blank, help="A node's id.")]


@_graph.command(
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
        float | None, typer.Option(min=0.0, max=1.0, help="How strong it is.")
    ] = None,
    property: Properties = None,
    json: Json = False,
) -> Exit:
    """Link two nodes; the same link again changes its weight and properties alone.

    In a pipe: from, type, to, weight and origin, separated by tabs.
    """
    from cli import knowledge
    from cli.console import Console, tell

    body = {"from": source, "type": type, "to": target, "weight": weight}
    with ctx.obj.graph() as graph:
        edge = graph.link({**_given(body), "properties": _mapping(property or [])})
    console = Console.of(ctx.obj.environ)
    tell(console.as_json(edge) if json else knowledge.shown(console, knowledge.edges([edge])))
    return Exit.OK


@_graph.command(
    "unlink",
    epilog=examples("codesearch graph unlink mem-123 derived_from code:src/auth/login.rs"),
)
def unlink(ctx: typer.Context, source: From, type: Type, target: To) -> Exit:
    """Take a link back that was made by hand; others end with what they were made of."""
    from cli.console import note

    with ctx.obj.graph() as graph:
        graph.unlink({"from": source, "type": type, "to": target})
    note("The link is gone.")
    return Exit.OK


@_graph.command(
    "traverse",
    epilog=examples(
        "codesearch graph traverse ADR-042 --types implements",
        "codesearch graph traverse code:src/auth/login.rs --direction in --depth 2",
    ),
)
def traverse(
    ctx: typer.Context,
    id: Id,
    types: Annotated[
        str | None, typer.Option(metavar="TYPE,…", help="Follow these edges only.")
    ] = None,
    direction: Annotated[
        Direction, typer.Option(help="Along the edges, against them, or both.")
    ] = Direction.BOTH,
    depth: Annotated[int, typer.Option(min=1, max=5, help="Steps at most.")] = 1,
    json: Json = False,
) -> Exit:
    """Follow links from a node, nearest nodes first.

    In a pipe: steps, id, kind, status and title, separated by tabs.
    """
    from cli import knowledge
    from cli.console import Console, note

    named = [one.strip() for one in (types or "").split(",") if one.strip()]
    asked = {"from": id, "types": named, "direction": str(direction), "depth": depth}
    with ctx.obj.graph() as graph:
        answer = graph.ask("traverse", _given(asked))
    columns = [knowledge.found(answer)]
    if Console.of(ctx.obj.environ).is_terminal:
        columns.append(knowledge.edges(answer["edges"]))
    if answer["truncated"] and not json:
        note("There is more: lower --depth, or name --types or a --direction.")
    return _tell(ctx.obj, answer, columns, found=len(columns[0].rows), json=json)


@_graph.command(
    "related",
    epilog=examples(
        "codesearch graph related mem-123 --target-type code",
        "codesearch graph related code:shop/net/retry.py#L10-L30 --target-type knowledge",
    ),
)
def related(
    ctx: typer.Context,
    id: Id,
    target_type: Annotated[Target, typer.Option(help="What is looked for.")],
    limit: Annotated[int, typer.Option(min=1, max=45, help="How many at most.")] = 10,
    json: Json = False,
) -> Exit:
    """Find what resembles a node in meaning and words, linked to it or not.

    In a pipe: score, similarity, id, kind and title, separated by tabs.
    """
    from cli import knowledge

    asked = {"id": id, "target_type": str(target_type), "limit": limit}
    with ctx.obj.graph() as graph:
        answer = graph.ask("related", asked)
    columns = [knowledge.related(answer)]
    return _tell(ctx.obj, answer, columns, found=answer["count"], json=json)


@_graph.command("violations", epilog=examples("codesearch graph violations -p payments-service"))
def violations(
    ctx: typer.Context, project: Project = None, limit: Limit = 50, json: Json = False
) -> Exit:
    """List code that violates policies; without --project, of this checkout's repository.

    In a pipe: repository/path:line, severity, policy, message and text, separated by tabs.
    """
    from cli import knowledge
    from cli.console import note
    from indexer.wording import counted

    with ctx.obj.graph() as graph:
        asked = {"project": _project(graph, project), "limit": limit}
        answer = graph.ask("violations", asked)
    if answer["over_limit"] and not json:
        note(f"{counted(answer['over_limit'], 'file')} took too long to be matched.")
    columns = [knowledge.violations(answer)]
    return _tell(ctx.obj, answer, columns, found=answer["count"], json=json)


@_graph.command(
    "unmigrated", epilog=examples("codesearch graph unmigrated -p legacy-monolith --path handlers/")
)
def unmigrated(
    ctx: typer.Context,
    project: Project = None,
    path: Annotated[str | None, typer.Option(help="What a file's path begins with.")] = None,
    limit: Limit = 50,
    json: Json = False,
) -> Exit:
    """List definitions without a migrated_to link on them, their file or a directory above.

    In a pipe: repository/path:line and name, separated by tabs.
    """
    from cli import knowledge
    from cli.console import note

    with ctx.obj.graph() as graph:
        asked = {"project": _project(graph, project), "path": path, "limit": limit}
        answer = graph.ask("unmigrated", _given(asked))
    if answer["count"] < answer["total"] and not json:
        note(f"{answer['total']:,} definitions in all.")
    columns = [knowledge.unmigrated(answer)]
    return _tell(ctx.obj, answer, columns, found=answer["count"], json=json)


@_graph.command(
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
            callback=_not_blank,
            help="A file of this checkout; with --project, a path in that repository.",
        ),
    ],
    project: Project = None,
    json: Json = False,
) -> Exit:
    """Tell what to know before a file is changed: policies, decisions, memories, callers, callees.

    In a pipe: what, how, id or place, and title, separated by tabs.
    """
    from cli import knowledge

    with ctx.obj.graph() as graph:
        path = file if project else _path(graph, ctx.obj.directory, file)
        answer = graph.ask("context", {"project": _project(graph, project), "file": path})
    columns = [knowledge.context(answer)]
    return _tell(ctx.obj, answer, columns, found=len(columns[0].rows), json=json)


def _document(
    kind: str,
    title: str,
    name: str | None,
    project: str | None,
    body: str | None,
    status: str | None,
    properties: list[str] | None,
) -> dict[str, Any]:
    given = {"id": name, "project": project, "body": body, "status": status}
    document = {"kind": kind, "title": title, **_given(given)}
    return document | {"properties": _mapping(properties)} if properties else document


def _policy(
    rule: str | None,
    language: str | None,
    include: list[str] | None,
    exclude: list[str] | None,
    severity: Severity | None,
    message: str | None,
) -> dict[str, Any]:
    given = {"rule": rule, "language": language, "include": include, "exclude": exclude}
    return _given(given | {"severity": severity and str(severity), "message": message})


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, [])}


def _mapping(properties: list[str]) -> dict[str, str]:
    pairs = (one.partition("=") for one in properties)
    return {name: value for name, _, value in pairs}


def _store(invocation: Invocation, document: Mapping[str, Any], *, json: bool) -> Exit:
    with invocation.graph() as graph:
        answer = graph.add(document)
    return _tell_stored(invocation, answer, json=json)


def _version_and_properties(
    graph: "GraphApi", name: str, properties: list[str]
) -> tuple[int | None, dict[str, Any]]:
    """The version of the document as it is, and its properties as they are to be."""
    nodes = graph.node(name)["nodes"]
    if len(nodes) != 1:
        return None, {}  # the service refuses the change and names them
    given = _mapping(properties)
    merged = nodes[0]["properties"] | given
    for removed in (name for name, value in given.items() if not value):
        del merged[removed]
    return nodes[0]["version"], merged


def _project(graph: "GraphApi", project: str | None) -> str:
    """What was named, else the checkout's own. Raises ConfigurationError."""
    from indexer.errors import ConfigurationError

    if named := project or graph.project:
        return named
    raise ConfigurationError("this directory is in no repository: name one with --project")


def _path(graph: "GraphApi", directory: Path, file: str) -> str:
    """The path in the repository of a file of this checkout."""
    path = (directory / file).resolve()
    root = graph.root and graph.root.resolve()
    return path.relative_to(root).as_posix() if root and path.is_relative_to(root) else file


def _tell_stored(invocation: Invocation, answer: Mapping[str, Any], *, json: bool) -> Exit:
    from cli import knowledge
    from cli.console import Console, tell

    console = Console.of(invocation.environ)
    stored = knowledge.nodes(answer["nodes"])
    tell(console.as_json(answer) if json else knowledge.shown(console, stored))
    return Exit.OK


def _tell(
    invocation: Invocation,
    answer: Mapping[str, Any],
    columns: "list[Columns]",
    *,
    found: int,
    json: bool,
    after: str = "",
) -> Exit:
    from cli import knowledge, receipts
    from cli.console import Console, note, tell

    console = Console.of(invocation.environ)
    if json:
        tell(console.as_json(answer))
    else:
        tell(knowledge.shown(console, *columns) + after)
        note(*receipts.graph_notes(answer))
    if found:
        return Exit.OK
    note(receipts.in_options(answer.get("hint") or "Nothing was found."))
    return Exit.NOTHING_FOUND
