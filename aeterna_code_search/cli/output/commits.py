"""Commits of a history: coloured on a terminal, a line for each in a pipe."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from aeterna_code_search.client.console import Console
from aeterna_code_search.client.text import page_link, short_commit
from indexer.output.commits import commit_marks
from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from rich.text import Text

Row = Mapping[str, Any]


def render(console: Console, answer: Row) -> str:
    """Render each commit; a pipe gets id, time, subject and marks, with tabs between them."""
    if console.is_terminal:
        return console.render(*_rows(answer))
    return "".join(f"{_plain(answer, commit)}\n" for commit in answer["commits"])


def _plain(answer: Row, commit: Row) -> str:
    marks = "; ".join(commit_marks(answer, commit))
    parts = (commit["commit"], commit["committed_at"], commit["subject"], marks)
    return "\t".join(map(escape_line, parts))


def _rows(answer: Row) -> Iterator["Text"]:
    from rich.text import Text

    for commit in answer["commits"]:
        row = Text(overflow="fold")
        row.append(short_commit(commit["commit"]), style=page_link(commit["url"]))
        row.append(f"  {commit['committed_at'][:10]}  ", style="dim")
        row.append(escape_line(commit["subject"]) or "(no subject)", style="bold")
        yield row
        marks = [mark for mark in commit_marks(answer, commit) if mark != "modified"]
        if marks:
            yield Text(f"    {escape_line(', '.join(marks))}", style="dim", overflow="fold")
