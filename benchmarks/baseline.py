"""The peer in the same run: semble with the same embedding model, in an environment of its own.

It keeps nothing on disk, has no symbols, no server and no history: compare with that in mind.
"""

import json
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpora import python_repository
from benchmarks.tables import Figure
from scripts.local_service import ROOT

PEER = "semble==0.7.*"
PROGRAM = """
import json, sys, time
from semble import SembleIndex
model, repository = sys.argv[1:]
started = time.perf_counter()
index = SembleIndex.from_path(repository, model_path=model)
seconds = time.perf_counter() - started
queries = ["retry a task with exponential back-off", "AsyncResult", "shrink a failing example"]
searches = []
for _ in range(20):
    for query in queries:
        began = time.perf_counter()
        index.search(query, top_k=10)
        searches.append(time.perf_counter() - began)
print(json.dumps({"seconds": seconds, "chunks": len(index.chunks), "search": sorted(searches)}))
"""


def measure(workspace: Path) -> Iterator[Figure]:
    """The peer's figures for the reference repository; none where it cannot be installed."""
    repository = python_repository(workspace / "small", megabytes=3.5)
    python = install(workspace / "peer")
    if python is None:
        return
    started = time.perf_counter()
    done = subprocess.run(
        [python, "-c", PROGRAM, str(ROOT / "indexer/embedding/model"), str(repository)],
        capture_output=True,
        text=True,
        check=True,
    )
    wall = time.perf_counter() - started
    answer = json.loads(done.stdout.splitlines()[-1])
    yield Figure("semble: cold index, whole process", wall, "s")
    yield Figure("semble: cold index, in process", answer["seconds"], "s")
    yield Figure("semble: chunks", answer["chunks"], "")
    yield Figure("semble: search p50, in process", 1000 * answer["search"][30], "ms")


def install(directory: Path) -> Path | None:
    """An environment with the peer in it, or None (and a line that says so)."""
    venv.create(directory, with_pip=False)
    python = directory / "bin" / "python"
    uv = Path(sys.executable).with_name("uv")
    done = subprocess.run(
        [uv, "pip", "install", "--quiet", "--python", python, PEER],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"No peer to compare with: {done.stderr.strip().splitlines()[-1]}")
        return None
    return python
