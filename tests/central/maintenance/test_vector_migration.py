"""Filling another store: as it is in PostgreSQL, whatever interrupts it, beside the service."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import grpc
import numpy as np
import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from central import commands
from central.corpus.backends import collection_of, vector_store
from central.corpus.embeddings import unpack_terms
from central.corpus.models import Chunk, Embedding
from central.maintenance import point_sync
from central.repositories.models import Repository
from central.repositories.services import retire_repository
from indexer.records.vectors import TermVector
from indexer.store import open_store
from indexer.store.base import Collection, HybridQuery, Point, VectorStore
from indexer.store.edge.store import EdgeStore
from tests.central.protocol import Api, apply_queued, unit_vector
from tests.indexer.store.qdrant.server import StandIn, running_stand_in

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\ndef aa\n", "b.py": "def b\n"}
MANAGE = Path(__file__).parents[3] / "manage.py"
KEY = "stand-in-key"


@pytest.fixture(scope="module")
def qdrant() -> Iterator[StandIn]:
    with running_stand_in(api_key=KEY) as server:
        yield server


@dataclass(frozen=True)
class Target:
    """Where it goes: `url` as --to takes it."""

    url: str
    store: VectorStore


@pytest.fixture(params=["pgvector", "qdrant"])
def target(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Target]:
    settings.QDRANT_API_KEY = KEY
    url = settings.DATABASE_URL
    if request.param == "qdrant":
        url = request.getfixturevalue("qdrant").url
    store = open_store(url, api_key=KEY)
    yield Target(url, store)
    for repository in Repository.objects.select_related("organization"):
        store.drop(collection_of(repository))
    store.close()


def repository_of(name: str = "shop") -> Repository:
    return Repository.objects.select_related("organization").get(name=name)


def place(name: str = "shop") -> Collection:
    return collection_of(repository_of(name))


def points(store: VectorStore, name: str = "shop") -> set[UUID]:
    return {point for point, _ in store.points(place(name))}


def named(name: str = "shop") -> set[UUID]:
    chunks = Chunk.objects.filter(repository__name=name)
    return set(chunks.values_list("point", flat=True))


def migrate(url: str) -> None:
    call_command("migrate_vectors", "--to", url)


def stray_point() -> Point:
    terms = TermVector(np.array([5], dtype=np.uint32), np.ones(1, dtype=np.float32))
    return Point(uuid4(), uuid4(), "x.py", "python", "function", unit_vector("x"), terms)


def rows(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """The table, without its heading."""
    return [line.split() for line in capsys.readouterr().out.splitlines()[1:]]


# --- What is there afterwards ---------------------------------------------------------------------


def test_the_other_store_answers_as_the_old_one_does(
    api: Api, target: Target, capsys: pytest.CaptureFixture[str]
) -> None:
    api.index(FILES)
    migrate(target.url)
    assert rows(capsys) == [["acme", "shop", "3", "3", "0", "0"]]
    assert points(target.store) == named() != set()
    chunk = Chunk.objects.order_by("pk")[0]
    terms = unpack_terms(bytes(chunk.terms))
    query = HybridQuery(vector=unit_vector("def b"), terms=terms, limit=10)
    (new,), (old,) = (store.search([place()], [query]) for store in (target.store, vector_store()))
    for here, there in ((new.dense, old.dense), (new.lexical, old.lexical)):
        assert [hit.id for hit in here] == [hit.id for hit in there] != []
        assert [hit.score for hit in here] == pytest.approx([h.score for h in there], abs=1e-2)


def test_what_is_there_is_not_written_again_and_what_is_in_excess_goes(
    api: Api, target: Target, capsys: pytest.CaptureFixture[str]
) -> None:
    api.index(FILES)
    migrate(target.url)
    target.store.upsert(place(), [stray_point()])
    api.queue_incremental(FILES, {"a.py": FILES["a.py"], "c.py": "def c\n"})
    assert apply_queued() == ["applied"]
    capsys.readouterr()
    migrate(target.url)
    assert rows(capsys) == [["acme", "shop", "3", "1", "0", "2"]]
    assert points(target.store) == named()


def test_what_a_retired_repository_had_goes(api: Api, target: Target) -> None:
    api.index(FILES)
    migrate(target.url)
    collection = place()
    retire_repository(repository_of())
    migrate(target.url)
    assert list(target.store.points(collection)) == []


def test_without_a_target_the_configured_store_is_filled(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    api.index(FILES)
    vector_store().drop(place())
    call_command("migrate_vectors")
    assert rows(capsys) == [["acme", "shop", "3", "3", "0", "0"]]
    assert points(vector_store()) == named() != set()


# --- What PostgreSQL lacks ------------------------------------------------------------------------


def test_vectors_that_postgresql_lacks_are_taken_from_the_old_store(
    api: Api, target: Target
) -> None:
    api.index(FILES)
    Embedding.objects.all().delete()
    migrate(target.url)
    assert points(target.store) == named() != set()
    old = vector_store().vectors(place(), sorted(named()))
    for point, vector in target.store.vectors(place(), sorted(named())).items():
        assert vector == pytest.approx(old[point], abs=1e-2)


def test_repositories_whose_vectors_are_nowhere_are_named(
    api: Api, qdrant: StandIn, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.QDRANT_API_KEY = KEY
    api.index(FILES)
    api.index({"whole.py": "def w\n"}, project="whole")
    chunk = Chunk.objects.filter(repository__name="shop").order_by("pk")[0]
    Embedding.objects.filter(digest=bytes(chunk.digest)).delete()
    vector_store().delete(place(), [chunk.point])
    with pytest.raises(CommandError, match=r"missing of acme/shop: .*--mode force"):
        migrate(qdrant.url)
    assert rows(capsys) == [
        ["acme", "shop", "3", "2", "1", "0"],
        ["acme", "whole", "1", "1", "0", "0"],
    ]


# --- Beside the service ---------------------------------------------------------------------------


def test_a_repository_that_is_indexed_meanwhile_is_gone_through_again(
    api: Api, target: Target, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    api.index(FILES)
    original = point_sync.stale_points
    after = {"a.py": "def other\n"}
    is_done: list[bool] = []

    def overtaken(*args: Any) -> list[UUID]:
        found = original(*args)
        if not is_done:
            is_done.append(True)
            api.queue_full(after)
            assert apply_queued() == ["applied"]
        return found

    monkeypatch.setattr(point_sync, "stale_points", overtaken)
    migrate(target.url)
    assert points(target.store) == named() != set()
    assert "indexed meanwhile" not in capsys.readouterr().out


def test_one_that_is_indexed_all_the_time_is_named(
    api: Api,
    qdrant: StandIn,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    settings: Settings,
) -> None:
    settings.QDRANT_API_KEY = KEY
    api.index(FILES)
    original = point_sync.stale_points

    def overtaken(*args: Any) -> list[UUID]:
        repository = repository_of()
        Repository.objects.update(generation=repository.generation + 1)
        return original(*args)

    monkeypatch.setattr(point_sync, "stale_points", overtaken)
    migrate(qdrant.url)
    assert "indexed meanwhile, run this again: acme/shop" in capsys.readouterr().out


def test_points_of_a_run_that_is_under_way_stay_in_the_configured_store(api: Api) -> None:
    api.index(FILES)
    run = UUID(api.open().json()["run_id"])
    point = replace(stray_point(), run=run)
    vector_store().upsert(place(), [point])
    call_command("migrate_vectors")
    assert point.id in points(vector_store())


def test_an_embedded_store_that_a_server_holds_is_refused(api: Api, tmp_path: Path) -> None:
    api.index(FILES)
    url = f"edge:{tmp_path / 'edge'}"
    holder = EdgeStore(tmp_path / "edge")
    holder.upsert(place(), [stray_point()])
    with pytest.raises(CommandError, match="stop that server first"):
        migrate(url)
    holder.close()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://user:secret@host/db", "Name no password"),
        ("postgresql://user@host/db?password=secret", "Name no password"),
        ("postgresql://user:secret@[::1/db", "cannot be read"),
        ("ftp:there", "must be edge:"),
    ],
)
def test_an_address_that_will_not_do_is_refused(api: Api, url: str, said: str) -> None:
    api.index(FILES)
    with pytest.raises(CommandError, match=said) as error:
        migrate(url)
    assert "secret" not in str(error.value)


# --- Interrupted ----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_killed_on_the_way_it_goes_on_where_it_was(
    api: Api, target: Target, qdrant: StandIn, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for project in ("one", "two"):
        api.index(FILES, project=project)
    holding = held_server(qdrant) if target.url == qdrant.url else held_table(target)
    with holding as has_begun:
        process = migrating_process(target, tmp_path)
        try:
            wait_until(has_begun, process, tmp_path / "output")
        finally:
            process.kill()
            process.wait()
    assert (points(target.store, "one"), points(target.store, "two")) == (named("one"), set())
    migrate(target.url)
    assert [row[2:4] for row in rows(capsys)] == [["3", "0"], ["3", "3"]]
    assert points(target.store, "two") == named("two") != set()


def migrating_process(target: Target, data_dir: Path) -> "subprocess.Popen[bytes]":
    """The command as a person runs it, on the tests' database and the store that it moves from."""
    database = str(connection.settings_dict["NAME"])
    environment = {
        "PATH": os.environ["PATH"],
        "AETERNA_DATA_DIR": str(data_dir),
        "DATABASE_URL": re.sub(
            r"/postgres(?=\?|$)", f"/{database}", settings.DATABASE_URL, count=1
        ),
        "QDRANT_API_KEY": KEY,
    }
    with (data_dir / "output").open("w") as output:
        return subprocess.Popen(
            [sys.executable, MANAGE, "migrate_vectors", "--to", target.url],
            env=environment,
            stdout=output,
            stderr=output,
        )


def wait_until(
    condition: Callable[[], bool], process: "subprocess.Popen[bytes]", output: Path
) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, output.read_text()
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def held_server(server: StandIn) -> Iterator[Callable[[], bool]]:
    """Nothing is answered to the second upsert."""
    upserts: list[object] = []
    is_held = threading.Event()

    def hold(context: grpc.ServicerContext) -> None:
        name, request = server.requests[-1]
        if name != "Upsert":
            return
        upserts.append(request)
        if len(upserts) == 2:
            is_held.set()
            server.slow(context)
            context.abort(grpc.StatusCode.UNAVAILABLE, "its client is gone")

    server.faults = [hold] * 1000
    yield is_held.is_set
    server.faults = []


@contextmanager
def held_table(target: Target) -> Iterator[Callable[[], bool]]:
    """Rows of the second repository wait for a lock."""
    point = stray_point()
    target.store.upsert(place("two"), [point])  # makes the table
    target.store.delete(place("two"), [point.id])
    with psycopg.connect(target.url, autocommit=True) as database:
        tables = database.execute(_TABLES).fetchall()
        database.execute("SELECT pg_advisory_lock(77)")
        database.execute(_HOLD.format(repository=repository_of("two").pk))
        for (table,) in tables:
            database.execute(f"CREATE TRIGGER hold BEFORE INSERT ON {table} {_EACH}")
        yield lambda: database.execute(_WAITING).fetchone() is not None
        database.execute(_TERMINATE)
        while database.execute(_WAITING).fetchone():
            time.sleep(0.02)
        database.execute("DROP FUNCTION hold_rows CASCADE")


_TABLES = """SELECT c.oid::regclass::text FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'repository'
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relnamespace = 'codesearch'::regnamespace"""
_HOLD = """CREATE FUNCTION hold_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.repository = {repository} THEN PERFORM pg_advisory_xact_lock(77); END IF;
    RETURN NEW; END $$"""
_EACH = "FOR EACH ROW EXECUTE FUNCTION hold_rows()"
_TERMINATE = """SELECT pg_terminate_backend(pid) FROM pg_locks
    WHERE locktype = 'advisory' AND objid = 77 AND NOT granted"""
_WAITING = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted"


# --- While it lasts -------------------------------------------------------------------------------


def test_it_tells_how_far_it_is(
    api: Api,
    qdrant: StandIn,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.QDRANT_API_KEY = KEY
    monkeypatch.setattr(commands, "_LINE_SECONDS", 0)
    api.index(FILES)
    migrate(qdrant.url)
    assert capsys.readouterr().err == "acme/shop: 3 chunks\nacme/shop: 3 of 3\n"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    migrate(qdrant.url)
    shown = capsys.readouterr().err
    assert "acme/shop" in shown
    assert "3 of 3" not in shown
