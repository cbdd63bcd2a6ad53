"""`chunkhound`: the tools of OneTool's pack `code`, over ChunkHound databases or this index."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from aeterna_code_search.cli.commands.options import Project, examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit
from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from aeterna_code_search.integrations.chunkhound.errors import CodeSearchError
    from aeterna_code_search.integrations.chunkhound.export import Exported, Progress
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


@chunkhound.command(
    "export",
    short_help="Write the index to a file that ChunkHound reads.",
    epilog=examples(
        "mkdir -p .chunkhound/db && codesearch chunkhound export .chunkhound/db/chunks.db",
        "codesearch chunkhound export index.db --no-embeddings",
        "chunkhound search 'where are passwords hashed' --db index.db",
    ),
)
def export(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write")],
    project: Project = None,
    embeddings: Annotated[
        bool,
        typer.Option(
            "--embeddings/--no-embeddings",
            help="With vectors; sends every chunk to OpenAI, or to OPENAI_BASE_URL",
        ),
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file")] = False,
) -> Exit:
    """Write the index of this checkout's project to a DuckDB file that ChunkHound reads.

    The chunks are those of the indexed commit. Their vectors come from text-embedding-3-small,
    ChunkHound's model; without vectors ChunkHound searches by regular expression only. After an
    interruption, run the command again: it resumes FILE.part.
    """
    from aeterna_code_search.client.console import print_stderr
    from aeterna_code_search.client.target.target import open_target
    from aeterna_code_search.integrations.chunkhound.export import export_index, open_chunk_embedder
    from indexer.config.settings import GitCredential

    context: CommandContext = ctx.obj
    embedder = open_chunk_embedder(context.environ) if embeddings else None
    with (
        open_target(context.environ, context.directory) as target,
        _progress() as progress,
    ):
        exported = export_index(
            target,
            context.directory / file,
            project=project,
            embedder=embedder,
            credential=GitCredential.load(context.environ),
            may_overwrite=force,
            progress=progress,
        )
    print_stderr(
        f"{escape_line(str(file))}: {_content(exported)}.", _spent(exported), exported.differs
    )
    return Exit.OK


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

    from aeterna_code_search.cli.output.answers import print_answer
    from aeterna_code_search.client.console import print_stderr
    from aeterna_code_search.integrations.chunkhound.errors import CodeSearchError
    from indexer.output.terminal import escape_lines

    try:
        result: Any = answer()
    except CodeSearchError as error:
        print_stderr(*escape_lines(error.text))
        return _exit_code(error)
    print_answer(context.environ, asdict(result), lambda *_: f"{as_text(result)}\n", json=json)
    return Exit.NOTHING_FOUND if getattr(result, "count", 1) == 0 else Exit.OK


def _exit_code(error: "CodeSearchError") -> Exit:
    """Return the exit code of the IndexerError that caused `error`, or of its own code."""
    from indexer.errors import IndexerError

    if error.code not in _EXIT_CODES and isinstance(error.__cause__, IndexerError):
        return error.__cause__.exit_code
    return _EXIT_CODES.get(error.code, Exit.NOT_INDEXED)


def _content(exported: "Exported") -> str:
    from indexer.output.terminal import pluralize

    parts = [
        pluralize(exported.files, "file"),
        pluralize(exported.chunks, "chunk"),
        pluralize(exported.embeddings, "embedding"),
    ]
    named = f"{escape_line(exported.project)} at commit {exported.commit[:12]}"
    return f"{', '.join(parts)} of {named}"


def _spent(exported: "Exported") -> str:
    from indexer.output.terminal import pluralize

    usage = exported.usage
    if not usage.requests:
        return ""
    cost = "" if usage.cost_usd is None else f", ${usage.cost_usd:,.4f}"
    return f"Embedded by {pluralize(usage.requests, 'request')}, {usage.tokens:,} tokens{cost}."


@contextmanager
def _progress() -> "Iterator[Progress]":
    """Show a progress bar on a terminal; elsewhere print notes only."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

    from aeterna_code_search.cli.output.answers import shown_progress
    from aeterna_code_search.integrations.chunkhound.export import Progress

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with shown_progress("Files", *columns) as (bars, task, note):

        def read(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

        def embedded(done: int, total: int) -> None:
            bars.update(task, description="Embeddings", completed=done, total=total)

        yield Progress(read, embedded, note)
