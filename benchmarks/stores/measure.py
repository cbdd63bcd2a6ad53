"""The figures of one store: loading, upkeep, size, latency and recall in three shapes, writes."""

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.stores.extraction import installed_chunks
from benchmarks.stores.open_stores import Opened, names, opened
from benchmarks.stores.population import Population, batches, collection, populate
from benchmarks.stores.questions import Question, ask_about
from benchmarks.tables import Figure, percentile
from indexer.store.base import VectorStore

CHUNKS = 20_000
QUESTIONS = 200
WRITTEN_A_SECOND = 20
_BATCH = 1000
_WRITING_SECONDS = 15
_RECALL = 0.95
_MEGABYTE = 1e6


class Shape(NamedTuple):
    """A kind of search, and the questions of that kind."""

    name: str
    questions: list[Question]


def measure(workspace: Path) -> Iterator[Figure]:
    """All stores that can be measured here, at a modest size."""
    yield from measure_stores(workspace, names(), CHUNKS)


def measure_stores(workspace: Path, stores: Sequence[str], chunks: int) -> Iterator[Figure]:
    """Figures of some stores with the same `chunks` chunks in each."""
    population = populate(installed_chunks(), chunks)
    questions = ask_about(population, QUESTIONS)
    shapes = [
        Shape("50 projects", questions.organization_wide()),
        Shape("one project", questions.of_projects()),
        Shape("2 % filter", questions.filtered()),
    ]
    for name in stores:
        with opened(name, workspace) as store:
            for figure in _of_store(store, population, shapes):
                yield Figure(f"{name}, {chunks:,}: {figure.name}", *_rest(figure))


def _rest(figure: Figure) -> tuple[float, str, float | None, bool]:
    return figure.value, figure.unit, figure.bound, figure.at_least


def _of_store(opened: Opened, population: Population, shapes: Sequence[Shape]) -> Iterator[Figure]:
    store = opened.store
    seconds = _load(store, population)
    yield Figure("load", len(population) / seconds, "points/s")
    started = time.perf_counter()
    store.maintain()
    yield Figure("upkeep after the load", time.perf_counter() - started, "s")
    yield Figure("on disk", opened.disk() / _MEGABYTE, "MB")
    for shape in shapes:
        yield from _searched(opened, shape)
    yield Figure("resident", opened.memory() / _MEGABYTE, "MB")
    yield from _beside_writes(store, population, shapes[0])


def _load(store: VectorStore, population: Population) -> float:
    """Seconds spent in the store, without those that making the points takes."""
    seconds = 0.0
    for place, points in batches(population, _BATCH):
        started = time.perf_counter()
        store.upsert(place, points)
        seconds += time.perf_counter() - started
    return seconds


def _searched(opened: Opened, shape: Shape) -> Iterator[Figure]:
    hits = [_ask(opened.store, question)[1] for question in shape.questions]
    before = opened.cpu()
    times = [_ask(opened.store, question)[0] for question in shape.questions]
    cpu = 1000 * (opened.cpu() - before) / len(times)
    yield Figure(f"{shape.name}, p50", percentile(times, 50), "ms")
    yield Figure(f"{shape.name}, p99", percentile(times, 99), "ms")
    yield Figure(f"{shape.name}, the server's CPU time, mean", cpu, "ms")
    recalled = [
        question.recall(found) for question, found in zip(shape.questions, hits, strict=True)
    ]
    mean = sum(recalled) / len(recalled)
    yield Figure(f"{shape.name}, recall@10 (dense)", mean, "", _RECALL, at_least=True)


def _ask(store: VectorStore, question: Question) -> tuple[float, list[bytes]]:
    """Milliseconds, and the ids of the dense half."""
    started = time.perf_counter()
    [hits] = store.search(question.collections, [question.query])
    taken = 1000 * (time.perf_counter() - started)
    return taken, [hit.id.bytes for hit in hits.dense]


def _beside_writes(store: VectorStore, population: Population, shape: Shape) -> Iterator[Figure]:
    """Searches while the first project's points are written again, so many a second."""
    stop = threading.Event()
    members = population.members(0)
    writes: list[float] = []

    def write() -> None:
        start = 0
        while not stop.wait(1.0):
            points = population.points(members[start : start + WRITTEN_A_SECOND])
            started = time.perf_counter()
            store.upsert(collection(0), points)
            writes.append(1000 * (time.perf_counter() - started))
            start = (start + WRITTEN_A_SECOND) % len(members)

    writer = threading.Thread(target=write)
    writer.start()
    times: list[float] = []
    ends = time.monotonic() + _WRITING_SECONDS
    while time.monotonic() < ends:
        times.append(_ask(store, shape.questions[len(times) % len(shape.questions)])[0])
    stop.set()
    writer.join()
    name = f"{shape.name}, {WRITTEN_A_SECOND} points/s written"
    yield Figure(f"{name}, p50", percentile(times, 50), "ms")
    yield Figure(f"{name}, p99", percentile(times, 99), "ms")
    yield Figure(f"a write of {WRITTEN_A_SECOND}, p50", percentile(writes, 50), "ms")
