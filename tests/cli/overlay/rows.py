"""Answers of a service, in the API's shapes, with what a merging looks at."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from aeterna_code_search.cli.overlay.overlay import Overlay

Row = dict[str, Any]
CENTRAL = "payments-api"
LOCAL = "payments-api-2"
BASE, SNAPSHOT = "b" * 40, "5" * 40


class Edits:
    """What was edited, as the test says."""

    def __init__(
        self, moved: Mapping[tuple[str, int], int | None], new: Collection[tuple[str, int]]
    ) -> None:
        self._moved = moved
        self._new = new
        self.mentioned: set[str] = set()

    def map_line(self, path: str, line: int) -> int | None:
        return self._moved.get((path, line), line)

    def are_edited(self, path: str, first: int, last: int) -> bool:
        return any(file == path and first <= line <= last for file, line in self._new)

    def is_mentioned(self, names: Iterable[str]) -> bool:
        return bool(self.mentioned.intersection(names))


def front_of(
    *changed: str,
    moved: Mapping[tuple[str, int], int | None] | None = None,
    new: Collection[tuple[str, int]] = (),
    mentioned: Collection[str] = (),
) -> Overlay:
    """A work tree with these files changed; their lines are where they were, but for `moved`.

    `new` are the places of lines that were written, `mentioned` the words in them.
    """
    edits = Edits(moved or {}, new)
    edits.mentioned = set(mentioned)
    return Overlay(
        project=CENTRAL,
        local_project=LOCAL,
        commit=SNAPSHOT,
        base_commit=BASE,
        indexed_at="2026-01-01T00:00:00Z",
        changed=frozenset(changed),
        lines=edits,
    )


def receipt(project: str, commit: str) -> Row:
    return {
        "complete": True,
        "took_ms": 1.0,
        "projects": [{"project": project, "commit": commit, "indexed_at": None}],
        "missing": [],
    }


def hit(file: str, line: int, score: float, *, project: str = CENTRAL, **members: Any) -> Row:
    return {
        "project": project,
        "commit": BASE if project != LOCAL else SNAPSHOT,
        "file": file,
        "start_line": line,
        "name": f"at_{line}",
        "score": score,
        "similarity": score / 2,
        "content": f"{file} {line}",
        "url": "https://forge.example/x",
        **members,
    }


def found(hits: Sequence[Row], *, project: str = CENTRAL, **members: Any) -> Row:
    return {
        "query": "q",
        "count": len(hits),
        "results": list(hits),
        "next_cursor": None,
        "receipt": receipt(project, BASE if project != LOCAL else SNAPSHOT),
        "hint": None,
        **members,
    }


def definition(file: str, name: str, line: int, *, project: str = CENTRAL) -> Row:
    return {
        "project": project,
        "commit": BASE,
        "file": file,
        "line": line,
        "end_line": line + 5,
        "name": name.rpartition(".")[2],
        "qualified_name": name,
        "kind": "function",
        "url": None,
    }


def end(file: str, name: str, line: int, *, project: str = CENTRAL) -> Row:
    return {"project": project, "file": file, "qualified_name": name, "line": line}


def link(caller: Row, line: int, callee: Row, *, target: int = 0) -> Row:
    """A use in `caller` at `line` of its file."""
    return {
        "project": caller["project"],
        "commit": BASE,
        "file": caller["file"],
        "line": line,
        "column": 4,
        "depth": 1,
        "target": target,
        "caller": caller,
        "callee": callee,
        "url": "https://forge.example/x",
    }


def traced(
    definitions: Sequence[Row], links: Sequence[Row], *, project: str = CENTRAL, what: str
) -> Row:
    return {
        "symbol": "charge",
        "definitions": list(definitions),
        what: list(links),
        "count": len(links),
        "next_cursor": None,
        "receipt": receipt(project, BASE),
        "hint": None if links else "Nothing calls it.",
    }
