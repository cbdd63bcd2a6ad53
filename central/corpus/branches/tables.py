"""The tables of what only other branches have, and the views that show a branch.

Both are made after each `migrate` from the tables as they are then, so that no migration has to
name a column twice. The views are dropped before it, because they would hold columns.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.db.models import Model

from central.corpus.models import (
    Chunk,
    Dependency,
    Export,
    File,
    Import,
    Manifest,
    Module,
    Package,
    Reference,
    ScipDefinition,
    ScipRelationship,
    Symbol,
    TrigramPosting,
    TrigramSegment,
)
from central.corpus.models.content import EVERY_BRANCH
from central.db import Part, sql, table_name
from central.repositories.models import Branch, IndexState, Repository

OTHERS: Final = "other_branches"  # the schema of the tables
VIEWS: Final = "on_branch"
IN_OTHERS: Final = f"{OTHERS}."  # before the name of a table
IN_VIEWS: Final = f"{VIEWS}."
# Transaction settings that choose what the views show: arrays of one length, of repositories, of
# bits of their branches, and of keys of `Branch`, 0 for the default one.
REPOSITORIES: Final = "aeterna.repositories"
BITS: Final = "aeterna.branch_bits"
BRANCHES: Final = "aeterna.branches"

OF_FILES: Final = (Chunk, Symbol, Import, Export, Reference, Manifest, Module)
# A package has one key on all branches, so that a file is not another one where only its package's
# version is: other branches have rows of their own for it.
OF_BRANCHES: Final = (Package, Dependency)
_SEGMENTS: Final = (TrigramSegment, TrigramPosting)
MIRRORED: Final[Sequence[type[Model]]] = (File, *OF_FILES, *OF_BRANCHES, *_SEGMENTS)
_OF_DEFAULT_ALONE: Final = (ScipDefinition, ScipRelationship)
BRANCH_COLUMN: Final = "branch_id"

_CHOSEN: Final = f"{VIEWS}.chosen"
_COLUMNS: Final = """SELECT attname, format_type(atttypid, atttypmod), attnotnull
    FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped
    ORDER BY attnum"""
_DEFAULT: Final = "SELECT pg_get_serial_sequence(%s, 'id')"
_INDEXES: Final = """SELECT indexname, indexdef FROM pg_indexes
    WHERE schemaname = %s AND tablename = %s"""


def sql_of_both(statement: str, **parts: Part) -> tuple[str, str]:
    """Make a statement for the default branch's tables, and for those of the others.

    `{schema}` is before their names.
    """
    return (
        sql(statement, schema="", **parts),
        sql(statement, schema=IN_OTHERS, **parts),
    )


def are_tables_made() -> bool:
    """Whether the views are there."""
    return bool(_column_names(_CHOSEN))


def make_tables() -> None:
    """Make what is missing, in one transaction; what is as it should be stays.

    After a migration to before there were branches, nothing is made. Raises ImproperlyConfigured if
    the database's user may not create schemas.
    """
    if "branches" not in _column_names(f"{_home()}.{table_name(File)}"):
        return
    with transaction.atomic():
        _make_schema(OTHERS)
        for model in MIRRORED:
            _make_table(model)
        _execute(f"DROP SCHEMA IF EXISTS {VIEWS} CASCADE")
        _make_schema(VIEWS)
        for statement in _views():
            _execute(statement)


def _make_schema(name: str) -> None:
    if _rows("SELECT to_regnamespace(%s) IS NOT NULL", name) == [(True,)]:
        return
    if _rows("SELECT has_database_privilege(current_database(), 'CREATE')") == [(False,)]:
        raise ImproperlyConfigured(
            "The database's user may not create schemas, which branches need. Run `GRANT CREATE ON "
            "DATABASE … TO …` as the owner of the database, then `manage.py migrate` again."
        )
    _execute(f"CREATE SCHEMA {name}")


def table_names() -> list[str]:
    """Return the tables of what only other branches have, with their schema; none if not made."""
    names = [f"{OTHERS}.{table_name(model)}" for model in MIRRORED]
    return [name for name in names if _rows(_COLUMNS, name)]


def drop_tables() -> None:
    """Drop the tables of other branches, and the views."""
    drop_views()
    _execute(f"DROP SCHEMA IF EXISTS {OTHERS} CASCADE")


def drop_views() -> None:
    """Drop the views: until `make_tables`, requests about a branch are refused."""
    _execute(f"DROP SCHEMA IF EXISTS {VIEWS} CASCADE")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _rows(statement: str, *parameters: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def _home() -> str:
    """The schema of the service's own tables."""
    return str(_rows("SELECT quote_ident(current_schema())")[0][0])


def _make_table(model: type[Model]) -> None:
    name = table_name(model)
    home, other = f"{_home()}.{name}", f"{OTHERS}.{name}"
    if not _rows(_COLUMNS, other):
        own = f", {BRANCH_COLUMN} bigint NOT NULL" if model in OF_BRANCHES else ""
        storage = "INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION"
        _execute(f"CREATE TABLE {other} (LIKE {home} {storage}{own})")
    _match_columns(model, home, other)
    [(sequence,)] = _rows(_DEFAULT, home) if "id" in _column_names(home) else [("",)]
    if sequence:
        _execute(f"ALTER TABLE {other} ALTER COLUMN id SET DEFAULT nextval('{sequence}')")
    _match_indexes(name, home, other)


def _match_columns(model: type[Model], home: str, other: str) -> None:
    wanted = {column: (kind, required) for column, kind, required in _rows(_COLUMNS, home)}
    present = {column: (kind, required) for column, kind, required in _rows(_COLUMNS, other)}
    kept = {BRANCH_COLUMN} if model in OF_BRANCHES else set()
    for column in present.keys() - wanted.keys() - kept:
        _execute(f'ALTER TABLE {other} DROP COLUMN "{column}"')
    for column, (kind, required) in wanted.items():
        if column not in present:
            _execute(f'ALTER TABLE {other} ADD COLUMN "{column}" {kind}')
            _execute(_same_default(home, other, column))
        elif present[column][0] != kind:
            _execute(f'ALTER TABLE {other} ALTER COLUMN "{column}" TYPE {kind}')
        if column not in present or present[column][1] != required:
            change = "SET" if required else "DROP"
            _execute(f'ALTER TABLE {other} ALTER COLUMN "{column}" {change} NOT NULL')


def _same_default(home: str, other: str, column: str) -> str:
    """Return the statement that gives the column its default, to the rows that exist, too."""
    [(default,)] = _rows(
        """SELECT coalesce((SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef
        JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
        WHERE adrelid = to_regclass(%s) AND attname = %s), 'NULL')""",
        home,
        column,
    )
    return (
        f'ALTER TABLE {other} ALTER COLUMN "{column}" SET DEFAULT {default};'
        f'UPDATE {other} SET "{column}" = DEFAULT'
    )


def _match_indexes(name: str, home: str, other: str) -> None:
    """Give it the same indexes, none of which is unique: paths repeat, and so do packages."""
    wanted: dict[str, str] = dict(_rows(_INDEXES, home.rpartition(".")[0].strip('"'), name))
    present = {index for index, _ in _rows(_INDEXES, OTHERS, name)}
    for index in present - wanted.keys():
        _execute(f'DROP INDEX {OTHERS}."{index}"')
    for index in wanted.keys() - present:
        statement = wanted[index].replace("CREATE UNIQUE INDEX", "CREATE INDEX", 1)
        _execute(statement.replace(f" ON {home} ", f" ON {other} ", 1))


def _column_names(table: str) -> list[str]:
    return [column for column, _, _ in _rows(_COLUMNS, table)]


def _views() -> Iterator[str]:
    """Yield the statements that make the views."""
    home, file = _home(), table_name(File)
    yield f"""CREATE VIEW {_CHOSEN} AS
        SELECT repository_id, bits, branch_id FROM unnest(
            current_setting('{REPOSITORIES}')::bigint[], current_setting('{BITS}')::int[],
            current_setting('{BRANCHES}')::bigint[]) AS chosen (repository_id, bits, branch_id)"""
    # The files that are not shown as without a branch: here those that are hidden, there shown.
    yield f"""CREATE VIEW {VIEWS}.other_files AS
        SELECT f.id FROM {_CHOSEN} c JOIN {home}.{file} f USING (repository_id)
            WHERE f.branches <> {EVERY_BRANCH} AND f.branches & c.bits = 0
        UNION ALL
        SELECT f.id FROM {_CHOSEN} c JOIN {OTHERS}.{file} f USING (repository_id)
            WHERE f.branches & c.bits <> 0"""
    for name in map(table_name, (File, Manifest)):  # of all branches
        columns = ", ".join(f'"{column}"' for column in _column_names(f"{home}.{name}"))
        yield f"""CREATE VIEW {VIEWS}.any_{name} AS SELECT {columns} FROM {home}.{name}
            UNION ALL SELECT {columns} FROM {OTHERS}.{name}"""
    model: type[Model]
    for model in (File, *OF_FILES):
        key = "id" if model is File else "file_id"
        yield _joined(model, f"({key} IN (SELECT id FROM {VIEWS}.other_files)) = is_other")
    for name in map(table_name, _OF_DEFAULT_ALONE):
        yield f"""CREATE VIEW {VIEWS}.{name} AS SELECT * FROM {home}.{name}
            WHERE file_id NOT IN (SELECT id FROM {VIEWS}.other_files)"""
    # A row of the branch's negative key says that it lacks the package.
    replaced = f"""SELECT p.id FROM {_CHOSEN} c JOIN {OTHERS}.{table_name(Package)} p
        ON p.{BRANCH_COLUMN} IN (c.branch_id, -c.branch_id)"""
    for model in OF_BRANCHES:
        key = "id" if model is Package else "package_id"
        yield _joined(
            model,
            f"CASE WHEN is_other THEN {BRANCH_COLUMN} IN (SELECT branch_id FROM {_CHOSEN})"
            f" ELSE {key} NOT IN ({replaced}) END",
        )
    for model in _SEGMENTS:
        yield _joined(model, "true")
    yield _repositories(home)


def _joined(model: type[Model], condition: str) -> str:
    """Return the view of both tables of a model, with the columns of the first.

    Each half is without a condition, so that PostgreSQL looks into both by their indexes.
    """
    name, home = table_name(model), _home()
    columns = ", ".join(f'"{column}"' for column in _column_names(f"{home}.{name}"))
    own = f", {BRANCH_COLUMN}" if model in OF_BRANCHES else ""
    of_default = f", 0::bigint AS {BRANCH_COLUMN}" if own else ""
    return f"""CREATE VIEW {VIEWS}.{name} AS SELECT {columns} FROM (
        SELECT {columns}, false AS is_other{of_default} FROM {home}.{name}
        UNION ALL SELECT {columns}, true{own} FROM {OTHERS}.{name}) AS both_tables
        WHERE {condition}"""


def _repositories(home: str) -> str:
    """Return the view of repositories, each with the state of its branch's index."""
    of_branch = {field.name for field in IndexState._meta.get_fields()} - {"generation"}
    # Different from that of each other branch, and after each apply of the default one.
    generation = "(b.id << 32) + b.generation + r.generation"
    # Of several at once: a number that is as good as different from all others.
    of_several = f"""(1::bigint << 61) + (x'0FFFFFFFFFFFFFFF'::bigint & hashtextextended((
        SELECT string_agg(concat_ws(' ', o.id, o.generation), ',' ORDER BY o.id)
        FROM {home}.{table_name(Branch)} o WHERE o.repository_id = r.id
            AND c.bits & (1 << o.number) <> 0), r.generation * 65536 + c.bits))"""
    several = {
        "generation": of_several,
        "text_generation": f"{of_several} - (r.text_generation <> r.generation)::int",
    }
    changed = {
        "generation": generation,
        "text_generation": f"{generation} - (r.text_generation <> r.generation)::int",
        "tracked_ref": "b.ref",
        **{column: f'b."{column}"' for column in of_branch},
    }
    columns = ", ".join(
        f"CASE WHEN b.id IS NOT NULL THEN {changed[column]}"
        f" WHEN c.branch_id = 0 THEN {several[column]}"
        f' ELSE r."{column}" END AS "{column}"'
        if column in several
        else f'CASE WHEN b.id IS NULL THEN r."{column}" ELSE {changed[column]} END AS "{column}"'
        if column in changed
        else f'r."{column}"'
        for column in _column_names(f"{home}.{table_name(Repository)}")
    )
    return f"""CREATE VIEW {VIEWS}.{table_name(Repository)} AS SELECT {columns}
        FROM {home}.{table_name(Repository)} r
        LEFT JOIN {_CHOSEN} c ON c.repository_id = r.id
        LEFT JOIN {home}.{table_name(Branch)} b ON b.id = c.branch_id"""
