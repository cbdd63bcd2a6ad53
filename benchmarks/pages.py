"""Every page of an organisation of 100,000 chunks, over HTTP with a person's session."""

import gzip
import http.client
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import psycopg

from benchmarks import tracing
from benchmarks.resource_usage import Meter, Spent, opened_database
from benchmarks.searching import CHUNKS, QUERIES
from benchmarks.tables import Figure, percentile
from scripts.browsing import create_person, signed_in
from scripts.local_service import ROOT, Organization, Service, running_service

SERVICE_BYTES = 400_000
ROUNDS = 60
PERSON = "ada"
POPULAR = ("AsyncResult", "apply_async", "Template", "get_queryset", "Connection", "escape")
PROMISED = 50  # of the median, for what most people look at
COSTLY = ("symbol page, popular names", "graph page, popular names")  # most of it is the trace

_FILES = """SELECT r.name, f.path FROM corpus_file f
    JOIN repositories_repository r ON r.id = f.repository_id
    WHERE f.skipped = '' AND f.content <> '' ORDER BY length(f.content)"""
_SYMBOLS = """SELECT DISTINCT name, md5(name) FROM corpus_symbol
    WHERE kind IN ('function', 'method', 'class') AND name NOT LIKE '\\_%' ORDER BY 2 LIMIT 40"""
_RUN = "SELECT id FROM ingest_indexrun ORDER BY opened_at DESC LIMIT 1"


@dataclass(frozen=True)
class Seen:
    """What came of asking for one kind of page: milliseconds each, sizes of the largest."""

    times: list[float]
    spent: Spent
    size: int
    packed: int


def measure(workspace: Path) -> Iterator[Figure]:
    """Latency, processor time and size of each page; then how much of it is rendering."""
    repositories = tracing.build(workspace / "repositories", service_bytes=SERVICE_BYTES)
    with running_service(workspace / "data") as service:
        acme = service.organization("acme")
        yield Figure("chunks", fill(acme, repositories), "chunks")
    yield from measure_service(workspace / "data")


def measure_service(data_dir: Path) -> Iterator[Figure]:
    """The pages of a data directory that is filled already (organisation `acme`)."""
    with running_service(data_dir) as service, opened_database(service) as database:
        database.execute("VACUUM ANALYZE")
        if not database.execute("SELECT 1 FROM auth_user").fetchone():
            create_person(service, PERSON, "--organization", "acme")
        asked = addresses(database)
        cookies = session_of(service, PERSON)
        meter = Meter(service, database)
        for kind, paths in asked.items():
            yield from figures_of(kind, ask(meter, cookies, paths, ROUNDS))
    yield from rendering_of(service, asked)


def session_of(service: Service, person: str) -> str:
    """The header Cookie of a signed-in user."""
    with signed_in(service, person) as browser:
        return "; ".join(f"{name}={value}" for name, value in browser.cookies.items())


def fill(acme: Organization, repositories: Sequence[Path]) -> int:
    """Index services first, then the libraries that they use, until there are enough chunks."""
    total = 0
    for repository in sorted(repositories, key=lambda path: "service-" not in path.name):
        total += int(acme.index(repository, repository.name)["chunks"])
        if total >= CHUNKS:
            return total
    return total


def addresses(database: "psycopg.Connection[Any]") -> dict[str, list[str]]:
    """What is asked for of each kind of page."""
    files = database.execute(_FILES).fetchall()
    middle = len(files) // 2
    symbols = [name for name, _ in database.execute(_SYMBOLS).fetchall()]
    run = database.execute(_RUN).fetchone()
    return {
        "search page": [_page("", q=query) for query in QUERIES],
        "search page, empty": [_page("")],
        "repositories page": [_page("repositories")],
        "repository page": [_page(f"r/{project}") for project, _ in files[:: len(files) // 9]],
        "run page": [_page(f"runs/{run[0]}")] if run else [],
        "symbol page": [_page("symbol", name=name) for name in symbols],
        "symbol page, popular names": [_page("symbol", name=name) for name in POPULAR],
        "graph page": [_page("graph", name=name) for name in symbols],
        "graph page, popular names": [_page("graph", name=name) for name in POPULAR],
        "file page, typical": [_file(*row) for row in files[middle : middle + 20]],
        "file page, largest": [_file(*files[-1])],
    }


def _page(path: str, **parameters: str) -> str:
    query = f"?{urlencode(parameters)}" if parameters else ""
    return f"/o/acme/{path}{query}"


def _file(project: str, path: str) -> str:
    return _page(f"r/{project}/file/{quote(path)}")


def ask(meter: Meter, cookies: str, paths: Sequence[str], rounds: int) -> Seen:
    """Ask for each in turn until there are `rounds` answers; each was asked for once before."""
    connection = http.client.HTTPConnection(urlsplit(meter.service.url).netloc)
    headers = {"Cookie": cookies}
    contents = [_content(connection, path, headers) for path in paths]
    before = meter.read()
    times = []
    for number in range(rounds):
        started = time.perf_counter()
        _content(connection, paths[number % len(paths)], headers)
        times.append(1000 * (time.perf_counter() - started))
    spent = meter.read().since(before, rounds)
    connection.close()
    largest = max(contents, key=len)
    return Seen(times, spent, len(largest), len(gzip.compress(largest)))


def _content(
    connection: http.client.HTTPConnection, path: str, headers: Mapping[str, str]
) -> bytes:
    connection.request("GET", path, headers=dict(headers))
    response = connection.getresponse()
    content = response.read()
    if response.status != http.client.OK:
        raise RuntimeError(f"{path}: {response.status}: {content[:300]!r}")
    return content


def figures_of(kind: str, seen: Seen) -> Iterator[Figure]:
    """One kind of page."""
    bound = None if kind in COSTLY else PROMISED
    yield Figure(f"{kind}: p50", percentile(seen.times, 50), "ms", bound)
    yield Figure(f"{kind}: p99", percentile(seen.times, 99), "ms")
    yield Figure(f"{kind}: fastest", min(seen.times), "ms")
    for part in ("web", "postgresql", "store"):
        yield Figure(f"{kind}: {part}", 1000 * getattr(seen.spent, part), "ms CPU")
    yield Figure(f"{kind}: size", seen.size / 1000, "kB")
    yield Figure(f"{kind}: size, gzip", seen.packed / 1000, "kB")


def rendering_of(service: Service, asked: Mapping[str, Sequence[str]]) -> Iterator[Figure]:
    """Templates' share of the time, in a process of its own; no server may run meanwhile."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.rendering", PERSON],
        cwd=ROOT,
        env={**service.variables(), "AETERNA_LOG_LEVEL": "ERROR"},
        input=json.dumps(asked),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    for kind, (total, rendering) in json.loads(done.stdout).items():
        yield Figure(f"{kind}: view in process, CPU p50", total, "ms CPU")
        yield Figure(f"{kind}: … of it templates", rendering, "ms CPU")
