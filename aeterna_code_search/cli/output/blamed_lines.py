"""Lines with their commits: a table on a terminal, tabs between columns in a pipe."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from aeterna_code_search.client.console import Console
from aeterna_code_search.client.text import page_link, short_commit
from indexer.output.terminal import escape_line, escape_lines

if TYPE_CHECKING:
    from rich.text import Text

Row = Mapping[str, Any]


def render(console: Console, answer: Row) -> str:
    """Render each line of `content` with the commit of its range."""
    if console.is_terminal:
        return console.render(*_rows(answer))
    return "".join(
        f"{commit.get('commit', '')}\t{commit.get('committed_at', '')}\t{line}\t{text}\n"
        for line, text, commit in _lines(answer)
    )


def _lines(answer: Row) -> Iterator[tuple[int, str, Row]]:
    commits = {
        line: own
        for own in answer["ranges"]
        for line in range(own["start_line"], own["end_line"] + 1)
    }
    lines = escape_lines(answer["content"])
    for line, text in enumerate(lines, answer["start_line"]):
        yield line, text, commits.get(line, {})


def _rows(answer: Row) -> Iterator["Text"]:
    """A commit stands beside the first of its lines."""
    from rich.text import Text

    width = len(str(answer["end_line"]))
    above: Row | None = None
    for line, text, commit in _lines(answer):
        row = Text(no_wrap=True, overflow="ellipsis")
        is_first, above = commit is not above, commit
        if is_first and commit:
            row.append(short_commit(commit["commit"]), style=page_link(commit["url"]))
            row.append(f"  {escape_line(commit['committed_at'][:10])}", style="dim")
        else:
            row.append(f"{'-' if is_first else '':<22}", style="dim")
        row.append(f"  {line:>{width}}  ", style="dim")
        row.append(text)
        yield row
