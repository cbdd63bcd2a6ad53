"""The DuckDB file: nodes and edges of an organisation, brought up to date by what has changed."""

import os
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pytest_django import Settings

from central.knowledge.services.catch_up import KnowledgeGraph
from central.knowledge.services.snapshot import KEPT_HOURS, keep_snapshots, take_snapshot
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import ADR, created, linked
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db(transaction=True)

LOGIN = {"src/auth/login.rs": "fn sign_in() {\n    start();\n}\n"}


@pytest.fixture
def api(settings: Settings, tmp_path: Path) -> Api:
    settings.DATA_DIR = tmp_path
    return api_of()


def rows(api: Api, sql: str) -> list[Any]:
    with duckdb.connect(str(take_snapshot(api.organization)), read_only=True) as database:
        return database.execute(sql).fetchall()


def test_knowledge_node_creation(api: Api) -> None:
    created(api, **ADR | {"body": 'Commas, "quotes",\nlines and \\N.'})
    assert rows(api, "SELECT id, kind, title, content FROM nodes") == [
        ("ADR-042", "knowledge", "Use PostgreSQL", 'Commas, "quotes",\nlines and \\N.')
    ]


def test_memory_node_creation(api: Api) -> None:
    created(api, kind="memory", id="mem-1", title="Auth retry needs exponential backoff")
    KnowledgeGraph().follow()
    ((name, length),) = rows(api, "SELECT id, len(embedding) FROM nodes WHERE kind = 'memory'")
    assert (name, length) == ("mem-1", 256)


def test_code_node_creation(api: Api) -> None:
    index_files(api, LOGIN)
    assert rows(api, "SELECT id, kind FROM nodes ORDER BY id") == [
        ("code:shop/src/auth/login.rs", "code_file"),
        ("code:shop/src/auth/login.rs#sign_in", "code_symbol"),
    ]
    assert rows(api, "SELECT source, target FROM edges WHERE type = 'contains'") == [
        ("code:shop/src/auth/login.rs", "code:shop/src/auth/login.rs#sign_in")
    ]


def test_a_change_is_brought_in_and_the_rest_stays(api: Api) -> None:
    index_files(api, LOGIN | {"a.rs": "fn a() {}\n"})
    index_files(api, {"b.py": "def b():\n    pass\n"}, project="billing")
    take_snapshot(api.organization)
    created(api, **ADR)
    linked(api, "code:billing/b.py#b", "implements", "ADR-042")
    index_files(api, {"a.rs": "fn renamed() {}\n"})
    assert rows(api, "SELECT id FROM nodes ORDER BY id") == [
        ("ADR-042",),
        ("code:billing/b.py",),
        ("code:billing/b.py#b",),
        ("code:shop/a.rs",),
        ("code:shop/a.rs#renamed",),
    ]
    assert rows(api, "SELECT source, type, target FROM edges WHERE origin = 'explicit'") == [
        ("code:billing/b.py#b", "implements", "ADR-042")
    ]
    assert len(rows(api, "SELECT * FROM edges WHERE type = 'contains'")) == 2


def test_what_has_not_changed_is_not_built_again(api: Api) -> None:
    index_files(api, LOGIN)
    before = take_snapshot(api.organization).stat().st_ino
    assert take_snapshot(api.organization).stat().st_ino == before
    created(api, **ADR)
    assert take_snapshot(api.organization).stat().st_ino != before


def test_a_file_that_was_asked_for_is_kept_up_to_date(api: Api) -> None:
    index_files(api, LOGIN)
    path = take_snapshot(api.organization)
    created(api, **ADR)
    keep_snapshots()
    with duckdb.connect(str(path), read_only=True) as database:
        assert ("ADR-042",) in database.execute("SELECT id FROM nodes").fetchall()


def test_a_file_that_nobody_asks_for_is_deleted_after_a_day(api: Api) -> None:
    path = take_snapshot(api.organization)
    yesterday = time.time() - (KEPT_HOURS * 3600 + 1)
    os.utime(path.with_suffix(".asked"), (yesterday, yesterday))
    keep_snapshots()
    assert not list(path.parent.glob("*.duckdb"))
    assert take_snapshot(api.organization).exists()


def test_the_file_of_an_organisation_that_is_gone_is_deleted(api: Api) -> None:
    path = take_snapshot(api.organization)
    path.rename(path.with_stem("gone"))
    path.with_suffix(".asked").rename(path.with_name("gone.asked"))
    keep_snapshots()
    assert not path.with_stem("gone").exists()


def test_a_damaged_file_is_built_anew(api: Api) -> None:
    created(api, **ADR)
    take_snapshot(api.organization).write_bytes(b"not a database")
    assert rows(api, "SELECT id FROM nodes") == [("ADR-042",)]
