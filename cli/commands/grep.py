"""`grep`: every line that holds a text or a pattern, in every repository."""

import json as json_module
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.commands.options import Json, Projects, examples
from cli.context import CommandContext
from indexer.exits import Exit

if TYPE_CHECKING:
    from cli.output.console import Console

commands = typer.Typer()
_MAX_QUERY = 4_000


class Mode(StrEnum):
    """What the text is, beside its filters; `query`: the query language, with quotes."""

    LITERAL = "literal"
    REGEX = "regex"
    STRUCTURAL = "structural"
    QUERY = "query"


@commands.command(
    "grep",
    epilog=examples(
        "codesearch grep connection timed out",
        r"codesearch grep -m regex 'class \w+Error' --project auth-service",
        "codesearch grep -m structural 'raise $E($$$) lang:python'",
        """codesearch grep -m query '"retry" -file:test lang:go'""",
        "codesearch grep TODO --json | jq -r .file",
    ),
)
def grep(
    ctx: typer.Context,
    pattern: Annotated[
        list[str],
        typer.Argument(
            metavar="PATTERN...",
            help="Text, with filters such as lang:go file:src/ case:yes beside it",
        ),
    ],
    mode: Annotated[
        Mode, typer.Option("--mode", "-m", help="What PATTERN is; regex: RE2, structural: ast-grep")
    ] = Mode.LITERAL,
    project: Projects = None,
    json: Json = False,
) -> Exit:
    """Print every line that matches, in the index of every repository.

    In a pipe each line is `repository/path:line: text`. Lines with uncommitted changes are those
    of the index.
    """
    query = " ".join(pattern).strip()
    if not query or len(query) > _MAX_QUERY:
        raise typer.BadParameter(f"give a pattern of at most {_MAX_QUERY:,} characters")
    body: dict[str, Any] = {"query": query, "include_projects": project or []}
    if mode is not Mode.QUERY:
        body["mode"] = str(mode)
    return _print_matches(ctx.obj, body, is_json=json)


def _print_matches(context: CommandContext, body: Mapping[str, Any], *, is_json: bool) -> Exit:
    from cli.output import receipt
    from cli.output.console import Console, print_stderr

    printer = _Printer(Console.of(context.environ), is_json=is_json)
    with context.service_api() as stream:
        stream.matches(body, printer.receive)
    if printer.receipt is None:
        print_stderr("The service ended the stream too early: lines are missing. Try again.")
        return Exit.UNREACHABLE
    answer = {"receipt": printer.receipt}
    print_stderr(*receipt.receipt_notes(answer))
    code, why = receipt.exit_status(answer, count=printer.results)
    print_stderr(why)
    return code


class _Printer:
    """Prints results as they come; after a lost connection, only those that are new."""

    def __init__(self, console: "Console", *, is_json: bool) -> None:
        self.results = 0
        self.receipt: dict[str, Any] | None = None
        self._console = console
        self._is_json = is_json

    def receive(self, parts: Iterator[bytes], _size: int | None) -> None:
        """Read a stream of NDJSON from its beginning."""
        for number, one in enumerate(_documents(parts), 1):
            if "receipt" in one:
                self.receipt = one["receipt"]
            elif number > self.results:
                self.results = number
                self._print(one)

    def _print(self, one: Mapping[str, Any]) -> None:
        from cli.output import matches
        from cli.output.console import print_stdout

        if self._is_json:
            print_stdout(json_module.dumps(one) + "\n")
        elif self._console.is_terminal:
            print_stdout(matches.render(self._console, one))
        else:
            print_stdout(matches.format_plain(one))


def _documents(parts: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        yield from (json_module.loads(line) for line in lines if line)
