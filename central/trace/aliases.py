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
# Exports under other names, then imports (file and local name alone). They are few, though the
# planner does not know: plain joins would read all of corpus_file and corpus_module.
_OTHER_NAMES = """WITH asked AS MATERIALIZED (SELECT %s::text[] AS texts, %s::bigint[] AS seen)
    SELECT e.repository_id,
        coalesce((SELECT f.package_id FROM corpus_file f WHERE f.id = e.file_id), 0),
        m.ecosystem, e.file_id, e.name, e.path, e.is_local, m.name
    FROM corpus_export e
    CROSS JOIN LATERAL (SELECT * FROM corpus_module WHERE file_id = e.file_id OFFSET 0) AS m
    WHERE {exports} AND e.repository_id = ANY((SELECT seen FROM asked)::bigint[])
        AND NOT e.wildcard
    UNION ALL
    SELECT NULL, NULL, NULL, i.file_id, i.local, NULL, NULL, NULL
    FROM corpus_import i
    WHERE {imports} AND i.repository_id = ANY((SELECT seen FROM asked)::bigint[])
        AND NOT i.wildcard"""
_TEXTS = "ANY((SELECT texts FROM asked)::text[])"
_OF_NAMES = _OTHER_NAMES.format(
    exports=f"split_part(e.path, '.', -1) = {_TEXTS} "
    "AND NOT (split_part(e.path, '.', -1) = e.name)",
    imports=f"split_part(i.path, '.', -1) = {_TEXTS} "
    "AND NOT (split_part(i.path, '.', -1) = i.local)",
)
_OF_PATHS = _OTHER_NAMES.format(exports=f"e.path = {_TEXTS}", imports=f"i.path = {_TEXTS}")


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
        renamings, roots = _other_names(inquiry, fresh, paths - seen)
        known.roots |= roots
        seen |= paths
        leading = _leading(inquiry, renamings, keys)
        fresh = {one.name for one in leading if one.name not in {"", "default"}} - known.names
        paths = {path for one in leading for path in _unnamed(one)} - seen
        known.names |= fresh
        if not fresh and not paths:
            return known
    known.is_cut = True
    return known


def _other_names(
    inquiry: Inquiry, names: set[str], paths: set[str]
) -> tuple[list[_Renaming], set[Key]]:
    rows = fetch_rows(_OF_NAMES, [sorted(names), inquiry.repositories]) if names else []
    if paths:
        rows += fetch_rows(_OF_PATHS, [sorted(paths), inquiry.repositories])
    renamings = [_Renaming(*row) for row in rows if row[0] is not None]
    return renamings, {(row[3], row[4]) for row in rows if row[0] is None}


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
