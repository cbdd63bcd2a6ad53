"""Commits that a search found, and the lines that they changed."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from aeterna_code_search.client.console import Console
from aeterna_code_search.client.text import page_link, path_of, short_commit
from indexer.output.commits import line_sign, result_marks
from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

Result = Mapping[str, Any]


def format_plain(result: Result) -> str:
    """Format `commit project/path:line: +text` for each line that a commit changed.

    Without a path it is the commit: id, day, repository, subject and marks, with tabs between.
    """
    commit, change = short_commit(result["commit"]), result["change"]
    if not result["file"]:
        marks = "; ".join(result_marks(result))
        parts = (commit, change["committed_at"][:10], result["project"], change["subject"], marks)
        return "\t".join(map(escape_line, parts)) + "\n"
    path = f"{commit} {path_of(result)}"
    lines = [
        f"{path}:{line['line']}: {line_sign(line)}{escape_line(line['text'])}\n"
        for line in result["lines"]
    ]
    return "".join(lines) or f"{path}\n"


def render(console: Console, result: Result) -> str:
    """Render a commit with what is said of it, and the lines that match."""
    return console.render(*_rows(result))


def _rows(result: Result) -> Iterator["RenderableType"]:
    from rich.text import Text

    change = result["change"]
    heading = Text(overflow="fold")
    heading.append(short_commit(result["commit"]), style=page_link(change["url"]))
    heading.append(f"  {change['committed_at'][:10]}  ", style="dim")
    heading.append(escape_line(change["subject"]) or "(no subject)", style="bold")
    heading.append(f"  {result['score']:.2f}" if result["matches"] is None else "", style="dim")
    yield heading
    place = path_of(result) if result["file"] else escape_line(result["project"])
    row = Text("    ", overflow="fold")
    row.append(place, style=page_link(result["url"]) if result["file"] else "")
    row.append(escape_line("".join(f"  {mark}" for mark in result_marks(result))), style="dim")
    yield row
    for line in result["lines"]:
        yield _line(line)
    yield ""


def _line(line: Mapping[str, Any]) -> "Text":
    from rich.text import Text

    sign = line_sign(line)
    colour = {"+": "green", "-": "red"}.get(sign, "")
    text = Text(f"{line['line']:>6} ", style="dim", overflow="fold")
    text.append(f"{sign} " if sign else "", style=f"not dim {colour}")
    end = 0
    for start, stop in line["ranges"]:
        text.append(escape_line(line["text"][end:start]), style=f"not dim {colour}")
        text.append(escape_line(line["text"][start:stop]), style=f"not dim bold underline {colour}")
        end = stop
    text.append(escape_line(line["text"][end:]), style=f"not dim {colour}")
    text.append("…" if line["truncated"] else "", style="dim")
    return text
