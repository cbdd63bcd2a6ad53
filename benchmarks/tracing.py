"""Callers, callees and graphs over HTTP at 1,000,000 references in 50 repositories.

Libraries are real packages, a repository each. Services are copies of parts of them under names of
their own, which still import the libraries: so libraries have callers in many repositories.
"""

import ast
import itertools
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import duckdb

from benchmarks.client import Client
from benchmarks.corpora import FURTHER, REFERENCE, copy_sources, package_directory
from benchmarks.tables import Figure, percentile
from scripts.local_git import commit_all, new_repository
from scripts.local_service import Organization, clean_environment, running_service

REPOSITORIES = 50
SERVICE_BYTES = 3_100_000
SYMBOLS = 300
POPULAR = 40
_DISTRIBUTIONS = {"rest_framework": "djangorestframework", "prompt_toolkit": "prompt-toolkit"}


class Symbol(NamedTuple):
    """A definition to ask for: where it is and what it is called."""

    project: str
    name: str


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of one organisation; symbols are drawn with a fixed seed."""
    repositories = build(workspace / "repositories")
    with running_service(workspace / "data") as service:
        acme = Organization(service, "acme", service.create_organization("acme"))
        for repository in repositories:
            acme.index(repository, repository.name)
        projects = acme.get("index/status")["projects"]
        yield Figure("repositories", len(projects), "")
        yield Figure("references", sum(one["references"] for one in projects), "")
        symbols = definitions(repositories)
        client = Client(acme)
        drawn = draw(client, symbols)
        uses = Counter(one.name for one in symbols)
        popular = [Symbol("", name) for name, _ in uses.most_common(POPULAR)]
        yield from latencies("callers", ask(client, "callers", drawn), 20, 150)
        yield from latencies("callers of popular names", ask(client, "callers", popular), None, 150)
        yield from latencies("callees", ask(client, "callees", drawn), None, None)
        yield from latencies("graph of depth 2", ask(client, "graph", drawn, depth=2), 60, None)
        yield from export(acme, workspace)


def latencies(
    what: str, times: list[float], median: float | None, worst: float | None
) -> Iterator[Figure]:
    """p50 and p99 of some requests, with their bounds."""
    yield Figure(f"{what} p50", percentile(times, 50), "ms", median)
    yield Figure(f"{what} p99", percentile(times, 99), "ms", worst)


def export(acme: Organization, directory: Path) -> Iterator[Figure]:
    """The graph with all calls, as a file: how long it takes, and the command's memory."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "aeterna_code_search.cli",
            "graph",
            "export",
            "graph.duckdb",
            "--calls",
            "--force",
        ],
        cwd=directory,
        env=clean_environment(
            {
                "AETERNA_URL": acme.service.url,
                "AETERNA_TOKEN": acme.token,
                "AETERNA_ORGANIZATION": acme.slug,
            }
        ),
    )
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    with duckdb.connect(str(directory / "graph.duckdb"), read_only=True) as database:
        ((calls,),) = database.execute("SELECT count(*) FROM calls").fetchall()
    yield Figure("calls of an export", calls, "")
    yield Figure("export with calls", time.perf_counter() - started, "s", 600)
    yield Figure("memory of the export", usage.ru_maxrss / 1024, "MiB", 1024)


def draw(client: Client, symbols: list[Symbol]) -> list[Symbol]:
    """SYMBOLS of them that are indexed: files that are generated or vendored are not."""
    shuffled = random.Random(20).sample(sorted(set(symbols)), 2 * SYMBOLS)  # noqa: S311
    known = (one for one in shuffled if client.finds("/api/v1/trace/callers", _question(one)))
    return list(itertools.islice(known, SYMBOLS))


def ask(client: Client, kind: str, symbols: list[Symbol], **parameters: int) -> list[float]:
    """Milliseconds of each request; a symbol without a project means all of that name."""
    return [client.trace(kind, **_question(one), **parameters) for one in symbols]


def _question(symbol: Symbol) -> dict[str, str]:
    chosen = {"project": symbol.project} if symbol.project else {}
    return {"symbol": symbol.name, **chosen}


def build(
    directory: Path, *, count: int = REPOSITORIES, service_bytes: int = SERVICE_BYTES
) -> list[Path]:
    """The libraries, then services until there are `count` repositories."""
    libraries = [name for name in (*REFERENCE, *FURTHER) if package_directory(name)]
    repositories = [_library(directory, name, libraries) for name in libraries]
    parts = [part for name in libraries for part in _parts(directory / name / name)]
    random.Random(50).shuffle(parts)  # noqa: S311
    while len(repositories) < count:
        name = f"service-{len(repositories)}"
        repositories.append(_service(directory, name, libraries, parts, service_bytes))
    return repositories


def _library(directory: Path, name: str, libraries: list[str]) -> Path:
    repository = directory / name
    copy_sources(name, repository)
    others = [one for one in libraries if one != name]
    return _committed(repository, _DISTRIBUTIONS.get(name, name), others)


def _parts(package: Path) -> list[Path]:
    return sorted(file for file in package.rglob("*.py") if file.stat().st_size > 2_000)


def _service(
    directory: Path, name: str, libraries: list[str], parts: list[Path], least_bytes: int
) -> Path:
    """Files of the libraries, taken in turn, so that each service has others."""
    repository = directory / name
    package = repository / name.replace("-", "_")
    package.mkdir(parents=True)
    size = 0
    while size < least_bytes:
        part = parts.pop(0)
        parts.append(part)
        shutil.copyfile(part, package / f"{part.parent.name}_{part.name}")
        size += part.stat().st_size
    return _committed(repository, name, libraries)


def _committed(repository: Path, name: str, dependencies: list[str]) -> Path:
    wanted = ", ".join(f'"{_DISTRIBUTIONS.get(one, one)}>=1"' for one in dependencies)
    (repository / "pyproject.toml").write_text(
        f'[project]\nname = "{name}"\nversion = "1.0"\ndependencies = [{wanted}]\n'
    )
    new_repository(repository)
    commit_all(repository, "The corpus")
    return repository


def definitions(repositories: list[Path]) -> list[Symbol]:
    """Every public function, method and class, as often as it is defined."""
    found = []
    for repository in repositories:
        for file in sorted(repository.rglob("*.py")):
            try:
                tree = ast.parse(file.read_bytes())
            except SyntaxError:  # a test's file that is meant to be broken
                continue
            found += [
                Symbol(repository.name, node.name)
                for node in ast.walk(tree)
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                and not node.name.startswith("_")
            ]
    return found
