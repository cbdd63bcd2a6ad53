"""`map`: what the repositories of an organisation use of one another."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from aeterna_code_search.cli.commands.completion import complete_project
from aeterna_code_search.cli.commands.options import Json, asks, examples
from aeterna_code_search.cli.context import CommandContext
from aeterna_code_search.contract.codemap import (
    ConsumersRequest,
    MapRequest,
    MostCalledRequest,
    UnusedRequest,
)
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.client.target.target import IndexTarget

_RETRY_SECONDS: Final = 20.0  # while stored edges follow an apply
_Answer = Mapping[str, Any]

commands = typer.Typer()
_map = typer.Typer(no_args_is_help=True)
commands.add_typer(
    _map,
    name="map",
    help="Show what the repositories of an organisation use of one another.",
)


def _project(help: str) -> Any:
    return typer.Argument(metavar="[PROJECT]", autocompletion=complete_project, help=help)


DefiningProject = Annotated[str | None, _project("Only definitions of this repository")]


@_map.command(
    "show",
    epilog=examples(
        "codesearch map show",
        "codesearch map show common-utils --level package",
        "codesearch map show --json | jq '.cycles'",
    ),
)
@asks(MapRequest)
def show(
    ctx: typer.Context,
    project: Annotated[
        str | None, _project("Only what this repository uses and what uses it")
    ] = None,
    *,
    json: Json = False,
    **request: Any,
) -> Exit:
    """Show which repositories use which, with calls, imports and versions.

    Each line is `repository -> repository: CALLS, IMPORTS; package version`.
    """
    from aeterna_code_search.cli.output.map import map_lines

    answer = _answer(ctx.obj, "map", {"project": project, **request})
    return _print(ctx.obj, answer, map_lines, rows="links", json=json)


@_map.command(
    "consumers",
    epilog=examples(
        "codesearch map consumers common-utils --lags",
        "codesearch map consumers common-utils --symbol retry_call",
        "codesearch map consumers common-utils --file acme_common/retry.py --json",
        "codesearch map consumers --since v2.0",
    ),
)
@asks(ConsumersRequest)
def consumers(
    ctx: typer.Context,
    project: Annotated[
        str | None, _project("The repository that is used; default: this checkout's")
    ] = None,
    *,
    symbol: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Who uses this definition; repeatable"),
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Who uses what this file defines; repeatable"),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="REVISION",
            help="Who uses what differs between the indexed commit and this one, in this checkout",
        ),
    ] = None,
    json: Json = False,
    **request: Any,
) -> Exit:
    """Show who uses a repository: versions, calls, imports and definitions.

    With --symbol, --file or --since that is whom a change or a removal of these concerns. Each line
    is `repository: CALLS, IMPORTS; package version`, with a line below it for each definition.
    """
    from aeterna_code_search.cli.output.map import consumer_lines
    from aeterna_code_search.client.target.target import open_target
    from indexer.errors import ConfigurationError

    context: CommandContext = ctx.obj
    with open_target(context.environ, context.directory, project=project) as target:
        if not target.project:
            raise ConfigurationError("this directory is not in a repository: name the repository")
        files: list[dict[str, Any]] = [{"path": path} for path in file or ()]
        if since:
            files += _changed_since(context, target, since, request["min_confidence"])
        asked = {"project": target.project, "symbols": symbol, "files": files, **request}
        given = {name: value for name, value in asked.items() if value not in (None, [])}
        answer = target.api(retry_seconds=_RETRY_SECONDS).map("map/consumers", given)
    return _print(context, answer, consumer_lines, rows="consumers", json=json)


@_map.command(
    "most-called",
    epilog=examples("codesearch map most-called", "codesearch map most-called common-utils"),
)
@asks(MostCalledRequest)
def most_called(
    ctx: typer.Context, project: DefiningProject = None, *, json: Json = False, **request: Any
) -> Exit:
    """Show the definitions that most other repositories use.

    Each line is `repository/path:line: name: REPOSITORIES, CALLS; repository CALLS, …`.
    """
    from aeterna_code_search.cli.output.map import most_called_lines

    answer = _answer(ctx.obj, "map/most-called", {"project": project, **request})
    return _print(ctx.obj, answer, most_called_lines, rows="definitions", json=json)


@_map.command(
    "unused",
    epilog=examples(
        "codesearch map unused common-utils",
        "codesearch map unused --doubts published",
        "codesearch map unused --kind class --json | jq '.definitions[].file'",
    ),
)
@asks(UnusedRequest)
def unused(
    ctx: typer.Context,
    project: DefiningProject = None,
    *,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Such definitions only: function, class …; repeatable"),
    ] = None,
    doubts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="Only those without other doubts than these; none: without any"
        ),
    ] = None,
    cursor: Annotated[
        str | None, typer.Option(help="Go on with the page that the answer before named")
    ] = None,
    json: Json = False,
    **request: Any,
) -> Exit:
    """Show public definitions that nothing in a visible repository calls, with doubts.

    Each line is `repository/path:line: KIND NAME (doubts)`. Not seen are calls by frameworks,
    reflection and code elsewhere, so read the doubts before you delete one.
    """
    from aeterna_code_search.cli.output.map import unused_lines

    asked = {"project": project, "kind": kind, "doubts": doubts, "cursor": cursor, **request}
    answer = _answer(ctx.obj, "map/unused", asked)
    return _print(ctx.obj, answer, unused_lines, rows="definitions", json=json)


def _answer(context: CommandContext, what: str, asked: Mapping[str, Any]) -> _Answer:
    given = {name: value for name, value in asked.items() if value not in (None, [])}
    with context.service_api(retry_seconds=_RETRY_SECONDS) as api:
        return api.map(what, given)


def _print(
    context: CommandContext,
    answer: _Answer,
    lines: Callable[[_Answer], Iterator[str]],
    *,
    rows: str,
    json: bool,
) -> Exit:
    from aeterna_code_search.cli.output.answers import exit_code, print_answer
    from aeterna_code_search.client.receipt import receipt_notes

    print_answer(
        context.environ,
        answer,
        lambda *_: "".join(f"{line}\n" for line in lines(answer)),
        json=json,
        notes=receipt_notes(answer),
    )
    return exit_code(answer, count=len(answer[rows]))


def _changed_since(
    context: CommandContext, target: "IndexTarget", revision: str, min_confidence: str
) -> list[dict[str, Any]]:
    """Return the definitions of the indexed commit that differ, as files and first lines."""
    from indexer.config.settings import GitCredential
    from indexer.errors import ConfigurationError
    from indexer.git.repository import Repository
    from indexer.impact.assessment import Range, assess_impact
    from indexer.impact.queries import ImpactQueries

    repository = Repository(context.directory, GitCredential.load(context.environ))
    queries = ImpactQueries(
        target.transport(), organization=target.organization, project=target.project
    )
    indexed = queries.indexed_branch().commit
    if indexed is None:
        raise ConfigurationError(f"{target.project} is not indexed: type `codesearch index` in it")
    assessment = assess_impact(
        repository=repository,
        queries=queries,
        project=target.project,
        compared=Range(repository.commit(indexed), repository.commit(revision)),
        min_confidence=min_confidence,
    )
    lines: dict[str, list[list[int]]] = {}
    for symbol in assessment.answer.symbols:
        lines.setdefault(symbol.definition.file, []).append([symbol.definition.line] * 2)
    if not lines:
        raise ConfigurationError(
            f"no indexed definition differs between {indexed[:10]}, which is indexed, and "
            f"{revision}: name an older revision, or fetch and index the newest commit"
        )
    return [{"path": path, "lines": found} for path, found in lines.items()]
