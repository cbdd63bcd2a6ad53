"""A symbol search's cost by any plan: PostgreSQL's guess at what is rare may be wrong."""

import pytest
from django.db import connection

from central.corpus.models import File
from central.db import fetch_rows, fetch_rows_planned_each_time
from central.repositories.models import Repository
from central.search.filters import RowFilter
from central.search.rows import admitted_paths, candidates_defining_like
from tests.central.factories import OrganizationFactory, RepositoryFactory
from tests.central.plans import MODES, rows_handled, statements_sent

FILES, DEFINITIONS, TINY = 150, 80, 30
_DEFINE = """INSERT INTO corpus_symbol (repository_id, file_id, name, qualified_name, kind,
        start_line, end_line, signature, exported, parts)
    SELECT repository_id, id, 'get_value_' || n, 'get_value_' || n, 'function', n, n, '', true,
        ARRAY['get_value_' || n, 'get', 'value', n::text]
    FROM corpus_file, generate_series(1, %s::int) AS n WHERE repository_id = ANY(%s)"""

_CREATE = """INSERT INTO corpus_file (repository_id, path, mode, blob, size, extractor, language,
        skipped, degraded, content, namespace)
    SELECT %s, 'src/part_' || n || '/values.py', '100644', '', 1, '', 'python', '', '', '', ''
    FROM generate_series(1, 5000) AS n"""


@pytest.fixture
def skewed(db: None) -> list[int]:
    """One repository with nearly everything, each name in each file; many with one file."""
    organization = OrganizationFactory.create()
    names = ["large", *(f"tiny-{n}" for n in range(TINY))]
    repositories = Repository.objects.bulk_create(
        Repository(organization=organization, name=name, tracked_ref="refs/heads/main")
        for name in names
    )
    File.objects.bulk_create(
        File(repository=repository, path=f"src/part_{n}/values.py", size=1, language="python")
        for repository in repositories
        for n in range(FILES if repository.name == "large" else 1)
    )
    ids = [repository.pk for repository in repositories]
    # Of a table that fits into a few pages, reading all of them is the right plan.
    elsewhere = RepositoryFactory.create(organization=organization, name="elsewhere")
    with connection.cursor() as cursor:
        cursor.execute(_CREATE, [elsewhere.pk])
        cursor.execute(_DEFINE, [DEFINITIONS, ids])
    return ids


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("has_statistics", [False, True])
@pytest.mark.parametrize("rows", [RowFilter(), RowFilter("src/part_7", ("test",), "python")])
def test_a_frequent_name_reads_each_definition_once_by_any_plan(
    skewed: list[int], mode: str, has_statistics: bool, rows: RowFilter
) -> None:
    if has_statistics:
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE corpus_symbol, corpus_file")
    with statements_sent() as sent:
        candidates_defining_like("get", ["get"], projects=dict.fromkeys(skewed, ""), rows=rows)
    definitions = (FILES + TINY) * DEFINITIONS
    assert max(rows_handled(one, mode) for one in sent) < 20 * definitions


@pytest.mark.parametrize("prefix", ["helpers.py", "src/part_7/", "src/part\\"])
def test_the_files_that_begin_with_a_path_are_read_by_an_index(db: None, prefix: str) -> None:
    repository = RepositoryFactory.create()
    with connection.cursor() as cursor:
        cursor.execute(_CREATE, [repository.pk])
        cursor.execute("ANALYZE corpus_file")
    with statements_sent() as sent:
        found = admitted_paths(RowFilter(prefix, ("test",)), repositories=[repository.pk])
    assert found == ({"src/part_7/values.py"} if prefix.endswith("/") else set())
    assert rows_handled(sent[0], "force_custom_plan") < 10


def prepared(text: str) -> list[int]:
    """How often each prepared statement with this text in it was run by a generic plan."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT generic_plans FROM pg_prepared_statements"
            " WHERE strpos(statement, %s) > 0 AND statement NOT LIKE '%%strpos%%'",
            [text],
        )
        return [row[0] for row in cursor.fetchall()]


def test_symbol_search_never_gets_a_plan_for_all_names(skewed: list[int]) -> None:
    projects = dict.fromkeys(skewed, "")
    for _ in range(8):  # PostgreSQL thinks of a generic plan from the sixth on
        candidates_defining_like("get", ["get"], projects=projects, rows=RowFilter())
    assert prepared("array_to_tsvector") == []


def test_other_statements_are_prepared_and_one_planned_each_time_is_not(db: None) -> None:
    for _ in range(8):
        assert fetch_rows("SELECT %s::int + 4711", [1]) == [(4712,)]
        assert fetch_rows_planned_each_time("SELECT %s::int + 4712", [1]) == [(4713,)]
    assert prepared("+ 4711")
    assert prepared("+ 4712") == []
