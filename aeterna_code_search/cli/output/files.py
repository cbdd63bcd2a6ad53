"""Files of the index, and lists of them: coloured on a terminal, plain lines in a pipe."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from aeterna_code_search.cli.output.highlighting import Snippet, render_snippet
from aeterna_code_search.client.console import Console
from indexer.output.terminal import escape_line, escape_lines, pluralize

if TYPE_CHECKING:
    from rich.text import Text


def format_content(content: str) -> str:
    """Format the lines of a file, without its control characters."""
    return "".join(f"{line}\n" for line in escape_lines(content)) if content else ""


def render_content(console: Console, answer: Mapping[str, Any]) -> str:
    """Render a file with line numbers and colours."""
    if not answer["content"]:
        return ""
    snippet = Snippet(answer["content"], answer["start_line"], answer["language"] or "text")
    return render_snippet(console, snippet)


def owners_line(answer: Mapping[str, Any]) -> str:
    """Say who owns a file; "" if that is not known."""
    owners = answer.get("owners")
    if owners is None:
        return ""
    return escape_line(f"Owned by {', '.join(owners)}." if owners else "This file has no owner.")


def render_list(console: Console, answer: Mapping[str, Any]) -> str:
    """Render a line for each entry, with its size or number of files; a pipe gets the path."""
    if not console.is_terminal:
        return "".join(f"{_path(file)}\n" for file in answer["entries"])
    return console.render(*_rows(answer))


def _rows(answer: Mapping[str, Any]) -> Iterator["Text"]:
    from rich.text import Text

    for file in answer["entries"]:
        is_directory = file["files"] is not None
        size = pluralize(file["files"], "file") if is_directory else f"{file['size']:,} B"
        row = Text(f"{size:>12}  ", style="dim", overflow="fold")
        row.append(_path(file), style="not dim bold" if is_directory else "not dim")
        if file["skipped"]:
            row.append(f"  not indexed: {escape_line(file['skipped'])}", style="dim yellow")
        if file.get("partly_parsed"):
            row.append("  partly parsed", style="dim yellow")
        if file.get("encoding"):
            row.append(f"  {escape_line(file['encoding'])}", style="dim yellow")
        if file.get("generated"):
            row.append("  generated", style="dim yellow")
        yield row


def _path(entry: Mapping[str, Any]) -> str:
    """Format a path; that of a directory ends with a slash."""
    return escape_line(entry["path"]) + ("/" if entry["files"] is not None else "")
