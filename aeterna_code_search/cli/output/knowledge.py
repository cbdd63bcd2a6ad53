"""Nodes and edges of the knowledge graph: tables on a terminal, columns with tabs in a pipe."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from aeterna_code_search.client.console import Console
from aeterna_code_search.client.text import path_of
from indexer.output.terminal import escape_line, escape_lines

if TYPE_CHECKING:
    from rich.table import Table

Row = Mapping[str, Any]

_STYLES: Final = {"violated": "red", "error": "red", "warning": "yellow"}


@dataclass(frozen=True, slots=True)
class Columns:
    """Rows of an answer. An empty value is shown as `-`."""

    titles: Sequence[str]
    rows: Sequence[Sequence[object]]

    def format_plain(self) -> str:
        """Format a line for each row, its columns separated by tabs."""
        return "".join("\t".join(map(_cell, row)) + "\n" for row in self.rows)

    def table(self) -> "Table":
        """Return the rows as a table for a terminal."""
        from rich.table import Table
        from rich.text import Text

        table = Table(*self.titles, box=None, padding=(0, 2, 0, 0))
        for row in self.rows:
            cells = map(_cell, row)
            table.add_row(
                *(Text(cell, style=_STYLES.get(cell, ""), overflow="fold") for cell in cells)
            )
        return table


def render(console: Console, *columns: Columns) -> str:
    """Format those of the columns that have rows."""
    full = [one for one in columns if one.rows]
    if not console.is_terminal:
        return "".join(one.format_plain() for one in full)
    from rich.text import Text

    return console.render(*(part for one in full for part in (one.table(), Text()))) if full else ""


def body_text(body: str) -> str:
    """Indent a document's text, so that no line of it looks like a row."""
    return "".join(f"    {line}".rstrip() + "\n" for line in escape_lines(body)) if body else ""


def not_run(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence for each reason why a policy is not run."""
    for one in rows:
        for found in (one["policy"] or {}).get("not_run", ()):
            projects = ", ".join(found["projects"])
            yield escape_line(f"{one['id']} is not run in {projects}. {found['reason']}")


def nodes(rows: Sequence[Row]) -> Columns:
    """Id, kind, status, lines and title of nodes."""
    return Columns(
        ("id", "kind", "status", "lines", "title"),
        [(one["id"], one["kind"], _status(one), _lines(one), _title(one)) for one in rows],
    )


def edges(rows: Sequence[Row]) -> Columns:
    """Source, type, target, weight and origin of edges."""
    return Columns(
        ("from", "type", "to", "weight", "origin"),
        [(one["source"], one["type"], one["target"], one["weight"], one["origin"]) for one in rows],
    )


def traversed(answer: Row) -> Columns:
    """The nodes of a traversal with their distance."""
    return Columns(
        ("steps", "id", "kind", "status", "title"),
        [
            (one["distance"], node["id"], node["kind"], _status(node), _title(node))
            for one in answer["nodes"]
            for node in [one["node"]]
            if one["distance"]
        ],
    )


def violations(answer: Row) -> Columns:
    """A row for each match, in the order of paths and lines."""
    return Columns(
        ("at", "severity", "policy", "message", "text"),
        [
            (
                f"{one['code']['project']}/{one['code']['path']}:{match['start_line']}",
                one["severity"],
                one["policy"],
                one["message"] or one["title"],
                match["text"],
            )
            for one in answer["violations"]
            for match in one["edge"]["properties"].get("matches", [])
        ],
    )


def unmigrated(answer: Row) -> Columns:
    """The location and name of each definition."""
    return Columns(
        ("at", "definition"),
        [
            (f"{one['project']}/{one['path']}:{one['start_line']}", one["qualified_name"])
            for one in answer["code"]
        ],
    )


def related(answer: Row) -> Columns:
    """Score, similarity and node, best first."""
    return Columns(
        ("score", "similarity", "id", "kind", "title"),
        [
            (f"{one['score']:.2f}", one["similarity"], node["id"], node["kind"], _title(node))
            for one in answer["related"]
            for node in [one["node"]]
        ],
    )


def context(answer: Row) -> Columns:
    """The context of a file: item, relation to the file, id or location, and title."""
    return Columns(("what", "how", "id or location", "title"), list(_context(answer)))


def _context(answer: Row) -> Iterator[tuple[object, ...]]:
    for one in answer["policies"]:
        state = "violated" if one["is_violated"] else "kept"
        yield "policy", state, one["node"]["id"], _title(one["node"])
    for one in answer["decisions"]:
        yield "decision", ",".join(one["why"]), one["node"]["id"], _named(one["node"])
    for one in answer["memories"]:
        yield "memory", ",".join(one["why"]), one["node"]["id"], _named(one["node"])
    for what, rows in (("caller", answer["callers"]), ("callee", answer["callees"])):
        for one in rows:
            yield what, one["confidence"], f"{path_of(one)}:{one['line']}", one["name"]


def _named(node: Row) -> str:
    """The title, with a note if the document's file was removed."""
    return f"{_title(node)} (its file was removed)" if node["archived"] else _title(node)


def _status(node: Row) -> str:
    if node["missing"]:
        return "not in the index"
    return "file removed" if node["archived"] else str(node["status"])


def _lines(node: Row) -> str:
    return f"{node['start_line']}-{node['end_line']}" if node["start_line"] else ""


def _title(node: Row) -> str:
    """Code is named by its id."""
    return "" if node["kind"].startswith("code_") else str(node["title"])


def _cell(value: object) -> str:
    return escape_line(str(value)) if value not in (None, "") else "-"
