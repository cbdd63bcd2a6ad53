"""`chunkhound`: the tools of OneTool's pack `code`, over ChunkHound's databases and our index."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from cli.commands import chunkhound_export
from cli.commands.options import examples
from cli.context import CommandContext
from indexer.exits import Exit

if TYPE_CHECKING:
    from integrations.chunkhound.errors import CodeSearchError
    from integrations.chunkhound.records import SearchAnswer, SearchRequest, Target

commands = typer.Typer()
chunkhound = typer.Typer(
    no_args_is_help=True, help="Search with ChunkHound's database, or our own index."
)
commands.add_typer(chunkhound, name="chunkhound")
chunkhound.add_typer(chunkhound_export.commands)

_Answer = TypeVar("_Answer")
_EXIT_OF: Final = {
    "invalid": Exit.USAGE,
    "missing_api_key": Exit.USAGE,
    "not_installed": Exit.USAGE,
    "database_outside_project": Exit.REFUSED,
}

ProjectPath = Annotated[
    str | None,
    typer.Option("--path", metavar="DIRECTORY", help="The project; default: OT_CWD, or this one."),
]
DatabasePath = Annotated[
    str | None,
    typer.Option("--db", metavar="FILE", help="ChunkHound's database, relative to the project."),
]
Limit = Annotated[int, typer.Option("--limit", help="How many results.")]
Language = Annotated[str | None, typer.Option(metavar="NAME", help="Such as python.")]
Kind = Annotated[
    str | None,
    typer.Option("--chunk-type", metavar="TYPE", help="function, class, method or comment."),
]
Exclude = Annotated[
    str | None,
    typer.Option(metavar="PARTS", help='Parts of paths to leave out, such as "test|mock".'),
]
Expand = Annotated[int, typer.Option(help="Lines of the file before and after a result.")]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]


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
        list[str], typer.Argument(metavar="QUERY...", help="Several words are one query.")
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
    from integrations.chunkhound.requests import one_query
    from integrations.chunkhound.search import search_code
    from integrations.chunkhound.text import search_text

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
    queries: Annotated[str, typer.Argument(help='Queries, separated by "|".')],
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
    from integrations.chunkhound import search as searches
    from integrations.chunkhound.requests import split_queries
    from integrations.chunkhound.text import batch_text

    def answer() -> "SearchAnswer":
        request = _request(
            ctx.obj, path, db, split_queries(queries), limit=limit, language=language,
            chunk_type=chunk_type, exclude=exclude, expand=expand,
        )  # fmt: skip
        return searches.search_batch(ctx.obj.environ, request)

    return _show(ctx.obj, answer, batch_text, json=json)


@chunkhound.command(
    "status",
    short_help="Count what a project's index holds.",
    epilog=examples("codesearch chunkhound status --path ~/src/billing"),
)
def status(
    ctx: typer.Context, path: ProjectPath = None, db: DatabasePath = None, json: Json = False
) -> Exit:
    """Count what a project's index holds (the tool `code.status`)."""
    from integrations.chunkhound.search import index_status
    from integrations.chunkhound.text import status_text

    def answer() -> Any:
        return index_status(ctx.obj.environ, _target(ctx.obj, path, db))

    return _show(ctx.obj, answer, status_text, json=json)


def _target(invocation: CommandContext, path: str | None, db: str | None) -> "Target":
    from integrations.chunkhound.targets import resolve_target

    return resolve_target(invocation.environ, invocation.directory, path=path, db=db)


def _request(
    invocation: CommandContext,
    path: str | None,
    db: str | None,
    queries: tuple[str, ...],
    **parameters: Any,
) -> "SearchRequest":
    from integrations.chunkhound.requests import make_request

    return make_request(_target(invocation, path, db), queries, **parameters)


def _show(
    invocation: CommandContext,
    answer: Callable[[], _Answer],
    as_text: Callable[[_Answer], str],
    *,
    json: bool,
) -> Exit:
    from dataclasses import asdict

    from cli.output.console import Console, print_stderr, print_stdout
    from indexer.output.terminal import escape_lines
    from integrations.chunkhound.errors import CodeSearchError

    try:
        found: Any = answer()
    except CodeSearchError as error:
        print_stderr(*escape_lines(error.text))
        return _exit_of(error)
    if json:
        print_stdout(Console.of(invocation.environ).as_json(asdict(found)))
    else:
        print_stdout(f"{as_text(found)}\n")
    return Exit.NOTHING_FOUND if getattr(found, "count", 1) == 0 else Exit.OK


def _exit_of(error: "CodeSearchError") -> Exit:
    """That of the error behind it, which is the indexer's, or of its own."""
    from indexer.errors import IndexerError

    if error.code not in _EXIT_OF and isinstance(error.__cause__, IndexerError):
        return error.__cause__.exit_code
    return _EXIT_OF.get(error.code, Exit.NOT_INDEXED)
