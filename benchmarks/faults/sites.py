"""The services that a campaign runs against, the ways to kill their parts, and their state."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import psutil

from benchmarks.faults.clock import Clock
from benchmarks.faults.plan import DISK_FULL
from scripts.local_service import ROOT, Organization, Service, free_address, running_service
from tests.e2e.several_processes import Site as Processes
from tests.e2e.several_processes import running_site

_HOUR = 3600
_STATE_SECONDS = 300
_DISK_BYTES = 700 << 20


@dataclass(frozen=True)
class State:
    """The index: dumps by project, reports of reconcile before and after a repair, live runs."""

    dumps: Mapping[str, str]
    found: list[dict[str, Any]]
    repaired: list[dict[str, Any]]
    live: list[str]


class Site(Protocol):
    """A running service."""

    acme: Organization  # at an address that stays the same
    client_environment: Mapping[str, str]

    def kill(self, victim: str) -> None:
        """Kill a part, and start it again unless the service itself does."""

    def settle(self) -> None:
        """End a fault that lasts."""

    def ended(self) -> str:
        """Name the parts that have ended without having been killed."""

    def state(self, projects: list[str]) -> State:
        """Read the state of the index; open runs of killed clients are expired first."""


class Addressed(Service):
    """A service at a known address, also while it is not there."""

    @property
    def url(self) -> str:
        """As it was told to listen."""
        return f"http://{self.environment['AETERNA_BIND']}"


def _addressed(acme: Organization) -> Organization:
    service = acme.service
    return Organization(Addressed(service.data_dir, service.environment), acme.slug, acme.token)


class SeveralProcesses:
    """A web process, a worker, Redis and PostgreSQL."""

    client_environment: Mapping[str, str] = MappingProxyType({})

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self.acme = _addressed(processes.acme)

    def kill(self, victim: str) -> None:
        """See Site."""
        parts = self._processes
        if victim == "server":
            parts.service.kill()
            parts.service.start()
        elif victim == "worker":
            parts.worker.kill()
            parts.worker.start()
        elif victim == "redis":
            parts.broker.kill()
            parts.broker.start()
        else:
            kill_postgresql(parts.service)

    def settle(self) -> None:
        """See Site."""

    def ended(self) -> str:
        """See Site."""
        parts = self._processes
        return _ended(
            server=parts.service.process, worker=parts.worker.process, redis=parts.broker.process
        )

    def state(self, projects: list[str]) -> State:
        """See Site."""
        return State(**_inspected(self._processes.service, projects))


class MovedClock(SeveralProcesses):
    """The same on a machine whose clock is set an hour forward and back; clients have it, too."""

    def __init__(self, processes: Processes, clock: Clock) -> None:
        super().__init__(processes)
        self._clock = clock
        self.client_environment = clock.environment

    def kill(self, victim: str) -> None:
        """See Site."""
        if victim.startswith("clock"):
            self._clock.move(_HOUR if victim == "clock forward" else -_HOUR)
        else:
            super().kill(victim)

    def settle(self) -> None:
        """See Site."""
        self._clock.set(0)


class Embedded:
    """One server, with its PostgreSQL and the process of its vector store."""

    client_environment: Mapping[str, str] = MappingProxyType({})

    def __init__(self, service: Service) -> None:
        self._service = service
        self.acme = _addressed(service.organization("acme"))

    def kill(self, victim: str) -> None:
        """See Site."""
        if victim == "server":
            self._service.kill()
            self._service.start()
        elif victim == "store":
            assert self._service.process
            children = psutil.Process(self._service.process.pid).children(recursive=True)
            for child in children:
                if "indexer.store.edge.child" in child.cmdline():
                    child.kill()
        else:
            kill_postgresql(self._service)

    def settle(self) -> None:
        """See Site."""

    def ended(self) -> str:
        """See Site."""
        return _ended(server=self._service.process)

    def state(self, projects: list[str]) -> State:
        """See Site; only the server can read its store."""
        live = _inspected(self._service, [])["live"]
        dumps = {project: self.acme.dump(project) for project in projects}
        found, repaired = (
            self._service.ask("reconcile", repair=repair).json()["repositories"]
            for repair in (True, False)
        )
        return State(dumps, found, repaired, live)


class SmallDisk(Embedded):
    """The same on a file system of its own, which can be filled."""

    client_environment: Mapping[str, str] = MappingProxyType({"AETERNA_RETRY_SECONDS": "10"})

    def kill(self, victim: str) -> None:
        """Fill the disk to the last byte."""
        assert victim == DISK_FULL
        with suppress(OSError), self._ballast.open("wb", buffering=0) as file:
            while file.write(bytes(1 << 20)):
                pass

    def settle(self) -> None:
        """See Site."""
        self._ballast.unlink(missing_ok=True)

    @property
    def _ballast(self) -> Path:
        return self._service.data_dir.parent / "ballast"


@contextmanager
def small_disk(directory: Path) -> Iterator[Path]:
    """Mount a small file system, for which one must be root; yields a data directory in it."""
    directory.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={_DISK_BYTES},mode=711", "tmpfs"]
    subprocess.run(["mount", *options, directory], check=True)
    try:
        yield directory / "data"
    finally:
        subprocess.run(["umount", "--lazy", directory], check=True)


def _ended(**parts: subprocess.Popen[bytes] | None) -> str:
    codes = {name: part.poll() for name, part in parts.items() if part}
    return ", ".join(
        f"the {name} ended with {code}" for name, code in codes.items() if code is not None
    )


def kill_postgresql(service: Service) -> None:
    """Kill its first process; the service starts it again."""
    lines = (service.data_dir / "postgres" / "postmaster.pid").read_text().splitlines()
    psutil.Process(int(lines[0])).kill()


def _inspected(service: Service, projects: list[str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.faults.inspection", "acme", *projects],
        cwd=ROOT,
        env=service.variables() | {"AETERNA_RUN_EXPIRES_MINUTES": "0"},
        timeout=_STATE_SECONDS,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the index cannot be read:\n{done.stderr}")
    state: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return state


@contextmanager
def running(name: str, data_dir: Path, environment: Mapping[str, str]) -> Iterator[Site]:
    """Start a site of one of the names in `plan.SITES`."""
    if name == "several":
        with running_site(data_dir, environment) as processes:
            yield SeveralProcesses(processes)
    elif name == "clock":
        clock = Clock(data_dir.parent)
        with running_site(data_dir, {**environment, **clock.environment}) as processes:
            yield MovedClock(processes, clock)
    elif name == "disk":
        address = {"AETERNA_BIND": free_address()}
        with (
            small_disk(data_dir.parent / "disk") as place,
            running_service(place, {**environment, **address}) as service,
        ):
            yield SmallDisk(service)
    else:
        address = {"AETERNA_BIND": free_address()}
        with running_service(data_dir, {**environment, **address}) as service:
            yield Embedded(service)
