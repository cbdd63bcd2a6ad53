"""What an agent of LangChain waits for: the tool's first search in a process, and later ones."""

import itertools
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.corpora import python_repository
from benchmarks.searching import QUERIES
from benchmarks.tables import Figure, percentile
from scripts.local_service import ROOT, Organization, clean_environment, running_service

FIRST = 5  # processes
LATER = 200  # searches of one
# A process of its own, as the program of a user. An agent imports most of LangChain anyway, so that
# is a figure of its own; opening the index is the first search's.
PROGRAM = """
import time
started = time.perf_counter()
import json, sys
from aeterna_code_search.integrations.langchain import CodebaseSearchTool, Config
tool = CodebaseSearchTool(Config(sys.argv[1]), directory=sys.argv[2])
imported = time.perf_counter()
samples = []
for query in json.loads(sys.argv[3]):
    before = time.perf_counter()
    answer = json.loads(tool._run(json.dumps({"query": query})))
    samples.append(1000 * (time.perf_counter() - before))
    if not answer["success"]:
        sys.exit(answer["error"])
tool.close()
print(json.dumps([imported - started, *samples]))
"""
CONFIG = "rag: {enabled: true}\ntools: {codebase_search: {enabled: true}}\n"


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of the tool on a service that runs, with a checkout of 3.5 MB of Python."""
    repository = python_repository(workspace / "corpus", megabytes=1)
    config = workspace / "config.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    with running_service(workspace / "data") as service:
        acme = Organization(service, "acme", service.create_organization("acme"))
        acme.index(repository, "corpus")
        yield Figure("chunks searched", acme.get("index/status")["total_chunks"], "chunks")
        environment = clean_environment(
            {
                "AETERNA_URL": service.url,
                "AETERNA_TOKEN": acme.token,
                "AETERNA_ORGANIZATION": acme.slug,
                "AETERNA_PROJECT": "corpus",
            }
        )
        firsts = [searches(environment, config, repository, 1) for _ in range(FIRST + 1)][1:]
        loaded = statistics.median(imported for imported, _ in firsts)
        first = statistics.median(samples[0] / 1000 for _, samples in firsts)
        yield Figure("LangChain: import of it and of the tool", loaded, "s")
        yield Figure("LangChain: first search, median", first, "s", 2)
        _, samples = searches(environment, config, repository, len(QUERIES) + LATER)
        later = samples[len(QUERIES) :]
        yield Figure("LangChain: later searches, p50", percentile(later, 50), "ms", 100)
        yield Figure("LangChain: later searches, p99", percentile(later, 99), "ms", 100)


def searches(
    environment: Mapping[str, str], config: Path, repository: Path, count: int
) -> tuple[float, list[float]]:
    """Seconds of a new process until the tool is made, and milliseconds of its searches."""
    queries = list(itertools.islice(itertools.cycle(QUERIES), count))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, config, repository, json.dumps(queries)],
        cwd=ROOT,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    imported, *samples = json.loads(done.stdout)
    return imported, samples
