"""Other names of a definition: what imports and exports call it. For the search backwards.

A reference ends in the definition's own name, or in one that an import or an export has given it.
So only renamings are looked for, and there are few.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from central.common.statements import fetch_rows
from central.trace.inquiry import Inquiry
from central.trace.questions import Path
from central.trace.things import Key, last_name

MAX_ROUNDS: Final = 32

# As in the conditions of the indexes import_alias and export_alias.
_RENAMING = """SELECT e.repository_id, coalesce(f.package_id, 0), m.ecosystem, e.file_id, e.name,
        e.path, e.is_local, m.name
    FROM corpus_export e JOIN corpus_file f ON f.id = e.file_id
    JOIN corpus_module m ON m.file_id = e.file_id
    WHERE {} AND e.repository_id = ANY(%s::bigint[]) AND NOT e.wildcard"""
_RENAMED_FROM = _RENAMING.format(
    "split_part(e.path, '.', -1) = ANY(%s::text[]) AND NOT (split_part(e.path, '.', -1) = e.name)"
)
_RENAMED_PATHS = _RENAMING.format("e.path = ANY(%s::text[])")
_ALIASED = """SELECT i.file_id, i.local FROM corpus_import i
    WHERE split_part(i.path, '.', -1) = ANY(%s::text[])
        AND NOT (split_part(i.path, '.', -1) = i.local)
        AND i.repository_id = ANY(%s::bigint[]) AND NOT i.wildcard"""
_OF_PATHS = """SELECT i.file_id, i.local FROM corpus_import i
    WHERE i.path = ANY(%s::text[]) AND i.repository_id = ANY(%s::bigint[]) AND NOT i.wildcard"""


class _Renaming(NamedTuple):
    """An export under another name; once for each name of its module."""

    repository: int
    package: int
    ecosystem: str
    file: int
    name: str
    path: str
    is_local: bool
    module: str


@dataclass(slots=True)
class Aliases:
    """`names` as references may end; `roots` are imports (file, local) by any other name."""

    names: set[str]
    roots: set[Key] = field(default_factory=set)
    is_cut: bool = False


def aliases_of(inquiry: Inquiry, definitions: Iterable[Key]) -> Aliases:
    """All names under which the definitions may be used."""
    keys = set(definitions)
    known = Aliases({last_name(name) for _, name in keys})
    fresh, paths, seen = set(known.names), set[str](), set[str]()
    for _ in range(MAX_ROUNDS):
        renamings = _renamings(inquiry, fresh, paths - seen)
        known.roots |= _imports(inquiry, fresh, paths - seen)
        seen |= paths
        leading = _leading(inquiry, renamings, keys)
        fresh = {one.name for one in leading if one.name not in {"", "default"}} - known.names
        paths = {path for one in leading for path in _unnamed(one)} - seen
        known.names |= fresh
        if not fresh and not paths:
            return known
    known.is_cut = True
    return known


def _renamings(inquiry: Inquiry, names: set[str], paths: set[str]) -> list[_Renaming]:
    rows = fetch_rows(_RENAMED_FROM, [sorted(names), inquiry.repositories]) if names else []
    if paths:
        rows += fetch_rows(_RENAMED_PATHS, [sorted(paths), inquiry.repositories])
    return [_Renaming(*row) for row in rows]


def _imports(inquiry: Inquiry, names: set[str], paths: set[str]) -> set[Key]:
    rows = fetch_rows(_ALIASED, [sorted(names), inquiry.repositories]) if names else []
    if paths:
        rows += fetch_rows(_OF_PATHS, [sorted(paths), inquiry.repositories])
    return {(file, local) for file, local in rows}


def _leading(inquiry: Inquiry, renamings: Sequence[_Renaming], keys: set[Key]) -> list[_Renaming]:
    """Those that do lead to one of the definitions."""
    foreign = list(dict.fromkeys(Path(*one[:3], one.path) for one in renamings if not one.is_local))
    answers = dict(zip(foreign, inquiry.answers(foreign), strict=True))
    return [
        one
        for one in renamings
        if (
            (one.file, one.path) in keys
            if one.is_local
            else any(thing.key in keys for thing in answers[Path(*one[:3], one.path)])
        )
    ]


def _unnamed(one: _Renaming) -> list[str]:
    """Paths of a default export, and of what is a module itself."""
    if one.name == "default":
        return [f"{one.module}.default"]
    return [one.module, f"{one.module}.default"] if not one.name else []
