"""A service of several processes: PostgreSQL with pgvector, Redis, a Celery worker, a web process.

All are real; each can be killed and started again.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import redis

from scripts.local_service import ROOT, Organization, Service, free_address
from tests.waiting import wait_until

CELERY = ("-m", "celery", "-A", "central", "worker", "--concurrency", "1", "--beat")
CELERY += ("--without-gossip", "--without-mingle")  # as deploy/entrypoint.sh starts it
SCHEDULER = ("--scheduler", "central.observability.celery:BeatScheduler")
SWEEP_SECONDS = 1
LEASE_SECONDS = 3
BACKFILL_LEASE_SECONDS = 10


@dataclass
class Broker:
    """A Redis server that keeps nothing: what is lost when it dies is lost."""

    address: str
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """For CELERY_BROKER_URL."""
        return f"redis://{self.address}/0"

    def start(self) -> None:
        """Start it and wait until it answers."""
        host, port = self.address.split(":")
        self.process = subprocess.Popen(
            ["redis-server", "--bind", host, "--port", port, "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL,
        )
        client = redis.Redis.from_url(self.url)
        wait_until(lambda: answers(client), "Redis did not start")
        client.close()

    def kill(self) -> None:
        """End it by SIGKILL."""
        if self.process:
            self.process.kill()
            self.process.wait()


@dataclass
class Worker:
    """A Celery worker with the beat inside, in a process group of its own."""

    service: Service
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; do not wait."""
        with (self.service.data_dir / "worker.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *CELERY, *SCHEDULER],
                cwd=ROOT,
                env=self.service.variables(),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def send(self, number: signal.Signals) -> None:
        """Send a signal to all its processes."""
        assert self.process
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """End all its processes by SIGKILL."""
        self.end(signal.SIGKILL)

    def end(self, number: signal.Signals) -> None:
        """Send the signal, unless it has ended, and wait for the end."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, number)
            self.process.wait(timeout=60)


@dataclass
class Site:
    """Everything that runs, and an organisation on it."""

    service: Service
    broker: Broker
    worker: Worker
    acme: Organization


def answers(client: redis.Redis) -> bool:
    """Whether the server is up."""
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


@contextmanager
def running_site(data_dir: Path, environment: Mapping[str, str] | None = None) -> Iterator[Site]:
    """All parts, started, with short leases, and stopped at the end, whatever happens."""
    broker = Broker(free_address())
    service = Service(
        data_dir,
        {
            "CELERY_BROKER_URL": broker.url,
            "VECTOR_STORE_URL": "postgresql:",
            "AETERNA_BIND": free_address(),
            "AETERNA_SWEEP_SECONDS": str(SWEEP_SECONDS),
            "AETERNA_RUN_LEASE_SECONDS": str(LEASE_SECONDS),
            "AETERNA_BACKFILL_LEASE_SECONDS": str(BACKFILL_LEASE_SECONDS),
            "AETERNA_WORKER_METRICS_BIND": free_address(),
            **(environment or {}),
        },
    )
    worker = Worker(service)
    with ExitStack() as stack:
        stack.callback(end_postgresql, service)
        stack.callback(broker.kill)
        broker.start()
        stack.callback(service.stop)
        service.start()
        stack.callback(worker.end, signal.SIGTERM)
        worker.start()
        yield Site(
            service,
            broker,
            worker,
            Organization(service, "acme", service.create_organization("acme")),
        )


def end_postgresql(service: Service) -> None:
    """One that a command started while the service ran is not the service's to stop."""
    if (service.data_dir / "postgres" / "postmaster.pid").exists():
        stop_postgresql(service)


def stop_postgresql(service: Service) -> None:
    """End the database as its administrator would, at once and with clients connected."""
    first_line = (service.data_dir / "postgres" / "postmaster.pid").read_text().splitlines()[0]
    postmaster = psutil.Process(int(first_line))
    postmaster.send_signal(signal.SIGINT)
    wait_until(
        lambda: not postmaster.is_running() or postmaster.status() == psutil.STATUS_ZOMBIE,
        "PostgreSQL did not stop",
    )
