"""`python -m benchmarks stores`: which stores, how many chunks, where the figures go."""

import argparse
from pathlib import Path

from benchmarks import tables
from benchmarks.stores.measure import CHUNKS, measure_stores
from benchmarks.stores.open_stores import QDRANT, names
from scripts.local_service import temporary_workspace


def main(arguments: list[str]) -> None:
    """Measure, say each figure as it comes, then show the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks stores",
        description=f"qdrant is measured where {QDRANT} (and QDRANT_API_KEY) names a server.",
    )
    parser.add_argument("--chunks", type=int, default=CHUNKS, help="of the organisation searched")
    parser.add_argument("--store", action="append", choices=names(), help="may be given again")
    parser.add_argument("--out", type=Path, default=tables.OUTPUT, help="JSON file")
    options = parser.parse_args(arguments)
    measured = []
    with temporary_workspace("aeterna-bench-stores-") as directory:
        for figure in measure_stores(directory, options.store or names(), options.chunks):
            print(f"{figure.name}: {figure.value:.4g} {figure.unit}", flush=True)
            measured.append(figure)
    tables.show(measured, options.out)
