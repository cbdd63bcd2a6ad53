"""Files with the lines that an exact search found."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from cli.output.console import Console
from cli.output.text import location_link, path_of
from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from rich.console import RenderableType

_MARK: Final = "bold underline"


def format_plain(one: Mapping[str, Any]) -> str:
    """Format `project/path:line: text` for each line; `project/path` for a file without lines."""
    path = path_of(one)
    lines = sorted(one["lines"], key=lambda line: line["line"])
    if not lines:
        return f"{path}\n"
    return "".join(f"{path}:{line['line']}: {_text(line)}\n" for line in lines)


def _text(line: Mapping[str, Any]) -> str:
    before, after = "…" if line["column"] > 1 else "", "…" if line["truncated"] else ""
    return f"{before}{escape_line(line['text'])}{after}"


def render(console: Console, one: Mapping[str, Any]) -> str:
    """Render a file: its heading, then its lines with numbers and marked matches."""
    return console.render(*_renderables(one))


def _renderables(one: Mapping[str, Any]) -> Iterator["RenderableType"]:
    from rich.text import Text

    heading = location_link(one, one["start_line"])
    heading.append(f"  {one['matches']} found", style="dim")
    yield heading
    for line in sorted(one["lines"], key=lambda line: line["line"]):
        text = Text(f"{line['line']:>6} ", style="dim", overflow="fold")
        end = 0
        text.append("…" if line["column"] > 1 else "", style="dim")
        for start, stop in line["ranges"]:
            text.append(escape_line(line["text"][end:start]), style="not dim")
            text.append(escape_line(line["text"][start:stop]), style=f"not dim {_MARK}")
            end = stop
        text.append(escape_line(line["text"][end:]), style="not dim")
        text.append("…" if line["truncated"] else "", style="dim")
        yield text
    yield ""
