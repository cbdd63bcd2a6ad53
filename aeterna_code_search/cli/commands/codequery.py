"""`codequery`: ask OpenAI about the files of this directory, through a vector store."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aeterna_code_search.cli.commands.options import examples
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
            help="Question; without one, the request is read as JSON from standard input",
        ),
    ] = None,
    vector_store_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Use this vector store")
    ] = None,
    vector_store_name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Use the vector store of this name; created if missing"),
    ] = None,
    file: Annotated[
        list[Path] | None, typer.Option(metavar="PATH", help="Only this file; repeatable")
    ] = None,
    concurrent_limit: Annotated[
        int | None, typer.Option(metavar="N", help="Concurrent uploads (1-20; default 5)")
    ] = None,
    timeout_ms: Annotated[
        int | None, typer.Option(metavar="N", help="Time limit of the whole call (default 60000)")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Starts with gpt-5 (default gpt-5-mini)")
    ] = None,
    max_num_results: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum number of matches (1-50)")
    ] = None,
    include_results: Annotated[
        bool, typer.Option("--include-results", help="Include the matches in the answer")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="List what would be uploaded, deleted and moved; change nothing"
        ),
    ] = False,
) -> Exit:
    """Ask OpenAI about this directory's code, after uploading its changed files.

    Requires `enabled = true` under [codequery] in your own settings. Prints the response, or the
    error, as JSON.
    """
    from aeterna_code_search.client.console import Console, print_stdout

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
    arguments = {name: value for name, value in options.items() if value is not None}
    if query:
        arguments["query"] = " ".join(query)
    answer = _answer(ctx, arguments, reads_input=not query, dry_run=dry_run)
    print_stdout(Console.of(ctx.obj.environ).as_json(answer))
    return _exit_code(answer)


def _answer(
    ctx: typer.Context, arguments: "Mapping[str, Any]", *, reads_input: bool, dry_run: bool
) -> dict[str, Any]:
    from aeterna_code_search.integrations.codequery import codequery as ask
    from aeterna_code_search.integrations.codequery.errors import CodeQueryError
    from aeterna_code_search.integrations.codequery.records import Response

    try:
        request = (
            {**_request_on_input(is_optional=dry_run), **arguments} if reads_input else arguments
        )
    except CodeQueryError as error:
        return Response("").document(error)
    if dry_run:
        request = {"query": "(dry run)", **request}
    return ask(request, environ=ctx.obj.environ, directory=ctx.obj.directory, dry_run=dry_run)


def _exit_code(answer: "Mapping[str, Any]") -> Exit:
    from aeterna_code_search.integrations.codequery.errors import EXIT_CODES, Code

    return EXIT_CODES[Code(answer["error"]["code"])] if answer["status"] == "error" else Exit.OK


def _request_on_input(*, is_optional: bool) -> dict[str, Any]:
    """Read the JSON object on standard input. Raises CodeQueryError."""
    import json
    import sys

    from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError
    from indexer.json_values import has_more_values
    from indexer.limits import JSON_VALUES, REQUEST_BYTES

    content = b"" if sys.stdin.isatty() else sys.stdin.buffer.read(REQUEST_BYTES + 1)
    if is_optional and not content.strip():
        return {}
    problem = "" if content.strip() else "is empty: type a question, or pass a request as JSON"
    if len(content) > REQUEST_BYTES or has_more_values(content, JSON_VALUES):
        problem = f"is too long: the limit is {REQUEST_BYTES:,} bytes"
    if not problem:
        try:
            request = json.loads(content)
        except (ValueError, RecursionError):
            request = None
        if isinstance(request, dict):
            return request
        problem = 'is not a JSON object; example: {"query": "how are tokens verified"}'
    raise CodeQueryError(Code.INVALID_REQUEST, f"standard input {problem}")
