"""A reader of lean structured content, as docs/reference/agent-tools.md describes it."""

from collections.abc import Mapping
from typing import Any

TABLES = ({"columns", "rows"}, {"all", "columns", "rows"})
NOTHING = (None, "", [], {})


def expanded(value: Any) -> Any:
    """What lean structured content stands for: tables are lists of records again."""
    if isinstance(value, list):
        return [expanded(member) for member in value]
    if not isinstance(value, dict):
        return value
    if set(value) not in TABLES:
        return {name: expanded(member) for name, member in value.items()}
    same = value.get("all", {})
    return [nested(same | dict(zip(value["columns"], row, strict=True))) for row in value["rows"]]


def nested(row: dict[str, Any]) -> dict[str, Any]:
    """The record of a row: without its null cells, a column `outer.inner` in a record `outer`."""
    record: dict[str, Any] = {}
    for column, cell in row.items():
        if cell is not None:
            *outer, name = column.split(".")
            inner = record
            for part in outer:
                inner = inner.setdefault(part, {})
            inner[name] = expanded(cell)
    return record


def reduced(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without its empty members, and without the commits that its receipt has."""
    projects = answer.get("receipt", {}).get("projects", [])
    commits = {row["project"]: row["commit"] for row in projects}
    return {
        name: _reduced(member, {} if name == "receipt" else commits)
        for name, member in _members(answer, commits).items()
        if _reduced(member, {}) not in NOTHING
    }


def _reduced(value: Any, commits: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_reduced(member, commits) for member in value]
    if not isinstance(value, Mapping):
        return value
    members = {n: _reduced(member, commits) for n, member in _members(value, commits).items()}
    return {name: member for name, member in members.items() if member not in NOTHING}


def _members(record: Mapping[str, Any], commits: Mapping[str, str]) -> Mapping[str, Any]:
    known = commits.get(str(record.get("project")), ...)
    return {n: member for n, member in record.items() if n != "commit" or member != known}
