"""Files with all their rows, between the tables of the default branch and those of the others.

Needs a transaction that has the repository's row: `File.branches` is changed under its lock.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from django.db.models import Model

from central.corpus.branches.tables import IN_OTHERS, OF_FILES
from central.corpus.models import Chunk, File, Module
from central.db import execute, fetch_rows, id_array, new_ids, sql, sql_with
from central.repositories.models import Branch, Repository


def _names(model: type[Model], *last: str) -> str:
    fields = [field for field in model._meta.concrete_fields if field.attname not in last]
    return ", ".join(f'"{name}"' for name in (*(field.column for field in fields), *last))


# Two rows of a path are the same file if they are equal in these, and have the same modules: what
# else a row has is a function of them. So is the content, but a job of one branch must not change
# that of another by a wrong one.
_SAME: Final = ", ".join(
    "{side}." + name
    for name in (
        *("mode", "blob", "size", "extractor", "language", "skipped", "generated", "degraded"),
        *("encoding", "namespace", "package_id", "content"),
    )
)
_MODULES: Final = (
    "ARRAY(SELECT (package_id, ecosystem, name, public, scope)::text FROM {table}"
    " WHERE file_id = {side}.id ORDER BY 1)"
)


def _equal(default: str, other: str) -> str:
    """Return the condition that two rows of files are equal, of which one is another branch's."""
    rows = (_SAME.replace("{side}", side) for side in ("old", "new"))
    modules = (
        _MODULES.replace("{side}", side).replace("{table}", schema + "{module}")
        for side, schema in (("old", default), ("new", other))
    )
    return (
        "old.repository_id = new.repository_id AND old.path = new.path AND old.id <> new.id"
        f" AND ({next(rows)}) IS NOT DISTINCT FROM ({next(rows)})"
        f" AND {next(modules)} = {next(modules)}"
    )


_equal_rows = {
    "equal_to_default": _equal("", "{others}"),
    "equal_in_others": _equal("{others}", "{others}"),
    "equal_for_default": _equal("{others}", ""),
}
_sql = sql_with(
    file=File,
    chunk=Chunk,
    module=Module,
    branch=Branch,
    repository=Repository,
    others=IN_OTHERS,
    **_equal_rows,
)
_KEEP_FILES: Final = sql(
    "INSERT INTO {others}{file} ({names})"
    " SELECT {names_but_last}, branches & %s::int FROM {file}"
    " WHERE id = ANY(%s::bigint[]) AND branches & %s::int <> 0 RETURNING id",
    file=File,
    others=IN_OTHERS,
    names=_names(File, "branches"),
    names_but_last=_names(File, "branches").rpartition(",")[0],
)
_TAKE_FILES: Final = sql(
    "INSERT INTO {file} ({names}) SELECT {names_but_last}, branches | ~%s::int"
    " FROM {others}{file} WHERE id = ANY(%s::bigint[])",
    file=File,
    others=IN_OTHERS,
    names=_names(File, "branches"),
    names_but_last=_names(File, "branches").rpartition(",")[0],
)
_KEEP: Final[Mapping[type[Model], str]] = {
    model: sql(
        "INSERT INTO {others}{table} ({names})"
        " SELECT {names} FROM {table} WHERE file_id = ANY(%s::bigint[])",
        table=model,
        others=IN_OTHERS,
        names=_names(model),
    )
    for model in OF_FILES
}
_TAKE: Final[Mapping[type[Model], str]] = {
    model: sql(
        "INSERT INTO {table} ({names})"
        " SELECT {names} FROM {others}{table} WHERE file_id = ANY(%s::bigint[])",
        table=model,
        others=IN_OTHERS,
        names=_names(model),
    )
    for model in OF_FILES
}
_POINTS: Final = _sql("SELECT point FROM {others}{chunk} WHERE file_id = ANY(%s::bigint[])")
_LACKED: Final = _sql("UPDATE {file} SET branches = %s::int WHERE id = ANY(%s::bigint[])")
_CHANGE_BITS: Final = [
    sql(
        "UPDATE {schema}{file} SET branches = branches & ~%s::int | %s::int"
        " WHERE id = ANY(%s::bigint[])",
        schema=schema,
        file=File,
    )
    for schema in ("", IN_OTHERS)
]
_UNUSED: Final = _sql("SELECT id FROM {others}{file} WHERE id = ANY(%s::bigint[]) AND branches = 0")
_DELETE_FILES: Final = _sql("DELETE FROM {others}{file} WHERE id = ANY(%s::bigint[])")
_DELETE: Final[Mapping[type[Model], str]] = {
    model: sql(
        "DELETE FROM {others}{table} WHERE file_id = ANY(%s::bigint[])",
        table=model,
        others=IN_OTHERS,
    )
    for model in OF_FILES
}
# Files are shared by branches of one embedder: what has points of another has none to this one.
_FIND_IN_DEFAULT: Final = _sql("""SELECT new.id, old.id FROM {file} old
    JOIN {others}{file} new ON {equal_to_default}
    JOIN {repository} r ON r.id = new.repository_id
    JOIN {branch} b ON b.repository_id = r.id AND 1 << b.number = %s::int
    WHERE new.id = ANY(%s::bigint[]) AND b.embedder = r.embedder""")
_FIND_IN_OTHERS: Final = _sql("""SELECT new.id, min(old.id) FROM {others}{file} old
    JOIN {others}{file} new ON {equal_in_others}
    JOIN {branch} b ON b.repository_id = new.repository_id AND 1 << b.number = %s::int
    WHERE new.id = ANY(%s::bigint[]) AND old.branches <> 0 AND NOT EXISTS (
        SELECT FROM {branch} o WHERE o.repository_id = b.repository_id
            AND old.branches & (1 << o.number) <> 0 AND o.embedder <> b.embedder)
    GROUP BY new.id""")
_FIND_FOR_DEFAULT: Final = _sql(
    "SELECT old.id, new.id, old.branches FROM {others}{file} old JOIN"
    " {file} new ON {equal_for_default}"
    " WHERE new.id = ANY(%s::bigint[]) AND old.branches <> 0"
)


def keep_for_others(files: Iterable[int], bits: int) -> list[UUID]:
    """Copy files that the default branch is to lose, for the other branches that have them.

    Returns the points of their chunks.
    """
    rows = fetch_rows(_KEEP_FILES, [bits, id_array(files), bits])
    kept = [key for (key,) in rows]
    if not kept:
        return []
    for statement in _KEEP.values():
        execute(statement, [id_array(kept)])
    return points_of(kept)


def take_from_others(files: Sequence[int], bits: int) -> None:
    """Move files of other branches to the default one; `bits` are those of all branches."""
    execute(_TAKE_FILES, [bits, id_array(files)])
    for statement in _TAKE.values():
        execute(statement, [id_array(files)])
    _delete(files)


def lack_on_others(files: Iterable[int], bits: int) -> None:
    """Note that other branches do not have new files of the default branch."""
    execute(_LACKED, [~bits, id_array(files)])


def change_bits(files: Iterable[int], *, clear: int = 0, add: int = 0) -> None:
    """Change the branches that have these files, wherever they lie."""
    keys = id_array(files)
    for statement in _CHANGE_BITS:
        execute(statement, [clear, add, keys])


def join_equal(new: Sequence[int], bit: int) -> list[int]:
    """Share new files of a branch with those that are equal; returns those that no branch has now.

    What was there stays, of the default branch or else of others: no run writes what another
    branch shows.
    """
    unused: list[int] = []
    for statement in (_FIND_IN_DEFAULT, _FIND_IN_OTHERS):
        left = [key for key in new if key not in unused]
        pairs = fetch_rows(statement, [bit, id_array(left)])
        equal = [added for added, _ in pairs]
        change_bits((old for _, old in pairs), add=bit)
        change_bits(equal, clear=-1)
        unused += equal
    return unused


def join_equal_of_default(new: Sequence[int]) -> list[int]:
    """Share new files of the default branch; returns those of others that are unused now."""
    pairs = fetch_rows(_FIND_FOR_DEFAULT, [id_array(new)])
    for old, added, bits in pairs:
        change_bits([added], add=bits)
        change_bits([old], clear=-1)
    return [old for old, _, _ in pairs]


def delete_unused(files: Iterable[int]) -> list[UUID]:
    """Delete those of these files that no branch has; returns the points of their chunks."""
    unused = [key for (key,) in fetch_rows(_UNUSED, [id_array(files)])]
    if not unused:
        return []
    points = points_of(unused)
    _delete(unused)
    return points


def _delete(files: Sequence[int]) -> None:
    for statement in (*_DELETE.values(), _DELETE_FILES):
        execute(statement, [id_array(files)])


def _copies(model: type[Model], schema: str) -> str:
    """Return the statement that copies rows of files to files with other keys."""
    changed = {"file_id": "copied.new", "point": "gen_random_uuid()", "id": ""}
    if model is File:
        changed = {"id": "copied.new", "branches": "%s::int"}
    fields = [field for field in model._meta.concrete_fields if changed.get(field.attname) != ""]
    values = (changed.get(field.attname, f'old."{field.column}"') for field in fields)
    return sql(
        "INSERT INTO {others}{table} ({names}) SELECT {values} FROM {schema}{table} old"
        " JOIN unnest(%s::bigint[], %s::bigint[]) AS copied (old, new) ON old.{key} = copied.old",
        table=model,
        others=IN_OTHERS,
        schema=schema,
        key="id" if model is File else "file_id",
        names=", ".join(f'"{field.column}"' for field in fields),
        values=", ".join(values),
    )


_COPY_FILES: Final = [_copies(File, schema) for schema in ("", IN_OTHERS)]
_COPY: Final = [_copies(model, schema) for model in OF_FILES for schema in ("", IN_OTHERS)]


def copy_files(files: Sequence[int], bits: int) -> dict[int, int]:
    """Copy files for these branches, which are to have their own; returns the new keys.

    The points of the copies have new ids, and are not in the store yet.
    """
    copies = dict(zip(files, new_ids(File, len(files)), strict=True))
    keys = [id_array(copies), id_array(copies.values())]
    change_bits(files, clear=bits)
    for statement in _COPY_FILES:
        execute(statement, [bits, *keys])
    for statement in _COPY:
        execute(statement, keys)
    return copies


def points_of(files: Iterable[int]) -> list[UUID]:
    """Return the points of the chunks of files that the default branch lacks."""
    return [point for (point,) in fetch_rows(_POINTS, [id_array(files)])]
