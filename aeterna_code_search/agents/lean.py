"""The lean form of an answer: the API's answer without what is empty or repeated.

docs/reference/agent-tools.md describes it for those who read it.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

_SAME: Final = "all"  # in a table: the members that all rows have in common
_COLUMNS: Final = "columns"
_ROWS: Final = "rows"


def lean(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer without empty members, with records as tables.

    Where a record has the commit that the receipt has for its project, that is left out, too.
    """
    receipt = answer.get("receipt", {})
    commits = {row["project"]: row["commit"] for row in receipt.get("projects", ())}
    return _record({**_without_commits(answer, commits), "receipt": receipt})


def _without_commits(value: Any, commits: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_without_commits(member, commits) for member in value]
    if not isinstance(value, Mapping):
        return value
    known = commits.get(str(value.get("project")))
    return {
        name: _without_commits(member, commits)
        for name, member in value.items()
        if name != "commit" or known is None or member != known
    }


def _record(record: Mapping[str, Any]) -> dict[str, Any]:
    members = {name: _lean(member) for name, member in record.items()}
    return {name: member for name, member in members.items() if not _is_empty(member)}


def _lean(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _record(value)
    if not isinstance(value, list):
        return value
    if len(value) > 1 and all(isinstance(row, Mapping) for row in value):
        return _table(value)
    return [_lean(member) for member in value]


def _table(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return records as rows of cells; members of records in them are columns `outer.inner`."""
    rows = [_record(row) for row in _flat(records)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    same = {name: rows[0][name] for name in names if _is_constant([row.get(name) for row in rows])}
    columns = [name for name in names if name not in same]
    table = {_COLUMNS: columns, _ROWS: [[row.get(name) for name in columns] for row in rows]}
    return {_SAME: same, **table} if same else table


def _flat(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Move members of inner records into the rows, if the records of all rows have the same."""
    names = {name for row in rows for name in row}
    inner = {name for name in names if _has_same_members([row.get(name) for row in rows])}
    if not inner:
        return rows
    flat = []
    for row in rows:
        members: dict[str, Any] = {}
        for name, member in row.items():
            if name not in inner:
                members[name] = member
            elif member:
                members |= {f"{name}.{part}": value for part, value in member.items()}
        flat.append(members)
    return _flat(flat)


def _has_same_members(values: Sequence[Any]) -> bool:
    records = [value for value in values if value is not None]
    if not records or not all(isinstance(record, Mapping) and record for record in records):
        return False
    names = records[0].keys()
    return all(record.keys() == names for record in records) and not any("." in n for n in names)


def _is_constant(cells: Sequence[Any]) -> bool:
    """Return whether all cells are equal; 1, 1.0 and true are not."""
    first = json.dumps(cells[0], sort_keys=True)
    return cells[0] is not None and all(
        json.dumps(cell, sort_keys=True) == first for cell in cells[1:]
    )


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (str, list, dict)) and not value)
