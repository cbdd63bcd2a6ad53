"""Search results: highlighted snippets on a terminal, a line for each in a pipe."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from aeterna_code_search.cli.output import changes
from aeterna_code_search.cli.output.highlighting import Snippet, render_snippet
from aeterna_code_search.client.console import Console
from aeterna_code_search.client.text import branches_of, location_link, owners_of, path_of
from indexer.output.terminal import escape_line, escape_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

Result = Mapping[str, Any]
_WORD: Final = re.compile(r"\w+")
FileKey: TypeAlias = tuple[str, str]  # project and path


@dataclass(frozen=True, slots=True)
class Before:
    """The beginning of a file up to the line `last`, or why there is none of it."""

    text: str = ""
    last: int = 0
    incomplete_reason: str = ""


def file_key(result: Result) -> FileKey:
    """Return the project and the file of a result."""
    return result["project"], result["file"]


def format_plain(results: Sequence[Result], *, explained: bool = False) -> str:
    """Format a line `project/path:line: text` for each result: the one that says the most.

    Behind tabs its branches, if some were asked for, and, `explained`, why it has its place.
    """
    return "".join(
        changes.format_plain(result)
        if result.get("change")
        else f"{path_of(result)}:{_best_line(result)}{_columns(result, explained)}\n"
        for result in results
    )


def _columns(result: Result, explained: bool) -> str:
    branches = branches_of(result).strip()
    shown = [branches] if branches else []
    return "".join(f"\t{text}" for text in [*shown, *([explanation(result)] if explained else [])])


def _best_line(result: Result) -> str:
    """Return `line: text` of the line with the most of the words that were found.

    Among such lines, one with the definition's name comes first, then one with whole words.
    Without such a line it is the first with a letter or digit, then the first that is not blank.
    Lines that `expand` shows around the hit are passed over.
    """
    words = [word.lower() for word in result["matched"]]
    numbered = enumerate(escape_lines(result["content"]), result["content_start_line"])
    lines = [
        (number, text)
        for number, text in numbered
        if text.strip() and result["start_line"] <= number <= result["end_line"]
    ]
    if not lines:
        return f"{result['start_line']}:"
    names = [name for name in result["name"].lower().split(", ") if _count(words, name)]
    number, text = max(lines, key=lambda line: _weight(line[1].lower(), words, names))
    return f"{number}: {text}"


def _weight(line: str, words: Sequence[str], names: Sequence[str]) -> tuple[int, int, int, bool]:
    tokens = set(_WORD.findall(line))
    return (
        _count(words, line),
        len(tokens.intersection(names)),
        len(tokens.intersection(words)),
        any(map(str.isalnum, line)),
    )


def _count(words: Sequence[str], text: str) -> int:
    return sum(word in text for word in words)


def render(
    console: Console, results: Sequence[Result], before: Mapping[FileKey, Before] | None = None
) -> str:
    """Render each result with a heading, line numbers and marked matches.

    `before` has the lines of files before the results, which colours depend on.
    """
    return "".join(_render(console, result, before or {}) for result in results)


def _render(console: Console, result: Result, before: Mapping[FileKey, Before]) -> str:
    if result.get("change"):
        return changes.render(console, result)
    snippet = render_snippet(console, _snippet(result, before))
    return console.render(*_heading(result)) + snippet + console.render(*_rest(result))


def _snippet(result: Result, before: Mapping[FileKey, Before]) -> Snippet:
    lines = before.get(file_key(result), Before())
    first = result["content_start_line"]
    text = lines.text if lines.last == first - 1 else _first_lines(lines.text, first - 1)
    return Snippet(
        content=result["content"],
        start_line=first,
        language=result["language"],
        matched=result["matched"],
        before=text,
        note=f"    coloured without the lines before it: {lines.incomplete_reason}"
        if lines.incomplete_reason
        else "",
    )


def _first_lines(text: str, count: int) -> str:
    return "".join(text.splitlines(keepends=True)[:count])


def _heading(result: Result) -> Iterator["RenderableType"]:
    from rich.text import Text

    heading = location_link(result, result["start_line"])
    if kind_and_name := _kind_and_name(result):  # an exact search has neither, and no score
        heading.append(f"  {kind_and_name}", style="bold")
        heading.append(f"  {result['score']:.2f}", style="dim")
    heading.append(f"{branches_of(result)}{owners_of(result)}", style="dim")
    if result.get("local"):
        heading.append("  not committed", style="yellow")
    yield heading
    if result.get("note"):
        yield Text(f"    {escape_line(result['note'])}", style="yellow", overflow="fold")
    if result.get("why"):
        yield Text(f"    {explanation(result)}", style="dim")


def _kind_and_name(result: Result) -> str:
    name = ".".join(filter(None, (result["container"], result["name"])))
    return escape_line(f"{result['chunk_type']} {name}").strip()


def _rest(result: Result) -> Iterator["RenderableType"]:
    from rich.text import Text

    last = result["content_start_line"] + len(result["content"].splitlines()) - 1
    if result["truncated"] and last < result["end_line"]:
        yield Text(f"    … to line {result['end_line']}", style="dim")
    if spans := result.get("spans"):
        also = ", ".join(f"{span['start_line']} {_kind_and_name(span)}" for span in spans)
        yield Text(f"    also at line {also}", style="dim", overflow="fold")
    yield Text()


def explanation(result: Result) -> str:
    """Say why a result has its place: its ranks, and what each rule did to its score."""
    if not result.get("why"):
        return "exact search: definitions first, then by path"
    why = result["why"]
    ranks = [
        f"place {why[rank]} by {what}"
        for rank, what in (("semantic_rank", "meaning"), ("lexical_rank", "words"))
        if why[rank] is not None
    ]
    return escape_line("; ".join([", ".join(ranks) or "by name", *map(_effect, why["rules"])]))


def _effect(rule: Mapping[str, Any]) -> str:
    adds = f" {rule['adds']:+.2f}" if rule["adds"] else ""
    times = f" times {rule['times']:.2f}" if rule["times"] != 1 else ""
    return f"{str(rule['rule']).replace('_', ' ')}{adds}{times}"
