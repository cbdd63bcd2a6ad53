"""Queries of the graph: related nodes, violations, unmigrated code, context of a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aeterna_code_search.cli.commands.graph.options import Id, not_blank
from aeterna_code_search.cli.commands.graph.output import print_answer
from aeterna_code_search.cli.commands.options import Json, Project, examples
from aeterna_code_search.cli.commands.requests import asks
from aeterna_code_search.contract.knowledge import (
    RelatedRequest,
    UnmigratedRequest,
    ViolationsRequest,
)
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.client.api import ServiceApi

commands = typer.Typer()


@commands.command(
    "related",
    epilog=examples(
        "codesearch graph related mem-123 --target-type code",
        "codesearch graph related code:shop/net/retry.py#L10-L30 --target-type knowledge",
    ),
)
@asks(RelatedRequest)
def related(
    ctx: typer.Context,
    id: Id,
    *,
    json: Json = False,
    **request: Any,
) -> Exit:
    """Find nodes that resemble a node in meaning and words, linked to it or not.

    In a pipe: score, similarity, id, kind and title, separated by tabs.
    """
    from aeterna_code_search.cli.output import knowledge

    with ctx.obj.service_api() as api:
        answer = api.graph("related", {"id": id, **request})
    columns = [knowledge.related(answer)]
    return print_answer(ctx.obj, answer, columns, count=answer["count"], json=json)


@commands.command("violations", epilog=examples("codesearch graph violations -p payments-service"))
@asks(ViolationsRequest)
def violations(
    ctx: typer.Context, project: Project = None, *, json: Json = False, **request: Any
) -> Exit:
    """List code that violates policies; default: in this checkout's repository.

    In a pipe: repository/path:line, severity, policy, message and text, separated by tabs.
    """
    from aeterna_code_search.cli.output import knowledge
    from aeterna_code_search.client.console import print_stderr
    from indexer.output.terminal import escape_line, pluralize

    with ctx.obj.service_api() as api:
        answer = api.graph("violations", {"project": _project(api, project), **request})
    if answer["over_limit"] and not json:
        files = pluralize(answer["over_limit"], "file")
        print_stderr(f"{files} not checked: matching took too much time or memory.")
    for policy in () if json else answer.get("not_run", ()):
        print_stderr(escape_line(f"{policy['policy']} is not run. {policy['reason']}"))
    columns = [knowledge.violations(answer)]
    return print_answer(ctx.obj, answer, columns, count=answer["count"], json=json)


@commands.command(
    "unmigrated", epilog=examples("codesearch graph unmigrated -p legacy-monolith --path handlers/")
)
@asks(UnmigratedRequest)
def unmigrated(
    ctx: typer.Context,
    project: Project = None,
    *,
    json: Json = False,
    **request: Any,
) -> Exit:
    """List definitions without a migrated_to link on them, their file or a parent directory.

    In a pipe: repository/path:line and name, separated by tabs.
    """
    from aeterna_code_search.cli.output import knowledge
    from aeterna_code_search.client.console import print_stderr

    with ctx.obj.service_api() as api:
        answer = api.graph("unmigrated", {"project": _project(api, project), **request})
    if answer["count"] < answer["total"] and not json:
        print_stderr(f"{answer['total']:,} definitions in all.")
    columns = [knowledge.unmigrated(answer)]
    return print_answer(ctx.obj, answer, columns, count=answer["count"], json=json)


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
    columns = [knowledge.context(answer)]
    return print_answer(ctx.obj, answer, columns, count=len(columns[0].rows), json=json)


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
