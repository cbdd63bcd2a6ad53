"""`grep`: every line that holds a text or a pattern, in every repository."""

import json as json_module
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from aeterna_code_search.cli.commands.options import Json, Projects, examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit
from indexer.limits import QUERY_CHARACTERS

if TYPE_CHECKING:
    from aeterna_code_search.client.console import Console

commands = typer.Typer()
_MAX_CONTEXT: Final = 100
_MAX_CONTENT: Final = 100_000  # characters around the lines of a file
# What the service says of the query language, where the text is not written in it.
_ADVICE: Final = {
    "write it between slashes, /…/, or give the mode regex.": "add -m regex.",
    "Without quotes, words are searched by meaning.": "`codesearch search` searches by meaning.",
    "with case:no there are": "with -i there are",
}


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
        "codesearch grep -i -C 2 todo --limit 20",
        "codesearch grep -c TODO | sort -t: -k2 -rn",
        "codesearch grep TODO --json | jq -r .file",
    ),
)
def grep(
    ctx: typer.Context,
    pattern: Annotated[
        list[str],
        typer.Argument(
            metavar="PATTERN...",
            help="Text, with filters such as lang:go file:src/ case:yes beside it. Begin with "
            "-- if it begins with a minus",
        ),
    ],
    mode: Annotated[
        Mode, typer.Option("--mode", "-m", help="What PATTERN is; regex: RE2, structural: ast-grep")
    ] = Mode.LITERAL,
    project: Projects = None,
    context: Annotated[
        int,
        typer.Option("--context", "-C", min=0, max=_MAX_CONTEXT, help="Lines before and after"),
    ] = 0,
    after: Annotated[
        int, typer.Option("--after-context", "-A", min=0, max=_MAX_CONTEXT, help="Lines after")
    ] = 0,
    before: Annotated[
        int, typer.Option("--before-context", "-B", min=0, max=_MAX_CONTEXT, help="Lines before")
    ] = 0,
    ignore_case: Annotated[
        bool,
        typer.Option(
            "--ignore-case", "-i", help="Also if PATTERN has capitals; else they must match"
        ),
    ] = False,
    count: Annotated[
        bool, typer.Option("--count", "-c", help="Print the number of matches of each file")
    ] = False,
    files: Annotated[
        bool, typer.Option("--files-with-matches", "-l", help="Print the names of files only")
    ] = False,
    extended: Annotated[
        bool, typer.Option("--extended-regexp", "-E", help="The same as -m regex")
    ] = False,
    fixed: Annotated[
        bool, typer.Option("--fixed-strings", "-F", help="The same as -m literal, the default")
    ] = False,
    _numbered: Annotated[
        bool, typer.Option("--line-number", "-n", help="Changes nothing: lines have numbers")
    ] = False,
    limit: Annotated[
        int,
        typer.Option("--limit", "-k", min=0, help="Lines at most, with -c and -l files; 0: all"),
    ] = 0,
    json: Json = False,
) -> Exit:
    """Print every line that matches, in the index of every repository.

    In a pipe each line is `repository/path:line: text`; with -C, lines around it are
    `repository/path-line- text`. Lines with uncommitted changes are those of the index.
    """
    query = " ".join(pattern).strip()
    if not query or len(query) > QUERY_CHARACTERS:
        raise typer.BadParameter(f"give a pattern of at most {QUERY_CHARACTERS:,} characters")
    around = _Around(before or context, after or context)
    if sum((count, files, bool(around.most))) > 1:
        raise typer.BadParameter("choose one of -C (-A, -B), -c and -l")
    mode = _mode(mode, is_regex=extended, is_literal=fixed)
    if ignore_case and mode is Mode.STRUCTURAL:
        raise typer.BadParameter("a structural pattern has no -i", param_hint="--ignore-case")
    body: dict[str, Any] = {"query": f"{query} case:no" if ignore_case else query}
    body["include_projects"] = project or []
    if around.most:
        body |= {"expand": around.most, "max_content": _MAX_CONTENT}
    if mode is not Mode.QUERY:
        body["mode"] = str(mode)
    shape = _Shape(limit, around, is_count=count, is_names=files, is_json=json)
    return _print_matches(ctx.obj, body, shape)


def _mode(mode: Mode, *, is_regex: bool, is_literal: bool) -> Mode:
    """Return the mode that -m, -E and -F mean together. Raises typer.BadParameter."""
    meant = {Mode.REGEX: is_regex, Mode.LITERAL: is_literal}
    named = {result for result, is_named in meant.items() if is_named}
    if mode is not Mode.LITERAL:
        named.add(mode)
    if len(named) > 1:
        raise typer.BadParameter("choose one of -m, -E and -F")
    return named.pop() if named else mode


def _in_grep(hint: str | None) -> str | None:
    for sentence, advice in _ADVICE.items():
        hint = hint and hint.replace(sentence, advice)
    return hint


@dataclass(frozen=True, slots=True)
class _Around:
    """How many lines are printed before and after each that matches."""

    before: int
    after: int

    @property
    def most(self) -> int:
        """The greater number: what the service is asked for on both sides."""
        return max(self.before, self.after)

    def within(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a file without the lines that are too far on one side."""
        if self.before == self.after or not result.get("context"):
            return result
        matches = [line["line"] for line in result["lines"]]
        context = [
            line
            for line in result["context"]
            if any(-self.before <= line["line"] - match <= self.after for match in matches)
        ]
        return {**result, "context": context}


@dataclass(frozen=True, slots=True)
class _Shape:
    """What is printed of each file, and how many lines or files at most; 0: all."""

    limit: int
    around: _Around
    is_count: bool
    is_names: bool
    is_json: bool

    @property
    def counts_files(self) -> bool:
        """Whether the limit is of files."""
        return self.is_count or self.is_names or self.is_json


def _print_matches(context: CommandContext, body: Mapping[str, Any], shape: _Shape) -> Exit:
    from aeterna_code_search.cli.overlay.checkout import CheckoutSearchApi
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import Console, print_stderr

    with context.service_api() as api:
        printer = _Printer(Console.of(context.environ), shape)
        api.matches(body, printer.receive)
        if printer.receipt and api.project:
            api_here = CheckoutSearchApi(api, api.project)
            whole = {"receipt": printer.receipt}
            printer.receipt = api_here.marked(whole, body["include_projects"])["receipt"]
    if printer.lacks_context:
        print_stderr("Lines around some matches are left out: use fewer (-C, -A, -B).")
    if printer.is_full:
        print_stderr(f"Stopped at {shape.limit:,}: there may be more. Raise --limit, or use 0.")
        return Exit.OK
    if printer.receipt is None:
        print_stderr("The service ended the stream too early: lines are missing. Try again.")
        return Exit.UNREACHABLE
    answer = {"receipt": printer.receipt, "hint": _in_grep(printer.hint)}
    print_stderr(*receipt.receipt_notes(answer))
    code, why = receipt.exit_status(answer, count=printer.results)
    print_stderr(why)
    return code


class _Printer:
    """Prints results as they come; after a lost connection, only those that are new."""

    def __init__(self, console: "Console", shape: _Shape) -> None:
        self.results = 0
        self.receipt: dict[str, Any] | None = None
        self.hint: str | None = None  # why nothing was found
        self._console = console
        self._shape = shape
        self._printed = 0  # lines or files
        self._is_cut = False
        self.lacks_context = False

    @property
    def is_full(self) -> bool:
        """Whether the limit is reached, and there is or may be more."""
        return self._is_cut or (self._is_at_limit and self.receipt is None)

    @property
    def _is_at_limit(self) -> bool:
        return bool(self._shape.limit) and self._printed >= self._shape.limit

    def receive(self, parts: Iterator[bytes], _size: int | None) -> None:
        """Read a stream of NDJSON from its beginning, until the limit is reached."""
        for number, document in enumerate(_documents(parts), 1):
            if "receipt" in document:
                self.receipt, self.hint = document["receipt"], document.get("hint")
            elif self._is_at_limit:
                return
            elif number > self.results:
                self.results = number
                self._print(self._shape.around.within(self._within_limit(document)))

    def _within_limit(self, result: dict[str, Any]) -> dict[str, Any]:
        self.lacks_context = self.lacks_context or bool(
            result.get("context") and result["truncated"]
        )
        rest = self._shape.limit - self._printed
        if self._shape.counts_files:
            self._printed += 1
            return result
        self._printed += max(1, len(result["lines"]))
        if self._shape.limit and len(result["lines"]) > rest:
            self._is_cut = True
            lines = sorted(result["lines"], key=lambda line: int(line["line"]))
            return {**result, "lines": lines[:rest]}
        return result

    def _print(self, result: Mapping[str, Any]) -> None:
        from aeterna_code_search.cli.output import matches
        from aeterna_code_search.client.console import print_stdout

        shape = self._shape
        if shape.is_json:
            print_stdout(json_module.dumps(result) + "\n")
        elif shape.is_names:
            print_stdout(matches.format_name(result))
        elif shape.is_count:
            print_stdout(matches.format_count(result))
        elif self._console.is_terminal:
            print_stdout(matches.render(self._console, result))
        else:
            print_stdout(matches.format_plain(result))


def _documents(parts: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        yield from (json_module.loads(line) for line in lines if line)
