"""`history`: the commits that changed a file, a directory or a repository."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from aeterna_code_search.cli.commands.options import (
    Json,
    Repository,
    asks,
    examples,
    project_and_path,
)
from aeterna_code_search.contract.files import HistoryRequest
from indexer.exits import Exit
from indexer.limits import COMMITS_LISTED

if TYPE_CHECKING:
    from aeterna_code_search.client.api import ServiceApi

commands = typer.Typer()

_MOST: Final = 10_000  # as many as a repository has


@commands.command(
    "history",
    epilog=examples(
        "codesearch history auth-service",
        "codesearch history auth-service acme_auth/tokens.py -n 5",
        "codesearch history auth-service acme_auth --after 2026-11-01",
        "codesearch history auth-service --symbol verify_token",
    ),
)
@asks(HistoryRequest)
def history(
    ctx: typer.Context,
    project: Repository = "",
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATH]",
            help="File, followed through renames, or directory; default: the whole repository",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", "-k", min=1, max=_MOST, help="Commits at most")
    ] = 20,
    *,
    json: Json = False,
    **request: Any,
) -> Exit:
    """List the commits that changed a file, a definition, a directory or a repository.

    The newest are first. They are those that the service has stored, of the indexed branch. In a
    pipe each is a line: the commit, when it was committed, its subject, and what else is known of
    it, behind tabs.
    """
    from aeterna_code_search.cli.output import commits
    from aeterna_code_search.cli.output.answers import print_answer
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import print_stderr

    project, path = project_and_path(project, path)
    if not project:
        raise typer.BadParameter("which repository? `codesearch status` lists them")
    parameters = {"project": project, "path": path, **request}
    with ctx.obj.service_api() as api:
        answer = _first(api, {name: value for name, value in parameters.items() if value}, limit)
    print_answer(ctx.obj.environ, answer, commits.render, json=json, notes=_notes(answer))
    if answer["commits"]:
        return Exit.OK
    print_stderr(receipt.in_options(answer["hint"] or ""))
    return Exit.NOTHING_FOUND if answer["receipt"]["projects"] else Exit.NOT_INDEXED


def _first(api: "ServiceApi", parameters: dict[str, Any], limit: int) -> dict[str, Any]:
    """Return the first answer with the commits of as many pages as `limit` needs."""
    first = page = api.history({**parameters, "limit": min(limit, COMMITS_LISTED)})
    commits = list(first["commits"])
    while page["next_cursor"] and len(commits) < limit:
        size = min(limit - len(commits), COMMITS_LISTED)
        page = api.history({**parameters, "limit": size, "cursor": page["next_cursor"]})
        commits += page["commits"]
    found = {"commits": commits, "count": len(commits), "next_cursor": page["next_cursor"]}
    return {**first, **found}


def _notes(answer: dict[str, Any]) -> Iterator[str]:
    from aeterna_code_search.client import receipt

    yield receipt.indexed_line(answer["receipt"])
    if answer["next_cursor"]:
        yield "There are more: raise --limit, or give --before."
    elif answer["commits"]:
        yield f"Commits are stored since {answer['since'][:10]}."
