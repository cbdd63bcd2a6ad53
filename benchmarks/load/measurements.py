"""What is measured beside the clients: /livez from a process of its own, memory, applied runs."""

import http.client
import itertools
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from multiprocessing.connection import Connection
from typing import Final
from urllib.parse import urlsplit

import psutil

from benchmarks.load.deployment import Deployment
from benchmarks.resource_usage import opened_database
from scripts.local_service import Service

PROBE_SECONDS: Final = 0.1
PROBE_PRIORITY: Final = -10
SAMPLE_SECONDS: Final = 1.0
APPLIED_SECONDS: Final = 60.0  # after the last webhook
_ANSWER_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.2

_RUNS = """SELECT count(*) FILTER (WHERE state = 'applied' AND opened_at >= %(began)s),
    count(*) FILTER (WHERE state = 'stale' AND opened_at >= %(began)s),
    count(*) FILTER (WHERE state IN ('queued', 'applying')) FROM ingest_indexrun"""


@dataclass
class Measurements:
    """Seconds of each /livez, failures among them, and megabytes by part of the service."""

    livez: list[float] = field(default_factory=list)
    failures: int = 0
    memory: dict[str, list[float]] = field(default_factory=dict)
    processor: dict[str, float] = field(default_factory=dict)


@contextmanager
def measured(deployment: Deployment) -> Iterator[Measurements]:
    """Watch until the end of the block; the result is complete after it."""
    found = Measurements()
    context = multiprocessing.get_context("spawn")  # this process has threads
    ours, theirs = context.Pipe()
    prober = context.Process(target=_probe, args=(deployment.urls, theirs), daemon=True)
    prober.start()
    theirs.close()  # so that the end of the process is noticed here
    ours.recv()  # it asks from now on: beside many clients its start took the whole step
    ending = threading.Event()
    sampler = threading.Thread(target=_sample, args=(deployment, found.memory, ending))
    before = _seconds(deployment)
    sampler.start()
    try:
        yield found
    finally:
        ending.set()
        sampler.join()
        ours.send(None)
        found.livez, found.failures = ours.recv()
        prober.join()
        prober.close()
        ours.close()
        after = _seconds(deployment)
        found.processor = {part: after[part] - before[part] for part in before}


@dataclass(frozen=True)
class Runs:
    """Runs that were opened since a moment and are applied or stale, and all that still wait.

    The base of a stale one was moved meanwhile, by another run of its repository. One that waits
    counts whenever it was opened: it keeps its repository from opening another.
    """

    applied: int
    stale: int
    waiting: int


def runs_since(service: Service, began: datetime) -> Runs:
    """Wait until no run waits, at most APPLIED_SECONDS, then count."""
    deadline = time.monotonic() + APPLIED_SECONDS
    with opened_database(service) as database:
        while True:
            runs = Runs(*(database.execute(_RUNS, {"began": began}).fetchone() or (0, 0, 0)))
            if not runs.waiting or time.monotonic() > deadline:
                return runs
            time.sleep(_POLL_SECONDS)


def _probe(urls: Sequence[str], end: Connection) -> None:
    """Ask each process in turn, on a new connection each time, as an orchestrator does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this one
    with suppress(PermissionError):  # it asks from this machine, and its own wait is not measured
        os.setpriority(os.PRIO_PROCESS, 0, PROBE_PRIORITY)
    addresses = itertools.cycle(urlsplit(url).netloc for url in urls)
    seconds: list[float] = []
    failures = 0
    end.send(None)
    while not seconds or not end.poll(PROBE_SECONDS):
        began = time.perf_counter()
        connection = http.client.HTTPConnection(next(addresses), timeout=_ANSWER_SECONDS)
        try:
            connection.request("GET", "/livez")
            is_live = connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            is_live = False
        finally:
            connection.close()
        failures += not is_live
        seconds.append(time.perf_counter() - began)
    end.send((seconds, failures))


def _sample(
    deployment: Deployment, memory: dict[str, list[float]], ending: threading.Event
) -> None:
    while True:
        for part, processes in deployment.processes().items():
            memory.setdefault(part, []).append(sum(map(_megabytes, processes)))
        if ending.wait(SAMPLE_SECONDS):
            return


def _megabytes(process: psutil.Process) -> float:
    """What a process has of its own: PostgreSQL's backends share their buffers."""
    try:
        return float(process.memory_info().rss - process.memory_info().shared) / 1e6
    except psutil.NoSuchProcess:
        return 0.0


def _seconds(deployment: Deployment) -> dict[str, float]:
    """Processor time by part; of PostgreSQL with its backends that have ended."""
    return {part: sum(map(_own_seconds, some)) for part, some in deployment.processes().items()}


def _own_seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    ended = times.children_user + times.children_system
    return float(times.user + times.system + ended)
