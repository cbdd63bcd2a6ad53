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
from benchmarks.pages import PERSON, Seen, ask, session_of
from benchmarks.resource_usage import Meter, opened_database
from benchmarks.searching import QUERIES
from benchmarks.tables import Figure, percentile
from scripts.browsing import create_person
from scripts.local_service import Organization, running_service

SIZES = (1, 100, 1_000, 10_000)
ASKED = 12
RUNS = 5
PAGES = {
    "search page": "/o/acme/?q=retry+a+task",
    "repositories page": "/o/acme/repositories",
}


def measure(workspace: Path) -> Iterator[Figure]:
    """Latency, processor time and bytes of each question and page."""
    repository = python_repository(workspace / "corpus", megabytes=0)
    with (
        running_service(workspace / "data") as service,
        opened_database(service) as database,
    ):
        acme = Organization(service, "acme", service.create_organization("acme"))
        acme.index(repository, "real")
        meter = Meter(service, database)
        client = Client(acme)
        create_person(service, PERSON, "--organization", "acme")
        cookies = session_of(service, PERSON)
        for size in SIZES:
            grow(database, size)
            yield from questions(client, meter, size)
            for what, path in PAGES.items():
                seen = ask(meter, cookies, [path], ASKED)
                yield from figures_of(f"{what}, {size:,} repositories", seen)


def questions(client: Client, meter: Meter, size: int) -> Iterator[Figure]:
    """Each question, with so many repositories."""
    queries = itertools.cycle(QUERIES)
    asked: dict[str, Callable[[], float]] = {
        "search": lambda: client.search(next(queries)),
        "status": lambda: client.get("/api/v1/index/status"),
        "callers": lambda: client.trace("callers", symbol="apply_async"),
    }
    for what, question in asked.items():
        question()
        before = meter.read()
        times = [question() for _ in range(ASKED)]
        seen = Seen(times, meter.read().since(before, ASKED), client.received, 0)
        yield from figures_of(f"{what}, {size:,} repositories", seen)


def figures_of(name: str, seen: Seen) -> Iterator[Figure]:
    """One question."""
    yield Figure(f"{name}: p50", percentile(seen.times, 50), "ms")
    for part in ("web", "postgresql", "store"):
        yield Figure(f"{name}: {part}", 1000 * getattr(seen.spent, part), "ms CPU")
    yield Figure(f"{name}: answer", seen.size / 1000, "kB")


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
