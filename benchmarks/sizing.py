"""`python -m benchmarks.sizing [build/bench.json]`: how large an installation has to be.

Computes the table of docs/explanation/scaling.md from what `python -m benchmarks units breadth` has
measured.
"""

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks import tables

SIZES = ((10, 1), (100, 1), (1_000, 1), (10_000, 1), (10_000, 20))  # and in how many organisations
PARTS = ("web", "postgresql", "store")
CHUNKS = 4_000  # of a repository: some 200 files
MERGES = (2, 10)  # a repository and day
FILES = 3  # of a merge, as the benchmark has it
SEARCHES = 20  # a repository and day, people's and agents'
PEAK = 4  # times the mean of 24 hours: a working day's busiest hour
BUSY = 0.5  # of a process or core, at the peak
DAY = 24 * 3600

# PostgreSQL of the containers after a first index (docs/how-to/deploy.md): with freed space and
# the text index. pgvector, if it is the store, takes 2,300 more.
DATABASE_CHUNK_BYTES = 6_000

# docs/reference/measurements.md and docs/how-to/vector-stores.md, "Sizes": processor time
# of a search and memory, by chunks.
EDGE_LARGEST = 1_000_000
EDGE_CHUNK_BYTES = 3_510
EDGE_SEARCH_SECONDS = 32e-9  # a chunk, compared one by one
QDRANT_CHUNK_BYTES = 600  # 256 of int8, 130 of links, terms at 8 bytes each
QDRANT_SEARCH_SECONDS = 3e-3


@dataclass(frozen=True)
class Units:
    """What one thing costs: seconds of the processor, bytes."""

    merge_central: float  # of the worker
    merge_postgresql: float
    merge_written: float
    search_web: float
    search_postgresql: float
    sight_web: float  # more, for each visible repository
    sight_postgresql: float
    sight_store: float


@dataclass(frozen=True)
class Installation:
    """One row of the table."""

    repositories: int
    merges: int  # a day
    searches: float  # a second, at the peak
    worker_cores: float
    workers: int
    web_cores: float
    replicas: int
    database_gigabytes: float
    database_cores: float
    written_gigabytes: float  # a day, of write-ahead log
    store: str
    store_gigabytes: float  # of memory
    store_cores: float


def units_of(measured: Mapping[str, float]) -> Units:
    """From figures by name."""

    def of_search(part: str, size: str) -> float:
        return measured[f"search, {size} repositories: {part}"] / 1000

    def of_sight(part: str) -> float:
        return (of_search(part, "10,000") - of_search(part, "100")) / 9_900

    merge = {part: measured[f"merge of 3 files: {part}"] / 1000 for part in PARTS}
    return Units(
        merge_central=merge["web"] + merge["store"],
        merge_postgresql=merge["postgresql"],
        merge_written=measured["merge of 3 files: written"],
        search_web=of_search("web", "100"),
        search_postgresql=of_search("postgresql", "100"),
        sight_web=of_sight("web"),
        sight_postgresql=of_sight("postgresql"),
        sight_store=of_sight("store"),
    )


def installation(units: Units, repositories: int, organizations: int, merges: int) -> Installation:
    """What so many repositories, in organisations of equal size, need."""
    chunks = repositories * CHUNKS
    in_sight = repositories / organizations
    a_day = repositories * merges
    merged = a_day * PEAK / DAY
    searches = repositories * SEARCHES * PEAK / DAY
    is_edge = chunks <= EDGE_LARGEST
    search_store = EDGE_SEARCH_SECONDS * chunks if is_edge else QDRANT_SEARCH_SECONDS
    worker_cores = merged * units.merge_central
    web_cores = searches * (units.search_web + in_sight * units.sight_web)
    postgresql = merged * units.merge_postgresql
    postgresql += searches * (units.search_postgresql + in_sight * units.sight_postgresql)
    return Installation(
        repositories=repositories,
        merges=a_day,
        searches=searches,
        worker_cores=worker_cores,
        workers=processes(worker_cores),
        web_cores=web_cores,
        replicas=processes(web_cores),
        database_gigabytes=chunks * DATABASE_CHUNK_BYTES / 1e9,
        database_cores=postgresql,
        written_gigabytes=a_day * units.merge_written / 1e9,
        store="Edge" if is_edge else "Qdrant",
        store_gigabytes=chunks * (EDGE_CHUNK_BYTES if is_edge else QDRANT_CHUNK_BYTES) / 1e9,
        store_cores=searches * (search_store + in_sight * units.sight_store),
    )


def processes(cores: float) -> int:
    """How many processes of one core each, none busier than BUSY."""
    return max(1, math.ceil(cores / BUSY))


def row(one: Installation, organizations: int) -> str:
    """A line of Markdown."""
    spread = f" in {organizations} organisations" if organizations > 1 else ""
    cells = (
        f"{one.repositories:,}{spread}",
        f"{one.merges:,}",
        f"{one.searches:.1f}/s",
        f"{one.workers} ({one.worker_cores:.2f})",
        f"{one.replicas} ({one.web_cores:.2f})",
        f"{one.database_gigabytes:,.1f} GB; {one.database_cores:.2f}",
        f"{one.written_gigabytes:.1f} GB",
        f"{one.store}: {one.store_gigabytes:.1f} GB; {one.store_cores:.2f}",
    )
    return f"| {' | '.join(cells)} |"


def main(path: Path) -> None:
    """Print the table."""
    bench = json.loads(path.read_text(encoding="utf-8"))
    units = units_of({figure["name"]: figure["value"] for figure in bench["figures"]})
    print(
        "| repositories | merges a day | searches at the peak | workers (cores) "
        "| web replicas (cores) | PostgreSQL: size; cores | log a day | store: memory; cores |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for merges in MERGES:
        for repositories, organizations in SIZES:
            print(row(installation(units, repositories, organizations, merges), organizations))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else tables.OUTPUT)
