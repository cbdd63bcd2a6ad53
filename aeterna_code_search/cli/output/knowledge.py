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
    full = [columns for columns in columns if columns.rows]
    if not console.is_terminal:
        return "".join(columns.format_plain() for columns in full)
    from rich.text import Text

    return (
        console.render(*(part for columns in full for part in (columns.table(), Text())))
        if full
        else ""
    )


def body_text(body: str) -> str:
    """Indent a document's text, so that no line of it looks like a row."""
    return "".join(f"    {line}".rstrip() + "\n" for line in escape_lines(body)) if body else ""


def not_run(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence for each reason why a policy is not run."""
    for row in rows:
        for found in (row["policy"] or {}).get("not_run", ()):
            projects = ", ".join(found["projects"])
            yield escape_line(f"{row['id']} is not run in {projects}. {found['reason']}")


def nodes(rows: Sequence[Row]) -> Columns:
    """Id, kind, status, lines and title of nodes."""
    return Columns(
        ("id", "kind", "status", "lines", "title"),
        [(row["id"], row["kind"], _status(row), _lines(row), _title(row)) for row in rows],
    )


def edges(rows: Sequence[Row]) -> Columns:
    """Source, type, target, weight and origin of edges."""
    return Columns(
        ("from", "type", "to", "weight", "origin"),
        [(row["source"], row["type"], row["target"], row["weight"], row["origin"]) for row in rows],
    )


def traversed(answer: Row) -> Columns:
    """The nodes of a traversal with their distance."""
    return Columns(
        ("steps", "id", "kind", "status", "title"),
        [
            (found["distance"], node["id"], node["kind"], _status(node), _title(node))
            for found in answer["nodes"]
            for node in [found["node"]]
            if found["distance"]
        ],
    )


def violations(answer: Row) -> Columns:
    """A row for each match, in the order of paths and lines."""
    return Columns(
        ("at", "severity", "policy", "message", "text"),
        [
            (
                f"{violation['code']['project']}/{violation['code']['path']}:{match['start_line']}",
                violation["severity"],
                violation["policy"],
                violation["message"] or violation["title"],
                match["text"],
            )
            for violation in answer["violations"]
            for match in violation["edge"]["properties"].get("matches", [])
        ],
    )


def unmigrated(answer: Row) -> Columns:
    """The location and name of each definition."""
    return Columns(
        ("at", "definition"),
        [
            (
                f"{definition['project']}/{definition['path']}:{definition['start_line']}",
                definition["qualified_name"],
            )
            for definition in answer["code"]
        ],
    )


def related(answer: Row) -> Columns:
    """Score, similarity and node, best first."""
    return Columns(
        ("score", "similarity", "id", "kind", "title"),
        [
            (f"{found['score']:.2f}", found["similarity"], node["id"], node["kind"], _title(node))
            for found in answer["related"]
            for node in [found["node"]]
        ],
    )


def context(answer: Row) -> Columns:
    """The context of a file: item, relation to the file, id or location, and title."""
    return Columns(("what", "how", "id or location", "title"), list(_context(answer)))


def _context(answer: Row) -> Iterator[tuple[object, ...]]:
    for policy in answer["policies"]:
        state = "violated" if policy["is_violated"] else "kept"
        yield "policy", state, policy["node"]["id"], _title(policy["node"])
    for decision in answer["decisions"]:
        yield (
            "decision",
            ",".join(decision["why"]),
            decision["node"]["id"],
            _named(decision["node"]),
        )
    for memory in answer["memories"]:
        yield "memory", ",".join(memory["why"]), memory["node"]["id"], _named(memory["node"])
    for what, rows in (("caller", answer["callers"]), ("callee", answer["callees"])):
        for row in rows:
            yield what, row["confidence"], f"{path_of(row)}:{row['line']}", row["name"]


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
