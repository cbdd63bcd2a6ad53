"""`search`: find code by words, names or meaning, in every repository."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from aeterna_code_search.cli.commands.options import Json, asks, examples
from aeterna_code_search.cli.context import CommandContext
from aeterna_code_search.contract.search import GroupBy, SearchRequest
from indexer.exits import Exit
from indexer.limits import PASTED_CHARACTERS, QUERIES, QUERY_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aeterna_code_search.cli.output.search_results import Before, FileKey
    from aeterna_code_search.client.api import SearchApi
    from aeterna_code_search.client.console import Console

commands = typer.Typer()
_MAX_CONTENT = 20_000  # characters of a hit in which its line for a pipe is looked for
_FIRST = {"content_start_line": 1}


def _query(words: list[str]) -> list[str]:
    """Return the query; `-` alone is what standard input has, such as a stack trace."""
    query = (_standard_input() if words == ["-"] else " ".join(words)).strip()
    if not query:
        raise typer.BadParameter("the query is empty: type what to search for")
    if len(query) > PASTED_CHARACTERS:
        raise typer.BadParameter(
            f"the query is too long: at most {QUERY_CHARACTERS:,} characters, "
            f"{PASTED_CHARACTERS:,} of a stack trace"
        )
    return [query]


def _standard_input() -> str:
    import sys

    most = PASTED_CHARACTERS + 1
    return sys.stdin.buffer.read(4 * most).decode("utf-8", "replace")[:most]


def _queries(query: str, also: list[str]) -> dict[str, str | list[str]]:
    if len(also) >= QUERIES:
        raise typer.BadParameter(f"too many queries: at most {QUERIES}", param_hint="--also")
    return (
        {"queries": [query, *(_query([further])[0] for further in also)]}
        if also
        else {"query": query}
    )


@commands.command(
    "search",
    epilog=examples(
        "codesearch search where are passwords hashed",
        "codesearch search verify_token --mode symbol --project auth-service",
        """codesearch search 'lang:go "context.WithTimeout" retry'""",
        'codesearch search "retry with backoff" --language go --exclude "test|mock" --expand 5',
        "codesearch search verify_token --explain",
        "codesearch search src/auth/tokens.py:70",
        """codesearch search 'type:diff "MAX_RETRIES" after:2w'""",
        "python app.py 2>&1 | codesearch search -",
        "codesearch search login --json | jq -r '.results[].file'",
    ),
)
@asks(SearchRequest)
def search(
    ctx: typer.Context,
    query: Annotated[
        list[str],
        typer.Argument(
            metavar="QUERY...",
            callback=_query,
            help="Words, a name, a sentence, an error message or path:line; several words are one "
            "query. - reads it from standard input, such as a stack trace. Begin with -- if the "
            "first begins with a minus",
        ),
    ],
    *,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="QUERY", help="Another wording of the query; repeatable, at most 9"),
    ] = None,
    group_by: Annotated[
        GroupBy | None,
        typer.Option(
            help="file: one result for each file, with further hits in it; none: each hit. "
            "Unless given: file on a terminal",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    **request: Any,
) -> Exit:
    """Search the code of every repository by words, names and meaning.

    In a pipe each hit is one line, `repository/path:line: text`, as from `grep -n`.
    """
    body = {
        **_queries(query[0], also or []),
        **request,
        **({"group_by": str(group_by)} if group_by else {}),
    }
    return _show(ctx, {name: value for name, value in body.items() if value}, json=json)


def _show(ctx: typer.Context, body: "Mapping[str, Any]", *, json: bool) -> Exit:
    from aeterna_code_search.cli.output import search_results
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import Console, print_stderr, print_stdout

    context: CommandContext = ctx.obj
    console = Console.of(context.environ)
    if console.is_terminal and not json:
        body = {"group_by": str(GroupBy.FILE), **body}
    elif not json:
        body = {"max_content": _MAX_CONTENT, **body}
    with context.search_api() as search_api:
        answer = search_api.search(body)
        if console.is_terminal and not json and _indexes_first(ctx, answer):
            answer = search_api.search(body)
        results = answer["results"]
        before = lines_before(search_api, results) if console.is_terminal and not json else {}
    if json:
        print_stdout(console.as_json(answer))
    else:
        if reading := answer.get("reading"):
            print_stderr(receipt.in_options(reading["text"]))
        if results and answer.get("hint"):
            print_stderr(receipt.in_options(answer["hint"]), receipt.match_note(answer))
        print_stdout(
            search_results.render(console, results, before)
            if console.is_terminal
            else search_results.format_plain(results, explained=bool(body.get("explain")))
        )
        _show_instead(console, answer.get("instead"))
        print_stderr(*receipt.receipt_notes(answer))
    if body.get("exclude_projects") and not answer["receipt"]["projects"]:
        print_stderr("--exclude-project excludes every repository: remove one.")
        return Exit.NOTHING_FOUND
    code, why = receipt.exit_status(answer, count=len(results))
    print_stderr(why)
    return code


def _show_instead(console: "Console", instead: "Mapping[str, Any] | None") -> None:
    """Print the answer by words to a quoted text that is nowhere; a pipe stays empty."""
    from aeterna_code_search.cli.output import search_results
    from aeterna_code_search.client.console import print_stderr, print_stdout

    if not instead:
        return
    print_stderr("No line has this text. By its words:")
    if console.is_terminal:
        print_stdout(search_results.render(console, instead["results"]))
    else:
        print_stderr(search_results.format_plain(instead["results"]).rstrip())


def _indexes_first(ctx: typer.Context, answer: "Mapping[str, Any]") -> bool:
    """Ask whether to index a checkout that is not indexed, and do it."""
    import sys

    from aeterna_code_search.cli.overlay.checkout import NOT_INDEXED
    from aeterna_code_search.client.console import confirm
    from aeterna_code_search.client.receipt import CHECKOUT_NOT_INDEXED

    reasons = {project["reason"] for project in answer["receipt"]["missing"]}
    if NOT_INDEXED not in reasons or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    if not confirm(f"{CHECKOUT_NOT_INDEXED} Index it now?"):
        return False
    from aeterna_code_search.cli.commands.index import init

    init(ctx)
    return True


def lines_before(
    search_api: "SearchApi", results: "Iterable[Mapping[str, Any]]"
) -> "dict[FileKey, Before]":
    """Read what stands before the results in their files, or say why it cannot be read."""
    from aeterna_code_search.cli.output.search_results import Before, file_key

    before: dict[FileKey, Before] = {}
    last: dict[FileKey, Mapping[str, Any]] = {}
    for result in results:
        key = file_key(result)
        if result.get("change"):
            continue
        if result.get("local"):
            before[key] = Before(incomplete_reason="they may not be committed")
        elif result["content_start_line"] > last.get(key, _FIRST)["content_start_line"]:
            last[key] = result
    return {key: _beginning(search_api, result) for key, result in last.items()} | before


def _beginning(search_api: "SearchApi", result: "Mapping[str, Any]") -> "Before":
    from aeterna_code_search.cli.output.search_results import Before
    from indexer.errors import IndexerError

    end = result["content_start_line"] - 1
    parameters = {"project": result["project"], "path": result["file"], "end_line": end}
    if branches := result.get("branches"):
        parameters["ref"] = branches[0]
    try:
        answer = search_api.read_file(parameters)
    except IndexerError:
        return Before(incomplete_reason="the service did not answer")
    if answer["commit"] != result["commit"]:
        return Before(incomplete_reason="the repository was indexed again")
    if answer["truncated"] or answer["content"] is None:
        return Before(incomplete_reason="they are too long")
    return Before(answer["content"], end)
