"""Files with the lines that an exact search found."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from aeterna_code_search.client.console import Console
from aeterna_code_search.client.text import branches_of, location_link, owners_of, path_of
from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

_MARK: Final = "bold underline"

Result = Mapping[str, Any]


def format_name(result: Result) -> str:
    """Format `project/path`."""
    return f"{path_of(result)}\n"


def format_count(result: Result) -> str:
    """Format `project/path:count`."""
    return f"{path_of(result)}:{result['matches']}\n"


def format_plain(result: Result) -> str:
    """Format `project/path:line: text` for each line; `project/path` for a file without lines.

    Lines around them are `project/path-line- text`, as of grep; `--` is between blocks.
    Behind a tab are the branches, if some were asked for.
    """
    path = path_of(result)
    branches = branches_of(result).strip()
    column = f"\t{branches}" if branches else ""
    if not result["lines"]:
        return f"{path}{column}\n"
    formatted = []
    for number, line, is_match, is_new_block in _numbered(result):
        if is_new_block:
            formatted.append("--\n")
        separator = ":" if is_match else "-"
        formatted.append(f"{path}{separator}{number}{separator} {_text(line)}{column}\n")
    return "".join(formatted)


def _numbered(result: Result) -> Iterator[tuple[int, Mapping[str, Any], bool, bool]]:
    """Yield each line's number, the line, whether it matches, and whether a gap is before it."""
    matches = {line["line"]: line for line in result["lines"]}
    around = {line["line"]: line for line in result.get("context") or ()}
    before = 0
    for number in sorted(matches.keys() | around.keys()):
        is_new_block = bool(around and before and number > before + 1)
        line = matches.get(number) or around[number]
        yield number, line, number in matches, is_new_block
        before = number


def _text(line: Mapping[str, Any]) -> str:
    before = "…" if line.get("column", 1) > 1 else ""
    after = "…" if line["truncated"] else ""
    return f"{before}{escape_line(line['text'])}{after}"


def render(console: Console, result: Result) -> str:
    """Render a file: its heading, then its lines with numbers and marked matches."""
    return console.render(*_renderables(result))


def _renderables(result: Result) -> Iterator["RenderableType"]:
    from rich.text import Text

    heading = location_link(result, result["start_line"])
    heading.append(
        f"  {result['matches']} found{branches_of(result)}{owners_of(result)}", style="dim"
    )
    if result.get("generated"):
        heading.append("  generated", style="yellow")
    yield heading
    for number, line, is_match, is_new_block in _numbered(result):
        if is_new_block:
            yield Text("    --", style="dim")
        text = Text(f"{number:>6} ", style="dim", overflow="fold")
        if is_match:
            _append_match(text, line)
        else:
            text.append(_text(line))
        yield text
    yield ""


def _append_match(text: "Text", line: Mapping[str, Any]) -> None:
    end = 0
    text.append("…" if line["column"] > 1 else "", style="dim")
    for start, stop in line["ranges"]:
        text.append(escape_line(line["text"][end:start]), style="not dim")
        text.append(escape_line(line["text"][start:stop]), style=f"not dim {_MARK}")
        end = stop
    text.append(escape_line(line["text"][end:]), style="not dim")
    text.append("…" if line["truncated"] else "", style="dim")
