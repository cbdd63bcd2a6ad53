"""`map consumers`: who uses a repository, in which version and what of it."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from aeterna_code_search.cli.commands.completion import complete_project
from aeterna_code_search.cli.commands.map.answers import RETRY_SECONDS, print_answer
from aeterna_code_search.cli.commands.options import Json, examples
from aeterna_code_search.cli.commands.requests import asks
from aeterna_code_search.cli.context import CommandContext
from aeterna_code_search.contract.codemap import ConsumersRequest
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.client.target.target import IndexTarget

commands = typer.Typer()


@commands.command(
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
        str | None,
        typer.Argument(
            metavar="[PROJECT]",
            autocompletion=complete_project,
            help="The repository that is used; default: this checkout's",
        ),
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
    from aeterna_code_search.cli.output.consumers import consumer_lines
    from aeterna_code_search.client.target.target import open_target
    from indexer.errors import ConfigurationError

    context: CommandContext = ctx.obj
    with open_target(context.environ, context.directory, project=project) as target:
        if not target.project:
            raise ConfigurationError("this directory is not in a repository: name the repository")
        files: list[dict[str, Any]] = [{"path": path} for path in file or ()]
        if since:
            files += _changed_since(context, target, since, request["min_confidence"])
        asked = {
            "project": target.project,
            "symbols": symbol or None,
            "files": files or None,
            **request,
        }
        given = {name: value for name, value in asked.items() if value is not None}
        answer = target.api(retry_seconds=RETRY_SECONDS).map("map/consumers", given)
    count = len(answer["consumers"])
    return print_answer(context, answer, consumer_lines, count=count, json=json)


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
    indexed = queries.indexed_commit()
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
