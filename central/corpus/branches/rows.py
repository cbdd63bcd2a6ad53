"""Files with all their rows, between the tables of the default branch and those of the others.

Needs a transaction that has the repository's row: `File.branches` is changed under its lock.
"""

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

from django.db.models import Model

from central.corpus.branches.tables import IN_OTHERS, OF_FILES, sql_of_both
from central.corpus.models import Chunk, File, Module
from central.db import Part, execute, fetch_rows, id_array, new_ids, sql, sql_with
from central.repositories.models import Branch, Repository

# Two rows of a path are the same file if they are equal in these, and have the same modules: what
# else a row has is a function of them. So is the content, but a job of one branch must not change
# that of another by a wrong one.
_SAME: Final = (
    *("mode", "blob", "size", "extractor", "language", "skipped", "generated", "degraded"),
    *("encoding", "namespace", "package_id", "content"),
)
_EQUAL: Final = """old.repository_id = new.repository_id AND old.path = new.path
    AND old.id <> new.id AND ({of_old}) IS NOT DISTINCT FROM ({of_new})
    AND ARRAY(SELECT {of_module} FROM {old}{module} WHERE file_id = old.id ORDER BY 1)
        = ARRAY(SELECT {of_module} FROM {new}{module} WHERE file_id = new.id ORDER BY 1)"""


def _find(statement: str, old: str, new: str, **parts: Part) -> str:
    """Return the statement about files `old` of a schema that are `{equal}` to `new` of another."""
    return sql(
        statement,
        old=old,
        new=new,
        equal=_EQUAL,
        file=File,
        module=Module,
        of_old=", ".join(f"old.{name}" for name in _SAME),
        of_new=", ".join(f"new.{name}" for name in _SAME),
        of_module="(package_id, ecosystem, name, public, scope)::text",
        **parts,
    )


def _copied(model: type[Model], source: str, into: str, rest: str, **changed: str) -> str:
    """Return the statement that copies rows from a model's table in a schema to that in another.

    `changed` are the values of columns that are not copied as they are: "" leaves one out. `rest`
    follows the first table, which is `old`.
    """
    fields = [field for field in model._meta.concrete_fields if changed.get(field.attname) != ""]
    return sql(
        "INSERT INTO {into}{table} ({names}) SELECT {values} FROM {source}{table} old {rest}",
        table=model,
        into=into,
        source=source,
        names=", ".join(f'"{field.column}"' for field in fields),
        values=", ".join(changed.get(field.attname, f'old."{field.column}"') for field in fields),
        rest=rest,
    )


_sql = sql_with(file=File, chunk=Chunk, others=IN_OTHERS)
_SCHEMAS: Final = ("", IN_OTHERS)
_OF_FILES: Final = "WHERE old.file_id = ANY(%s::bigint[])"
_KEEP_FILES: Final = _copied(
    File,
    "",
    IN_OTHERS,
    "WHERE old.id = ANY(%s::bigint[]) AND old.branches & %s::int <> 0 RETURNING id",
    branches="old.branches & %s::int",
)
_KEEP: Final = [_copied(model, "", IN_OTHERS, _OF_FILES) for model in OF_FILES]
_TAKE_FILES: Final = _copied(
    File, IN_OTHERS, "", "WHERE old.id = ANY(%s::bigint[])", branches="old.branches | ~%s::int"
)
_TAKE: Final = [_copied(model, IN_OTHERS, "", _OF_FILES) for model in OF_FILES]
_WITH_KEYS: Final = "JOIN unnest(%s::bigint[], %s::bigint[]) AS copied (old, new)"
_COPY_FILES: Final = [
    _copied(
        File,
        schema,
        IN_OTHERS,
        f"{_WITH_KEYS} ON old.id = copied.old",
        id="copied.new",
        branches="%s::int",
    )
    for schema in _SCHEMAS
]
_COPY: Final = [
    _copied(
        model,
        schema,
        IN_OTHERS,
        f"{_WITH_KEYS} ON old.file_id = copied.old",
        id="",
        file_id="copied.new",
        point="gen_random_uuid()",
    )
    for model in OF_FILES
    for schema in _SCHEMAS
]
_POINTS: Final = _sql("SELECT point FROM {others}{chunk} WHERE file_id = ANY(%s::bigint[])")
_CHANGE_BITS: Final = sql_of_both(
    "UPDATE {schema}{file} SET branches = branches & ~%s::int | %s::int"
    " WHERE id = ANY(%s::bigint[])",
    file=File,
)
_HIDDEN: Final = _sql(
    "SELECT id, path FROM {file}"
    " WHERE repository_id = %s AND branches <> -1 AND branches & %s::int = 0"
)
_SHOWN: Final = _sql(
    "SELECT id FROM {others}{file} WHERE repository_id = %s AND branches & %s::int <> 0"
)
_UNUSED: Final = _sql("SELECT id FROM {others}{file} WHERE id = ANY(%s::bigint[]) AND branches = 0")
_DELETE: Final = [
    *(
        sql(
            "DELETE FROM {others}{table} WHERE file_id = ANY(%s::bigint[])",
            table=model,
            others=IN_OTHERS,
        )
        for model in OF_FILES
    ),
    _sql("DELETE FROM {others}{file} WHERE id = ANY(%s::bigint[])"),
]
# Files are shared by branches of one embedder: what has points of another has none to this one.
_FIND_IN_DEFAULT: Final = _find(
    """SELECT new.id, old.id FROM {old}{file} old JOIN {new}{file} new ON {equal}
    JOIN {repository} r ON r.id = new.repository_id
    JOIN {branch} b ON b.repository_id = r.id AND 1 << b.number = %s::int
    WHERE new.id = ANY(%s::bigint[]) AND b.embedder = r.embedder""",
    "",
    IN_OTHERS,
    repository=Repository,
    branch=Branch,
)
_FIND_IN_OTHERS: Final = _find(
    """SELECT new.id, min(old.id) FROM {old}{file} old JOIN {new}{file} new ON {equal}
    JOIN {branch} b ON b.repository_id = new.repository_id AND 1 << b.number = %s::int
    WHERE new.id = ANY(%s::bigint[]) AND old.branches <> 0 AND NOT EXISTS (
        SELECT FROM {branch} o WHERE o.repository_id = b.repository_id
            AND old.branches & (1 << o.number) <> 0 AND o.embedder <> b.embedder)
    GROUP BY new.id""",
    IN_OTHERS,
    IN_OTHERS,
    branch=Branch,
)
_FIND_FOR_DEFAULT: Final = _find(
    """SELECT old.id, new.id, old.branches FROM {old}{file} old JOIN {new}{file} new ON {equal}
    WHERE new.id = ANY(%s::bigint[]) AND old.branches <> 0""",
    IN_OTHERS,
    "",
)


def hidden_files(repository_id: int, bit: int) -> dict[int, str]:
    """Return the files of the default branch that another lacks, with their paths."""
    return dict(fetch_rows(_HIDDEN, [repository_id, bit]))


def shown_files(repository_id: int, bit: int) -> list[int]:
    """Return the files of a branch that the default one lacks."""
    return [key for (key,) in fetch_rows(_SHOWN, [repository_id, bit])]


def keep_for_others(files: Iterable[int], bits: int) -> list[UUID]:
    """Copy files that the default branch is to lose, for the other branches that have them.

    Returns the points of their chunks.
    """
    rows = fetch_rows(_KEEP_FILES, [bits, id_array(files), bits])
    kept = [key for (key,) in rows]
    if not kept:
        return []
    for statement in _KEEP:
        execute(statement, [id_array(kept)])
    return points_of(kept)


def take_from_others(files: Sequence[int], bits: int) -> None:
    """Move files of other branches to the default one; `bits` are those of all branches."""
    execute(_TAKE_FILES, [bits, id_array(files)])
    for statement in _TAKE:
        execute(statement, [id_array(files)])
    _delete(files)


def change_bits(files: Iterable[int], *, clear: int = 0, add: int = 0) -> None:
    """Change the branches that have these files, wherever they lie."""
    keys = id_array(files)
    for statement in _CHANGE_BITS:
        execute(statement, [clear, add, keys])


def join_equal(new: Sequence[int], bit: int) -> set[int]:
    """Share new files of a branch with those that are equal; returns those that no branch has now.

    What was there stays, of the default branch or else of others: no run writes what another
    branch shows.
    """
    unused: set[int] = set()
    for statement in (_FIND_IN_DEFAULT, _FIND_IN_OTHERS):
        left = [key for key in new if key not in unused]
        pairs = fetch_rows(statement, [bit, id_array(left)])
        equal = {added for added, _ in pairs}
        change_bits((old for _, old in pairs), add=bit)
        change_bits(equal, clear=-1)
        unused |= equal
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
    for statement in _DELETE:
        execute(statement, [id_array(files)])


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
