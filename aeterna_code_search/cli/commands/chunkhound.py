"""`chunkhound`: the tools of OneTool's pack `code`, over ChunkHound databases or this index."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from aeterna_code_search.cli.commands import chunkhound_export
from aeterna_code_search.cli.commands.options import examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.integrations.chunkhound.errors import CodeSearchError
    from aeterna_code_search.integrations.chunkhound.records import (
        SearchAnswer,
        SearchRequest,
        Target,
    )

commands = typer.Typer()
chunkhound = typer.Typer(
    no_args_is_help=True, help="Search a ChunkHound database, or this service's index."
)
commands.add_typer(chunkhound, name="chunkhound")
chunkhound.add_typer(chunkhound_export.commands)

_Answer = TypeVar("_Answer")
_EXIT_CODES: Final = {
    "invalid": Exit.USAGE,
    "missing_api_key": Exit.USAGE,
    "not_installed": Exit.USAGE,
    "database_outside_project": Exit.REFUSED,
}

ProjectPath = Annotated[
    str | None,
    typer.Option(
        "--path", metavar="DIRECTORY", help="Project directory; default: OT_CWD, else this one"
    ),
]
DatabasePath = Annotated[
    str | None,
    typer.Option("--db", metavar="FILE", help="ChunkHound database, relative to the project"),
]
Limit = Annotated[int, typer.Option("--limit", "-k", help="Maximum number of results")]
Language = Annotated[str | None, typer.Option(metavar="NAME", help="Language, such as python")]
Kind = Annotated[
    str | None,
    typer.Option("--chunk-type", metavar="TYPE", help="function, class, method or comment"),
]
Exclude = Annotated[
    str | None,
    typer.Option(metavar="PARTS", help='Skip paths that contain one of these, such as "test|mock"'),
]
Expand = Annotated[int, typer.Option(help="Lines to show before and after a result")]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON")]


@chunkhound.command(
    "search",
    short_help="Search a project's code by meaning.",
    epilog=examples(
        "codesearch chunkhound search authentication logic",
        'codesearch chunkhound search validation --chunk-type function --exclude "test|mock"',
        "codesearch chunkhound search retry --path ~/src/billing --json",
    ),
)
def search(
    ctx: typer.Context,
    query: Annotated[
        list[str], typer.Argument(metavar="QUERY...", help="Query; several words are one query")
    ],
    path: ProjectPath = None,
    db: DatabasePath = None,
    limit: Limit = 10,
    language: Language = None,
    chunk_type: Kind = None,
    exclude: Exclude = None,
    expand: Expand = 0,
    json: Json = False,
) -> Exit:
    """Search a project's code by meaning (the tool `code.search`)."""
    from aeterna_code_search.integrations.chunkhound.requests import one_query
    from aeterna_code_search.integrations.chunkhound.search import search_code
    from aeterna_code_search.integrations.chunkhound.text import search_text

    def answer() -> "SearchAnswer":
        request = _request(
            ctx.obj, path, db, one_query(" ".join(query)), limit=limit, language=language,
            chunk_type=chunk_type, exclude=exclude, expand=expand,
        )  # fmt: skip
        return search_code(ctx.obj.environ, request)

    return _show(ctx.obj, answer, search_text, json=json)


@chunkhound.command(
    "search-batch",
    short_help="Search for several queries at once.",
    epilog=examples('codesearch chunkhound search-batch "auth logic|token validation|sessions"'),
)
def search_batch(
    ctx: typer.Context,
    queries: Annotated[str, typer.Argument(help='Queries, separated by "|"')],
    path: ProjectPath = None,
    db: DatabasePath = None,
    limit: Limit = 10,
    language: Language = None,
    chunk_type: Kind = None,
    exclude: Exclude = None,
    expand: Expand = 0,
    json: Json = False,
) -> Exit:
    """Search for several queries at once (the tool `code.search_batch`)."""
    from aeterna_code_search.integrations.chunkhound import search as searches
    from aeterna_code_search.integrations.chunkhound.requests import split_queries
    from aeterna_code_search.integrations.chunkhound.text import batch_text

    def answer() -> "SearchAnswer":
        request = _request(
            ctx.obj, path, db, split_queries(queries), limit=limit, language=language,
            chunk_type=chunk_type, exclude=exclude, expand=expand,
        )  # fmt: skip
        return searches.search_batch(ctx.obj.environ, request)

    return _show(ctx.obj, answer, batch_text, json=json)


@chunkhound.command(
    "status",
    short_help="Show the size of a project's index.",
    epilog=examples("codesearch chunkhound status --path ~/src/billing"),
)
def status(
    ctx: typer.Context, path: ProjectPath = None, db: DatabasePath = None, json: Json = False
) -> Exit:
    """Show the size of a project's index (the tool `code.status`)."""
    from aeterna_code_search.integrations.chunkhound.search import index_status
    from aeterna_code_search.integrations.chunkhound.text import status_text

    def answer() -> Any:
        return index_status(ctx.obj.environ, _target(ctx.obj, path, db))

    return _show(ctx.obj, answer, status_text, json=json)


def _target(context: CommandContext, path: str | None, db: str | None) -> "Target":
    from aeterna_code_search.integrations.chunkhound.targets import resolve_target

    return resolve_target(context.environ, context.directory, path=path, db=db)


def _request(
    context: CommandContext,
    path: str | None,
    db: str | None,
    queries: tuple[str, ...],
    **parameters: Any,
) -> "SearchRequest":
    from aeterna_code_search.integrations.chunkhound.requests import make_request

    return make_request(_target(context, path, db), queries, **parameters)


def _show(
    context: CommandContext,
    answer: Callable[[], _Answer],
    as_text: Callable[[_Answer], str],
    *,
    json: bool,
) -> Exit:
    from dataclasses import asdict

    from aeterna_code_search.client.console import Console, print_stderr, print_stdout
    from aeterna_code_search.integrations.chunkhound.errors import CodeSearchError
    from indexer.output.terminal import escape_lines

    try:
        result: Any = answer()
    except CodeSearchError as error:
        print_stderr(*escape_lines(error.text))
        return _exit_code(error)
    if json:
        print_stdout(Console.of(context.environ).as_json(asdict(result)))
    else:
        print_stdout(f"{as_text(result)}\n")
    return Exit.NOTHING_FOUND if getattr(result, "count", 1) == 0 else Exit.OK


def _exit_code(error: "CodeSearchError") -> Exit:
    """Return the exit code of the IndexerError that caused `error`, or of its own code."""
    from indexer.errors import IndexerError

    if error.code not in _EXIT_CODES and isinstance(error.__cause__, IndexerError):
        return error.__cause__.exit_code
    return _EXIT_CODES.get(error.code, Exit.NOT_INDEXED)
