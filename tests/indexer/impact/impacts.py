"""Answers of central about changes, for tests of what is made of them."""

from typing import Any

from indexer.git.edits import EditedFile, Edits
from indexer.impact.assessment import Impact, Lines, Range
from indexer.impact.queries import (
    AffectedProject,
    Answer,
    Call,
    Caller,
    ChangedSymbol,
    Definition,
    MissingProject,
    Receipt,
)

BASE, HEAD, INDEXED = "b" * 40, "c" * 40, "d" * 40


def call(file: str = "app.py", line: int = 5, **more: Any) -> Call:
    """A call that is sure."""
    fields: dict[str, Any] = {
        "kind": "call",
        "caller": Caller("main", "main", "function", 1),
        "rule": "import",
        "confidence": "high",
        "evidence": "import",
        "candidates": 1,
        "pinned_version": None,
        "required_version": None,
        "indexed_version": None,
        "lags": None,
        "url": None,
    }
    return Call(file=file, line=line, **(fields | more))


def affected(project: str, *calls: Call, count: int = 0) -> AffectedProject:
    """A project with these calls and, by `count`, more."""
    return AffectedProject(project, count or len(calls), calls)


def symbol(name: str, *projects: AffectedProject, **more: Any) -> ChangedSymbol:
    """A changed function of the project `shop`, in the lines 1 to 9 of lib.py."""
    fields: dict[str, Any] = {
        "project": "shop",
        "commit": INDEXED,
        "file": "lib.py",
        "line": 1,
        "end_line": 9,
        "name": name.rpartition(".")[2],
        "qualified_name": name,
        "kind": "function",
        "url": None,
    }
    owners = more.pop("owners", ())
    return ChangedSymbol(Definition(**(fields | more)), projects, owners)


def receipt(*missing: MissingProject, unresolved: int = 0, cut: tuple[str, ...] = ()) -> Receipt:
    """Of the project itself and another."""
    return Receipt({"shop": INDEXED, "web": HEAD}, missing, unresolved, cut)


def impact(*symbols: ChangedSymbol, **more: Any) -> Impact:
    """Of a branch of `shop` that changes one file."""
    names = ("unknown", "visibilities", "receipt")
    answered = {name: more.pop(name) for name in names if name in more}
    fields: dict[str, Any] = {
        "project": "shop",
        "range": Range(BASE, HEAD),
        "edits": Edits((EditedFile("lib.py"),), 0),
        "indexed_commit": INDEXED,
        "lines": Lines.EXACT,
        "answer": Answer(
            symbols,
            answered.get("unknown", ()),
            answered.get("visibilities"),
            answered.get("receipt", receipt()),
        ),
    }
    return Impact(**(fields | more))
