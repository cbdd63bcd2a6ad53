"""The time of `type:diff`, alone or beside zoekt, which has a file of each commit's lines."""

import http.client
import json
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.exact import zoekt
from benchmarks.exact.corpus import IndexedFile
from benchmarks.exact.service import PAGE, ExactClient
from benchmarks.exact.zoekt import answer_of
from benchmarks.tables import Figure
from central.corpus.patches import unpack_patch
from indexer.records.hunks import parse_hunks
from scripts.local_service import Organization

LAPS, QUERIES = 3, 60
_SEED = 48
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{5,30}")
_PATCHES = """SELECT r.name, c.sha, p.data FROM corpus_commitpatch p
    JOIN corpus_commit c ON c.id = p.commit_id
    JOIN repositories_repository r ON r.id = p.repository_id ORDER BY r.name, c.sha"""


def changed_texts(database: "psycopg.Connection[Any]") -> list[IndexedFile]:
    """Return the changed lines of each commit as a file of its repository, named by its id."""
    return [
        IndexedFile(name, f"{sha}.txt", "text", _lines(unpack_patch(bytes(data))))
        for name, sha, data in database.execute(_PATCHES)
    ]


def _lines(patch: Sequence[tuple[str, str]]) -> str:
    rows = (row for _, text in patch for hunk in parse_hunks(text) for row in hunk.rows)
    return "".join(f"{text}\n" for _, text in rows)


def draw(texts: Sequence[IndexedFile]) -> list[tuple[str, str]]:
    """Return queries as both write them: identifiers, whole lines, and regular expressions."""
    drawing = random.Random(_SEED)  # noqa: S311
    found: list[tuple[str, str]] = []
    while len(found) < QUERIES:
        line = drawing.choice(drawing.choice(texts).content.splitlines() or [""]).strip()
        if not (names := _IDENTIFIER.findall(line)) or len(line) > 100 or '"' in line:
            continue
        name = drawing.choice(names)
        kind = len(found) % 3
        text = line if kind == 1 else name
        pattern = rf"\b{name[:-2]}\w+" if kind == 2 else re.escape(text)
        escaped = pattern.replace("/", r"\/")
        quoted = text.replace("\\", "\\\\")
        ours = f"/{escaped}/" if kind == 2 else f'"{quoted}"'
        written = pattern.replace("\\", "\\\\").replace('"', '\\"')
        found.append((f"type:diff case:yes {ours}", f'case:yes content:"{written}"'))
    return found


def alone(acme: Organization, texts: Sequence[IndexedFile]) -> Iterator[Figure]:
    """Yield the time of a page of ten."""
    client, samples = ExactClient(acme), []
    for query, _ in draw(texts) * LAPS:
        samples.append(_milliseconds(partial(client.ask_page, query)))
    client.disconnect()
    yield Figure("type:diff p50", statistics.median(samples), "ms", 20)


def beside_zoekt(
    acme: Organization, texts: Sequence[IndexedFile], programs: Path, workspace: Path
) -> Iterator[Figure]:
    """Yield the time of both for pages of ten, lap by lap, and whether both find something."""
    queries = draw(texts)
    index = zoekt.index(programs, texts, workspace / "zoekt")
    ours: list[float] = []
    theirs: list[float] = []
    client = ExactClient(acme)
    options = {"MaxDocDisplayCount": PAGE}
    with zoekt.running(programs, index) as rival:
        connection = http.client.HTTPConnection(rival.address)
        for _ in range(LAPS):
            client.disconnect()
            ours += [_milliseconds(partial(client.ask_page, query)) for query, _ in queries]
            theirs += [
                _milliseconds(partial(answer_of, connection, query, options))
                for _, query in queries
            ]
        client.disconnect()
        differing = sum(
            bool(client.page(query)["results"])
            != bool(json.loads(answer_of(connection, other, options))["Result"]["Files"])
            for query, other in queries
        )
        connection.close()
    p50 = statistics.median(theirs)
    yield Figure("type:diff p50", statistics.median(ours), "ms", max(20.0, 2 * p50))
    yield Figure("… zoekt", p50, "ms")
    yield Figure("type:diff p95", sorted(ours)[int(0.95 * len(ours))], "ms")
    yield Figure("queries that only one of both answers", differing, "", 0)


def _milliseconds(ask: Callable[[], object]) -> float:
    started = time.perf_counter()
    ask()
    return 1000 * (time.perf_counter() - started)
