"""What one thing costs: a chunk's bytes, a first index, a merge, a webhook.

docs/explanation/scaling.md computes sizes of installations from these (`benchmarks/sizing.py`).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg

from benchmarks.corpora import python_repository
from benchmarks.indexing import touch_three
from benchmarks.resource_usage import (
    Meter,
    Spent,
    adopt_orphans,
    indexer_seconds,
    opened_database,
)
from benchmarks.tables import Figure
from benchmarks.webhook import Sender
from scripts.local_git import commit_all
from scripts.local_service import Organization, Service, running_service

MEGABYTES = 12
MERGES = 12
WEBHOOKS = 60

_TABLES = """SELECT c.relname, pg_total_relation_size(c.oid), pg_relation_size(c.oid), c.reltuples
    FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    AND c.relname ~ '^(corpus|ingest|repositories)_' ORDER BY 2 DESC"""


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of a repository of 12 MB of Python, and of merges that change three of its files."""
    repository = python_repository(workspace / "corpus", megabytes=MEGABYTES)
    with running_service(workspace / "data") as service, opened_database(service) as database:
        acme = Organization(service, "acme", service.create_organization("acme"))
        meter = Meter(service, database)
        adopt_orphans()
        acme.index(python_repository(workspace / "warm", megabytes=0), "warm-up")
        yield from first_index(acme, meter, repository)
        yield from sizes(service, database)
        yield from merges(acme, meter, repository)
        yield from webhooks(acme, meter)


def first_index(acme: Organization, meter: Meter, repository: Path) -> Iterator[Figure]:
    """Processor time of the indexer and of the service, and bytes written."""
    before, started = meter.read(), indexer_seconds()
    report = acme.index(repository, "corpus")
    spent, seconds = meter.read().since(before), indexer_seconds() - started
    files, chunks = report["files"]["changed"], report["chunks"]
    yield Figure("first index: files", files, "")
    yield Figure("first index: chunks", chunks, "")
    yield Figure("first index: references", report["references"], "")
    thousands = files / 1000
    yield Figure("first index, 1,000 files: indexer", seconds / thousands, "s CPU")
    yield from parts("first index, 1,000 files", spent, thousands, "s CPU", 1)
    yield Figure("first index, a chunk: central", 1000 * spent.processor / chunks, "ms CPU")
    yield Figure("first index, a chunk: written", spent.written / chunks, "bytes")


def parts(what: str, spent: Spent, count: float, unit: str, per_second: float) -> Iterator[Figure]:
    """Processor time of each part of the service."""
    for part in ("web", "postgresql", "store"):
        yield Figure(f"{what}: {part}", per_second * getattr(spent, part) / count, unit)


def sizes(service: Service, database: "psycopg.Connection[Any]") -> Iterator[Figure]:
    """Bytes of each table and its indexes for a chunk, and of the vector store."""
    database.execute("VACUUM ANALYZE")
    rows = database.execute(_TABLES).fetchall()
    chunks = next(float(count) for name, _, _, count in rows if name == "corpus_chunk")
    yield Figure("PostgreSQL, a chunk", sum(size for _, size, _, _ in rows) / chunks, "bytes")
    for name, size, _, count in rows:
        if size / chunks >= 1:
            yield Figure(f"… {name}", size / chunks, "bytes")
            yield Figure(f"… {name}: rows", 1000 * count / chunks, "/1,000 chunks")
    files = (file for file in (service.data_dir / "edge").rglob("*") if file.is_file())
    on_disk = sum(file.stat().st_blocks * 512 for file in files)
    yield Figure("store on disk, a chunk", on_disk / chunks, "bytes")
    yield Figure("resident: web", resident(service.process), "MB")


def resident(process: Any) -> float:
    """Megabytes of the web process."""
    return psutil.Process(process.pid).memory_info().rss / 1e6


def merges(acme: Organization, meter: Meter, repository: Path) -> Iterator[Figure]:
    """What a merge of three changed files costs, on the average."""
    for number in range(2):  # what the first ones load is loaded
        merge(acme, repository, number)
    before = meter.read()
    indexer = sum(merge(acme, repository, number) for number in range(2, 2 + MERGES))
    spent = meter.read().since(before, MERGES)
    yield Figure("merge of 3 files: indexer", 1000 * indexer / MERGES, "ms CPU")
    yield from parts("merge of 3 files", spent, 1, "ms CPU", 1000)
    yield Figure("merge of 3 files: written", spent.written, "bytes")


def merge(acme: Organization, repository: Path, number: int) -> float:
    """Change three files and index that; the indexer's seconds."""
    touch_three(repository, f"merge {number}")
    commit_all(repository, f"Merge {number}")
    before = indexer_seconds()
    acme.index(repository, "corpus")
    return indexer_seconds() - before


def webhooks(acme: Organization, meter: Meter) -> Iterator[Figure]:
    """What a run of one empty file costs, from Open to the webhook and its apply."""
    sender = Sender(acme)
    sender.acknowledge("warm")
    before = meter.read()
    for number in range(WEBHOOKS):
        sender.acknowledge(f"webhook-{number}")
    spent = meter.read().since(before, WEBHOOKS)
    yield from parts("smallest run, Open to webhook", spent, 1, "ms CPU", 1000)
