"""The tables of what only other branches have, and the views, follow the service's own tables."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from central.corpus.branches.scope import ChosenBranch, on_branches
from central.corpus.branches.tables import (
    BRANCH_COLUMN,
    MIRRORED,
    OF_BRANCHES,
    OTHERS,
    VIEWS,
    _make_schema,
    drop_views,
    make_tables,
)
from central.corpus.models import File, Symbol
from central.db import execute, fetch_rows
from central.errors import UnavailableError

pytestmark = pytest.mark.django_db


def columns(table: str) -> set[tuple[str, str]]:
    return {
        (name, kind)
        for name, kind in fetch_rows(
            "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute"
            " WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped",
            [table],
        )
    }


def indexes(schema: str, table: str) -> set[str]:
    asked = "SELECT indexname::text FROM pg_indexes WHERE schemaname = %s AND tablename = %s"
    return {name for (name,) in fetch_rows(asked, [schema, table])}


@pytest.mark.parametrize("model", MIRRORED)
def test_columns_and_indexes_are_the_same(model: type[File]) -> None:
    name = model._meta.db_table
    own = {(BRANCH_COLUMN, "bigint")} if model in OF_BRANCHES else set()
    assert columns(f"{OTHERS}.{name}") == columns(f"public.{name}") | own
    assert columns(f"{VIEWS}.{name}") == columns(f"public.{name}")
    assert indexes(OTHERS, name) == indexes("public", name)


def test_they_follow_a_migration() -> None:
    name = Symbol._meta.db_table
    drop_views()
    execute(f"ALTER TABLE {name} ADD COLUMN rank int NOT NULL DEFAULT 7")
    execute(f"CREATE INDEX symbol_rank ON {name} (rank)")
    execute(f"ALTER TABLE {name} DROP COLUMN signature CASCADE")
    make_tables()
    test_columns_and_indexes_are_the_same(Symbol)  # type: ignore[arg-type]
    assert "symbol_rank" in indexes(OTHERS, name)


def test_what_is_as_it_should_be_stays() -> None:
    asked = "SELECT oid::bigint FROM pg_class WHERE relnamespace = %s::regnamespace ORDER BY 1"
    before = fetch_rows(asked, [OTHERS])
    make_tables()
    assert fetch_rows(asked, [OTHERS]) == before


def test_a_user_who_may_not_create_schemas_learns_what_to_grant() -> None:
    drop_views()
    execute("CREATE ROLE without_schemas")
    execute("SET LOCAL ROLE without_schemas")
    with pytest.raises(ImproperlyConfigured, match="GRANT CREATE"):
        _make_schema(VIEWS)
    execute("RESET ROLE")


def test_while_the_views_are_being_made_no_request_reads_the_default_branch_instead() -> None:
    drop_views()
    with pytest.raises(UnavailableError) as refused, on_branches([ChosenBranch(1, 2, 1)]):
        pass
    assert refused.value.code == "branches_unavailable"


def test_after_a_request_the_next_one_reads_default_branches() -> None:
    def path() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW search_path")
            return str((cursor.fetchone() or [""])[0])

    before = path()
    with on_branches([ChosenBranch(1, 2, 1)]):
        assert path().startswith(VIEWS)
    assert path() == before
    with pytest.raises(KeyError), on_branches([ChosenBranch(1, 2, 1)]):
        raise KeyError
    assert path() == before
