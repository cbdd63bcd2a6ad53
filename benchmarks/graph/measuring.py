"""Questions, policies and snapshots of an organisation of 100,000 chunks and 100,000 edges."""

import itertools
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg

from benchmarks import tracing
from benchmarks.client import Client
from benchmarks.corpora import python_repository
from benchmarks.pages import SERVICE_BYTES, fill
from benchmarks.resource_usage import opened_database
from benchmarks.tables import Figure, percentile
from scripts.local_git import commit_all
from scripts.local_service import Organization, running_service

DOCUMENTS = 1_000
EDGES = 100_000
ASKED = 60
CHANGED_FILES = 400
CHECKED_FILES = 1_000
POLICIES = 20
ROUNDS = 3
SYMBOLS = 1_000_000
_POLL_SECONDS = 0.1

_TEXTS = """SELECT f.path, left(c.text, 400)
    FROM corpus_chunk c JOIN corpus_file f ON f.id = c.file_id
    ORDER BY md5(c.point::text) LIMIT %s"""
_CODE_NODES = """INSERT INTO knowledge_node
    (organization_id, repository_id, kind, key, path, qualified_name, blob)
    SELECT r.organization_id, r.id, 'code_symbol', md5(f.path || '#' || s.qualified_name), f.path,
        s.qualified_name, f.blob
    FROM (SELECT DISTINCT ON (file_id, qualified_name) * FROM corpus_symbol) s
    JOIN corpus_file f ON f.id = s.file_id JOIN repositories_repository r ON r.id = f.repository_id
    ORDER BY md5(s.id::text) LIMIT %s ON CONFLICT DO NOTHING"""
# Each end is drawn by a hash, so that every run has the same shape.
_EDGES = """WITH documents AS (
        SELECT node_id AS id, row_number() OVER (ORDER BY node_id) - 1 AS at
        FROM knowledge_document),
    code AS (
        SELECT id, row_number() OVER (ORDER BY id) - 1 AS at FROM knowledge_node
        WHERE kind = 'code_symbol'),
    drawn AS (
        SELECT n, abs(hashint8(n)::bigint) AS one, abs(hashint8(n + 1000000000)::bigint) AS other
        FROM generate_series(1, %(edges)s) n)
    INSERT INTO knowledge_edge (organization_id, source_id, target_id, type, origin, properties,
        author, created_at, updated_at)
    SELECT (SELECT id FROM tenancy_organization WHERE slug = 'acme'),
        CASE WHEN n %% 3 = 0 THEN d.id ELSE s.id END, t.id,
        (ARRAY['mentions', 'implements', 'migrated_to'])[1 + n %% 3], 'explicit', '{}', '',
        now(), now()
    FROM drawn
    JOIN documents d ON d.at = one %% (SELECT count(*) FROM documents)
    JOIN code s ON s.at = one %% (SELECT count(*) FROM code)
    JOIN code t ON t.at = other %% (SELECT count(*) FROM code)
    WHERE s.id <> t.id ON CONFLICT DO NOTHING"""
_MORE_SYMBOLS = """INSERT INTO corpus_symbol
    (repository_id, file_id, name, qualified_name, kind, start_line, end_line, signature, exported,
        parts)
    SELECT repository_id, file_id, name || n, qualified_name || n, kind, start_line, end_line,
        signature, exported, parts
    FROM corpus_symbol, generate_series(1, %s) n"""
_APPLIED = """SELECT extract(epoch FROM ended_at - claimed_at) FROM ingest_indexrun
    WHERE state = 'applied' ORDER BY ended_at DESC LIMIT 1"""


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of one organisation."""
    repositories = tracing.build(workspace / "repositories", service_bytes=SERVICE_BYTES)
    with running_service(workspace / "data") as service, opened_database(service) as database:
        acme = Organization(service, "acme", service.create_organization("acme"))
        yield Figure("chunks", fill(acme, repositories), "")
        yield from policies(acme, database, workspace)
        yield Figure("edges", link(acme, database), "")
        database.execute("VACUUM ANALYZE")
        yield from questions(acme, database)
        yield from snapshots(acme, database)


def policies(
    acme: Organization, database: "psycopg.Connection[Any]", workspace: Path
) -> Iterator[Figure]:
    """How long an apply and the checks after it take."""
    repository = python_repository(workspace / "changed", megabytes=0)
    files = sorted(repository.rglob("*.py"))[:CHANGED_FILES]
    acme.index(repository, "changed")
    before = [_applied(acme, database, repository, files, n) for n in range(ROUNDS)]
    many = workspace / "many"
    checked = python_repository(many, megabytes=12)
    acme.index(checked, "many")
    _caught_up(acme, "many")
    started = time.perf_counter()
    # No word to look for, so each file is parsed; others than this project's would be first.
    add_policy(acme, 0, "kind: try_statement", project="many")
    _caught_up(acme, "many")
    seconds = time.perf_counter() - started
    count = len(list(checked.rglob("*.py")))
    yield Figure("a new policy: files", count, "")
    yield Figure("a new policy over 1,000 files", seconds * CHECKED_FILES / count, "s", 10)
    for number in range(1, POLICIES):
        add_policy(acme, number, f"pattern: return $VALUE.method_{number}()")
    _caught_up(acme, "changed")
    after, waited = [], []
    for number in range(ROUNDS):
        after.append(_applied(acme, database, repository, files, ROUNDS + number))
        started = time.perf_counter()
        _caught_up(acme, "changed")
        waited.append(time.perf_counter() - started)
    yield Figure("changed files", len(files), "")
    yield Figure("20 policies after an apply", statistics.median(waited), "s", 5)
    ratio = statistics.median(after) / statistics.median(before)
    yield Figure("apply with 20 policies, of one without", ratio, "x", 1.1)


def add_policy(acme: Organization, number: int, rule: str, **project: str) -> None:
    """A policy on Python."""
    acme.post(
        "graph/nodes",
        kind="policy",
        id=f"POL-{number}",
        title=f"Policy {number}",
        **project,
        policy={"rule": f"rule: {{{rule}}}", "language": "python"},
    )


def _applied(
    acme: Organization,
    database: "psycopg.Connection[Any]",
    repository: Path,
    files: Sequence[Path],
    number: int,
) -> float:
    """Change the files and index that; seconds of the apply."""
    for file in files:
        with file.open("a", encoding="utf-8") as output:
            output.write(f"\ndef added_{number}(value):\n    return value.method_{number}()\n")
    commit_all(repository, f"Change {number}")
    acme.index(repository, "changed")
    row = database.execute(_APPLIED).fetchone()
    return float(row[0]) if row else 0.0


def _caught_up(acme: Organization, project: str) -> None:
    while not acme.get("graph/violations", project=project, limit="1")["receipt"]["complete"]:
        time.sleep(_POLL_SECONDS)


def link(acme: Organization, database: "psycopg.Connection[Any]") -> int:
    """Documents by the API, edges between them and definitions as rows; how many edges."""
    texts = database.execute(_TEXTS, [DOCUMENTS]).fetchall()
    for number, (path, text) in enumerate(texts):
        kind = "memory" if number % 4 else "knowledge"
        body = " ".join(text.split())
        acme.post("graph/nodes", kind=kind, id=f"doc-{number}", title=f"About {path}", body=body)
    while acme.post("graph/refresh")["documents"]:
        time.sleep(_POLL_SECONDS)
    database.execute(_CODE_NODES, [EDGES])
    database.execute(_EDGES, {"edges": EDGES})
    row = database.execute("SELECT count(*) FROM knowledge_edge").fetchone()
    return int(row[0]) if row else 0


def questions(acme: Organization, database: "psycopg.Connection[Any]") -> Iterator[Figure]:
    """Latency over HTTP; each question is another one."""
    client = Client(acme)
    names = itertools.cycle(f"doc-{number}" for number in range(0, DOCUMENTS, 7))
    files = database.execute(
        """SELECT r.name, n.path FROM knowledge_node n
        JOIN repositories_repository r ON r.id = n.repository_id WHERE n.kind = 'code_symbol'
        ORDER BY md5(n.id::text) LIMIT %s""",
        [2 * ASKED],
    ).fetchall()
    code = itertools.cycle(files)

    def traverse(depth: int) -> float:
        return client.get("/api/v1/graph/traverse", depth=depth, **{"from": next(names)})

    def context() -> float:
        project, path = next(code)
        return client.get("/api/v1/graph/context", project=project, file=path)

    asked: dict[str, tuple[Callable[[], float], float | None]] = {
        "traverse of depth 1": (lambda: traverse(1), None),
        "traverse of depth 3": (lambda: traverse(3), 20),
        "context": (context, 150),
        "related": (
            lambda: client.get("/api/v1/graph/related", id=next(names), target_type="code"),
            None,
        ),
    }
    for what, (question, bound) in asked.items():
        for _ in range(5):
            question()
        times = [question() for _ in range(ASKED)]
        yield Figure(f"{what}: p50", percentile(times, 50), "ms", bound)
        yield Figure(f"{what}: p99", percentile(times, 99), "ms")
        yield Figure(f"{what}: answer", client.received / 1000, "kB")


def snapshots(acme: Organization, database: "psycopg.Connection[Any]") -> Iterator[Figure]:
    """Building the DuckDB file, and bringing it up to date, with a million nodes."""
    row = database.execute("SELECT count(*) FROM corpus_symbol").fetchone()
    copies = SYMBOLS // (int(row[0]) if row else 1)
    database.execute(_MORE_SYMBOLS, [copies])
    row = database.execute("SELECT count(*) FROM corpus_symbol").fetchone()
    yield Figure("snapshot: symbols", int(row[0]) if row else 0, "")
    client = Client(acme)
    yield Figure("snapshot: first", client.get("/api/v1/graph/snapshot") / 1000, "s", 30)
    yield Figure("snapshot: size", client.received / 1e6, "MB")
    acme.post("graph/nodes", kind="memory", title="A small change")
    yield Figure("snapshot: after a write", client.get("/api/v1/graph/snapshot") / 1000, "s", 5)
