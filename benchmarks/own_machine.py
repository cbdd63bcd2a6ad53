"""`codesearch` on one's own machine: the search that starts the service, and those after it."""

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.tables import Figure
from scripts.local_service import clean_environment

COMMAND = str(Path(sys.executable).parent / "codesearch")
STARTS = 3
SEARCHES = 11
_SEARCH = ("search", "retry", "with", "back-off")


def measure(data_dir: Path, repository: Path) -> Iterator[Figure]:
    """Figures of an index in `data_dir`, whose service stays between the commands."""
    environment = clean_environment(
        {"AETERNA_DATA_DIR": str(data_dir), "AETERNA_IDLE_MINUTES": "10"}
    )

    def seconds(*arguments: str) -> float:
        started = time.perf_counter()
        subprocess.run(
            [COMMAND, *arguments], env=environment, cwd=repository, check=True, capture_output=True
        )
        return time.perf_counter() - started

    try:
        seconds("index")
        first, second = [], []
        for _ in range(STARTS):
            seconds("stop")
            first.append(seconds(*_SEARCH))
            second.append(seconds(*_SEARCH))
        further = [seconds(*_SEARCH) for _ in range(SEARCHES)]
    finally:
        seconds("stop")
    yield Figure("codesearch search that starts the service", statistics.median(first), "s")
    yield Figure("second codesearch search", statistics.median(second), "s", 0.3)
    yield Figure("further codesearch searches", statistics.median(further), "s", 0.3)
