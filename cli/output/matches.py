"""Files with the lines that an exact search found."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from cli.output.console import Console
from cli.output.text import location_link, path_of
from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

_MARK: Final = "bold underline"

Result = Mapping[str, Any]
Lines: TypeAlias = Mapping[int, str]  # of a file, by number: the matching ones and their context


def format_name(one: Result) -> str:
    """Format `project/path`."""
    return f"{path_of(one)}\n"


def format_count(one: Result) -> str:
    """Format `project/path:count`."""
    return f"{path_of(one)}:{one['matches']}\n"


def format_plain(one: Result, around: Lines | None = None) -> str:
    """Format `project/path:line: text` for each line; `project/path` for a file without lines.

    Lines of `around` that do not match are `project/path-line- text`, as of grep; `--` is between
    blocks of lines.
    """
    path = path_of(one)
    if not one["lines"]:
        return f"{path}\n"
    formatted = []
    for number, match, is_new_block in _numbered(one, around or {}):
        if is_new_block:
            formatted.append("--\n")
        if match:
            formatted.append(f"{path}:{number}: {_text(match)}\n")
        else:
            formatted.append(f"{path}-{number}- {escape_line((around or {})[number])}\n")
    return "".join(formatted)


def _numbered(one: Result, around: Lines) -> Iterator[tuple[int, Mapping[str, Any] | None, bool]]:
    """Yield each line's number, its match, and whether a gap is before it."""
    matches = {line["line"]: line for line in one["lines"]}
    before = 0
    for number in sorted(matches.keys() | around.keys()):
        yield number, matches.get(number), bool(around and before and number > before + 1)
        before = number


def _text(line: Mapping[str, Any]) -> str:
    before, after = "…" if line["column"] > 1 else "", "…" if line["truncated"] else ""
    return f"{before}{escape_line(line['text'])}{after}"


def render(console: Console, one: Result, around: Lines | None = None) -> str:
    """Render a file: its heading, then its lines with numbers and marked matches."""
    return console.render(*_renderables(one, around or {}))


def _renderables(one: Result, around: Lines) -> Iterator["RenderableType"]:
    from rich.text import Text

    heading = location_link(one, one["start_line"])
    heading.append(f"  {one['matches']} found", style="dim")
    yield heading
    for number, match, is_new_block in _numbered(one, around):
        if is_new_block:
            yield Text("    --", style="dim")
        text = Text(f"{number:>6} ", style="dim", overflow="fold")
        if match:
            _append_match(text, match)
        else:
            text.append(escape_line(around[number]), style="not dim")
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
