"""`codequery`: questions that OpenAI answers from a vector store of this directory's files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.commands.options import examples
from indexer.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Mapping

commands = typer.Typer()


@commands.command(
    "codequery",
    epilog=examples(
        "codesearch codequery --dry-run",
        "codesearch codequery how are tokens verified",
        "codesearch codequery how are tokens verified --include-results | jq .results",
        """echo '{"query": "how are tokens verified"}' | codesearch codequery""",
    ),
)
def codequery(
    ctx: typer.Context,
    query: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUERY...]",
            help="The question; without one, the request is JSON on standard input",
        ),
    ] = None,
    vector_store_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Use this vector store")
    ] = None,
    vector_store_name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Use the one of this name; made if there is none"),
    ] = None,
    file: Annotated[
        list[Path] | None, typer.Option(metavar="PATH", help="Only this file; repeatable")
    ] = None,
    concurrent_limit: Annotated[
        int | None, typer.Option(metavar="N", help="Uploads at once (1-20; default 5)")
    ] = None,
    timeout_ms: Annotated[
        int | None, typer.Option(metavar="N", help="Time of the whole call (default 60000)")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Starts with gpt-5 (default gpt-5-mini)")
    ] = None,
    max_num_results: Annotated[
        int | None, typer.Option(metavar="N", help="Matches at most (1-50)")
    ] = None,
    include_results: Annotated[
        bool, typer.Option("--include-results", help="Answer the matches too")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Say what would be uploaded, deleted and moved; change nothing"
        ),
    ] = False,
) -> Exit:
    """Ask OpenAI about this directory's code; its changed files are uploaded first.

    Only where [codequery] of your own settings says `enabled = true`. Prints the response as
    JSON, an error too.
    """
    from cli.output.console import Console, print_stdout

    options = {
        "vector_store_id": vector_store_id,
        "vector_store_name": vector_store_name,
        "file_paths": [str(path) for path in file] if file else None,
        "concurrent_limit": concurrent_limit,
        "timeout_ms": timeout_ms,
        "model": model,
        "max_num_results": max_num_results,
        "include_results": include_results or None,
    }
    given = {name: value for name, value in options.items() if value is not None}
    if query:
        given["query"] = " ".join(query)
    answer = _answer(ctx, given, reads_input=not query, dry_run=dry_run)
    print_stdout(Console.of(ctx.obj.environ).as_json(answer))
    return _exit_of(answer)


def _answer(
    ctx: typer.Context, given: "Mapping[str, Any]", *, reads_input: bool, dry_run: bool
) -> dict[str, Any]:
    from integrations.codequery import codequery as ask
    from integrations.codequery.errors import CodeQueryError
    from integrations.codequery.records import Response

    try:
        request = {**_request_on_input(is_optional=dry_run), **given} if reads_input else given
    except CodeQueryError as error:
        return Response("").document(error)
    if dry_run:
        request = {"query": "(dry run)", **request}
    return ask(request, environ=ctx.obj.environ, directory=ctx.obj.directory, dry_run=dry_run)


def _exit_of(answer: "Mapping[str, Any]") -> Exit:
    from integrations.codequery.errors import EXIT_OF, Code

    return EXIT_OF[Code(answer["error"]["code"])] if answer["status"] == "error" else Exit.OK


def _request_on_input(*, is_optional: bool) -> dict[str, Any]:
    """The JSON object on standard input. Raises CodeQueryError."""
    import json
    import sys

    from indexer.http_bodies import has_more_values
    from indexer.limits import JSON_VALUES, REQUEST_BYTES
    from integrations.codequery.errors import Code, CodeQueryError

    content = b"" if sys.stdin.isatty() else sys.stdin.buffer.read(REQUEST_BYTES + 1)
    if is_optional and not content.strip():
        return {}
    problem = "" if content.strip() else "is empty: type a question, or give a request as JSON"
    if len(content) > REQUEST_BYTES or has_more_values(content, JSON_VALUES):
        problem = f"is too long: a request has at most {REQUEST_BYTES:,} bytes"
    if not problem:
        try:
            request = json.loads(content)
        except (ValueError, RecursionError):
            request = None
        if isinstance(request, dict):
            return request
        problem = 'is no JSON object; write such as {"query": "how are tokens verified"}'
    raise CodeQueryError(Code.INVALID_REQUEST, f"standard input {problem}")
