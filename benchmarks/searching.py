"""Search over HTTP at 100,000 chunks: alone, with eight clients, and while a run is applied."""

import itertools
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.client import Client
from benchmarks.corpora import python_repository
from benchmarks.tables import Figure, percentile
from scripts.local_service import Organization, running_service

CHUNKS = 100_000
REQUESTS = 400
QUERIES = (
    "retry a task with exponential back-off",
    "parse an HTTP date header",
    "how are database connections pooled and closed",
    "AsyncResult",
    "render a template with context processors",
    "get_queryset",
    "validate that a value is a positive integer",
    "escape html special characters",
    "broadcast arrays to the same shape",
    "where is the message acknowledged after the task ran",
    "TypeChecker.visit_call_expr",
    "load configuration from environment variables",
)


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of one organisation whose repositories hold 100,000 chunks together."""
    repository = python_repository(workspace / "corpus", megabytes=34)
    late = python_repository(workspace / "late", megabytes=12)
    with running_service(workspace / "data") as service:
        acme = Organization(service, "acme", service.create_organization("acme"))
        total = fill(acme, repository)
        yield Figure("chunks searched", total, "chunks")
        client = Client(acme)
        run_queries(client, 3 * len(QUERIES))
        alone = run_queries(client, REQUESTS)
        yield Figure("search p50, one client", percentile(alone, 50), "ms", 15)
        yield Figure("search p99, one client", percentile(alone, 99), "ms", 60)
        throughput = 1000 * len(alone) / sum(alone)
        yield Figure("searches, one client", throughput, "/s")
        together = eight_clients(acme)
        yield Figure("searches, eight clients", together, "/s")
        yield Figure("… in proportion", together / throughput, "times", 1.3, at_least=True)
        yield from while_applying(acme, late)


def fill(acme: Organization, repository: Path) -> int:
    """Index the corpus under several names until there are enough chunks."""
    for number in itertools.count():
        acme.index(repository, f"corpus-{number}")
        total = int(acme.get("index/status")["total_chunks"])
        if total >= CHUNKS:
            return total
    raise AssertionError


def run_queries(client: Client, count: int) -> list[float]:
    """Milliseconds of `count` searches, one after the other."""
    return [client.search(query) for query in itertools.islice(itertools.cycle(QUERIES), count)]


def eight_clients(acme: Organization) -> float:
    """Searches per second of eight clients at once."""
    started = time.perf_counter()
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: run_queries(Client(acme), REQUESTS // 4), range(8)))
    return sum(map(len, done)) / (time.perf_counter() - started)


def while_applying(acme: Organization, repository: Path) -> Iterator[Figure]:
    """Search latency in the time between a full run's webhook and its end."""
    indexing = threading.Thread(target=acme.index, args=(repository, "late"))
    indexing.start()
    client = Client(acme)
    samples: list[float] = []
    for query in itertools.cycle(QUERIES):
        if not indexing.is_alive():
            break
        if acme.is_applying("late"):
            samples.append(client.search(query))
        else:
            time.sleep(0.02)
    indexing.join()
    yield Figure("searches while a full run was applied", len(samples), "")
    yield Figure("search p50 while applying", percentile(samples, 50), "ms")
    yield Figure("search p99 while applying", percentile(samples, 99), "ms", 150)
