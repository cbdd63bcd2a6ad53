"""A service of several processes: PostgreSQL with pgvector, Redis, a Celery worker, a web process.

For the benchmarks and the end-to-end tests. All are real; each can be killed and started again.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil
import redis

from scripts.local_service import (
    ROOT,
    Organization,
    Service,
    ServiceError,
    free_address,
    running_service,
)

SWEEP_SECONDS: Final = 1
LEASE_SECONDS: Final = 3
BACKFILL_LEASE_SECONDS: Final = 10
_WITH_BEAT: Final = ("--beat", "--scheduler", "central.observability.celery:BeatScheduler")
_WAIT_SECONDS: Final = 60


@dataclass
class RedisServer:
    """A Redis that keeps nothing: what is lost when it dies is lost."""

    address: str
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """For CELERY_BROKER_URL."""
        return f"redis://{self.address}/0"

    def start(self) -> None:
        """Start it and wait until it answers. Raises ServiceError."""
        host, port = self.address.split(":")
        self.process = subprocess.Popen(
            ["redis-server", "--bind", host, "--port", port, "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL,
        )
        with redis.Redis.from_url(self.url) as client:
            _wait_until(lambda: _answers(client), "Redis did not start")

    def kill(self) -> None:
        """End it by SIGKILL."""
        if self.process:
            self.process.kill()
            self.process.wait()


@dataclass
class Worker:
    """A Celery worker in a process group of its own; by default with the beat inside."""

    service: Service
    options: tuple[str, ...] = _WITH_BEAT
    name: str = "worker"
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        """Standard output and error of all its processes."""
        return self.service.data_dir / f"{self.name}.log"

    def start(self) -> None:
        """Start it; do not wait."""
        celery = ("-m", "celery", "-A", "central", "worker", "--concurrency", "1")
        celery += ("--without-gossip", "--without-mingle")  # as deploy/entrypoint.sh starts it
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *celery, "--hostname", f"{self.name}@%h", *self.options],
                cwd=ROOT,
                env=self.service.variables(),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def send(self, number: signal.Signals) -> None:
        """Send a signal to all its processes, unless it has ended."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """End all its processes by SIGKILL."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it by SIGTERM, as an orchestrator does, and wait."""
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        self.send(number)
        if self.process:
            self.process.wait(timeout=_WAIT_SECONDS)


@dataclass
class Deployment:
    """Everything that runs, and an organisation on it."""

    service: Service
    redis: RedisServer
    worker: Worker
    acme: Organization


@contextmanager
def running_deployment(
    data_dir: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Deployment]:
    """All parts, started, with short leases, and stopped at the end, whatever happens."""
    with running_redis() as redis_server:
        settings = {
            "CELERY_BROKER_URL": redis_server.url,
            "VECTOR_STORE_URL": "postgresql:",
            "AETERNA_BIND": free_address(),
            "AETERNA_SWEEP_SECONDS": str(SWEEP_SECONDS),
            "AETERNA_RUN_LEASE_SECONDS": str(LEASE_SECONDS),
            "AETERNA_BACKFILL_LEASE_SECONDS": str(BACKFILL_LEASE_SECONDS),
            "AETERNA_WORKER_METRICS_BIND": free_address(),
            **(environment or {}),
        }
        try:
            with (
                running_service(data_dir, settings) as service,
                running_worker(Worker(service)) as worker,
            ):
                acme = Organization(service, "acme", service.create_organization("acme"))
                yield Deployment(service, redis_server, worker, acme)
        finally:  # one that a command started while the service ran is not the service's to stop
            stop_postgresql(data_dir)


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    """A started Redis that is killed at the end."""
    server = RedisServer(free_address())
    try:
        server.start()
        yield server
    finally:
        server.kill()


@contextmanager
def running_worker(worker: Worker) -> Iterator[Worker]:
    """Start a worker, and stop it at the end."""
    try:
        worker.start()
        yield worker
    finally:
        worker.stop()


def postmaster(data_dir: Path) -> psutil.Process | None:
    """The first process of the PostgreSQL in a data directory, if it runs."""
    directory = data_dir / "postgres"
    try:
        process = psutil.Process(int((directory / "postmaster.pid").read_text().split()[0]))
        is_own = Path(process.cwd()) == directory.resolve()  # numbers are used again
    except (FileNotFoundError, ValueError, IndexError, psutil.NoSuchProcess):
        return None
    return process if is_own else None


def stop_postgresql(data_dir: Path) -> None:
    """End the database as its administrator would, at once and with clients connected."""
    process = postmaster(data_dir)
    if process:
        process.send_signal(signal.SIGINT)
        _wait_until(lambda: postmaster(data_dir) != process, "PostgreSQL did not stop")


def kill_postgresql(data_dir: Path) -> None:
    """Kill the first process of the database; the service starts it again. Raises ServiceError."""
    process = postmaster(data_dir)
    if process is None:
        raise ServiceError("PostgreSQL does not run")
    process.kill()


def _answers(client: "redis.Redis") -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


def _wait_until(condition: Callable[[], bool], complaint: str) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise ServiceError(complaint)
        time.sleep(0.02)
