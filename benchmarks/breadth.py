"""What an organisation of 100, 1,000 and 10,000 repositories makes of each question.

One repository is real. The others are rows beside it (indexed, each with some ended runs) without
content: what is measured is what their number alone costs.
"""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.client import Client
from benchmarks.corpora import python_repository
from benchmarks.figures import Figure, percentile
from benchmarks.searching import QUERIES
from benchmarks.spending import Meter, opened_database
from scripts.local_service import Organization, running_service

SIZES = (1, 100, 1_000, 10_000)
ASKED = 40
RUNS = 5
UNLIMITED = {"AETERNA_RATE_SEARCH": "off"}


def measure(workspace: Path) -> Iterator[Figure]:
    """Latency, processor time and bytes of a search, the status and a question for callers."""
    repository = python_repository(workspace / "corpus", megabytes=0)
    with (
        running_service(workspace / "data", UNLIMITED) as service,
        opened_database(service) as database,
    ):
        acme = Organization(service, "acme", service.create_organization("acme"))
        acme.index(repository, "real")
        meter = Meter(service, database)
        client = Client(acme)
        for size in SIZES:
            grow(database, size)
            yield from questions(client, meter, size)


def questions(client: Client, meter: Meter, size: int) -> Iterator[Figure]:
    """Each question, with so many repositories."""
    queries = itertools.cycle(QUERIES)
    asked: dict[str, Callable[[], float]] = {
        "search": lambda: client.search(next(queries)),
        "status": lambda: client.get("/api/v1/index/status"),
        "callers": lambda: client.trace("callers", symbol="apply_async"),
    }
    for what, ask in asked.items():
        ask()
        before = meter.read()
        times = [ask() for _ in range(ASKED)]
        spent = meter.read().since(before, ASKED)
        name = f"{what}, {size:,} repositories"
        yield Figure(f"{name}: p50", percentile(times, 50), "ms")
        yield Figure(f"{name}: web", 1000 * spent.web, "ms CPU")
        yield Figure(f"{name}: postgresql", 1000 * spent.postgresql, "ms CPU")
        yield Figure(f"{name}: store", 1000 * spent.store, "ms CPU")
        yield Figure(f"{name}: answer", client.received, "bytes")


def grow(database: "psycopg.Connection[Any]", size: int) -> None:
    """Add copies of the real repository's row, and ended runs, until there are `size`."""
    row = database.execute("SELECT count(*) FROM repositories_repository").fetchone()
    first = row[0] if row else 0
    columns = _columns(database, "repositories_repository", {"id", "name", "github_id"})
    database.execute(
        f"INSERT INTO repositories_repository (name, {columns})"  # noqa: S608
        f" SELECT 'repository-' || n, {columns} FROM repositories_repository,"
        " generate_series(%s::int, %s::int) AS n WHERE name = 'real'",
        [first, size - 1],
    )
    columns = _columns(database, "ingest_indexrun", {"id", "repository_id"})
    copied = ", ".join(f"run.{column}" for column in columns.split(", "))
    database.execute(
        f"INSERT INTO ingest_indexrun (id, repository_id, {columns})"  # noqa: S608
        f" SELECT gen_random_uuid(), r.id, {copied} FROM repositories_repository r,"
        " ingest_indexrun run, generate_series(1, %s::int)"
        " WHERE run.repository_id = (SELECT id FROM repositories_repository WHERE name = 'real')"
        " AND r.name LIKE 'repository-%%'"
        " AND NOT EXISTS (SELECT 1 FROM ingest_indexrun i WHERE i.repository_id = r.id)",
        [RUNS],
    )
    database.execute("VACUUM ANALYZE")


def _columns(database: "psycopg.Connection[Any]", table: str, without: set[str]) -> str:
    rows = database.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_name = %s", [table]
    ).fetchall()
    return ", ".join(f'"{name}"' for (name,) in rows if name not in without)
