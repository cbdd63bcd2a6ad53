"""The services that a campaign runs against, the ways to kill their parts, and their state."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import psutil

from benchmarks.faults.clients import CampaignError
from benchmarks.faults.clock import Clock
from benchmarks.faults.plan import DISK_FULL
from scripts.local_deployment import (
    Deployment,
    RedisServer,
    Worker,
    kill_postgresql,
    running_deployment,
)
from scripts.local_service import ROOT, Organization, Service, free_address, running_service

_HOUR = 3600
_STATE_SECONDS = 300
_DISK_BYTES = 700 << 20
_KEEP_MOUNTED = """\
mount -t tmpfs -o "$1" tmpfs "$2"
echo mounted
cat >/dev/null
umount --lazy "$2"
"""


@dataclass(frozen=True)
class IndexState:
    """The index: dumps by project, reports of reconcile before and after a repair, live runs."""

    dumps: Mapping[str, str]
    found: list[dict[str, Any]]
    repaired: list[dict[str, Any]]
    live: list[str]


class Target:
    """A running service. A part that is killed is started again, unless the service does it."""

    client_environment: Mapping[str, str] = MappingProxyType({})

    def __init__(self, acme: Organization) -> None:
        self._service = acme.service
        at_its_address = AddressedService(acme.service.data_dir, acme.service.environment)
        self.acme = replace(acme, service=at_its_address)
        self._parts: dict[str, Worker | RedisServer] = {}  # besides the server

    def kill(self, victim: str) -> bool:
        """Kill one of the victims that `plan.TARGETS` names, or cause another fault.

        False: it was not there, as when it is just being replaced.
        """
        if victim == "server":
            self._service.kill()
            self._service.start()
        elif victim == "postgresql":
            kill_postgresql(self._service.data_dir)
        else:
            raise ValueError(victim)
        return True

    def settle(self) -> None:
        """End a fault that lasts."""

    def ended(self) -> str:
        """Name the parts that have ended without having been killed."""
        parts: dict[str, Service | Worker | RedisServer] = {"server": self._service, **self._parts}
        codes = {name: part.process.poll() for name, part in parts.items() if part.process}
        return ", ".join(
            f"the {name} ended with {code}" for name, code in codes.items() if code is not None
        )

    def state(self, projects: list[str]) -> IndexState:
        """Read the state of the index; open runs of killed clients are expired first."""
        return IndexState(**_inspected(self._service, projects))


class AddressedService(Service):
    """A service at a known address, also while it is not there."""

    @property
    def url(self) -> str:
        """As it was told to listen."""
        return f"http://{self.environment['AETERNA_BIND']}"


class SeveralProcesses(Target):
    """A web process, a worker, Redis and PostgreSQL."""

    def __init__(self, deployment: Deployment) -> None:
        super().__init__(deployment.acme)
        self._parts = {"worker": deployment.worker, "redis": deployment.redis}

    def kill(self, victim: str) -> bool:
        """See Target."""
        part = self._parts.get(victim)
        if part is None:
            return super().kill(victim)
        part.kill()
        part.start()
        return True


class MovedClock(SeveralProcesses):
    """The same on a machine whose clock is set an hour forward and back; clients have it, too."""

    def __init__(self, deployment: Deployment, clock: Clock) -> None:
        super().__init__(deployment)
        self._clock = clock
        self.client_environment = clock.environment

    def kill(self, victim: str) -> bool:
        """See Target."""
        if not victim.startswith("clock"):
            return super().kill(victim)
        self._clock.move(_HOUR if victim == "clock forward" else -_HOUR)
        return True

    def settle(self) -> None:
        """See Target."""
        self._clock.set(0)


class Embedded(Target):
    """One server, with its PostgreSQL and the process of its vector store."""

    def kill(self, victim: str) -> bool:
        """See Target."""
        if victim != "store":
            return super().kill(victim)
        assert self._service.process
        is_killed = False
        with suppress(psutil.NoSuchProcess):  # the server: `ended` names it
            for child in psutil.Process(self._service.process.pid).children(recursive=True):
                is_killed |= _kill_store(child)
        return is_killed

    def state(self, projects: list[str]) -> IndexState:
        """See Target; only the server can read its store."""
        live = _inspected(self._service, [])["live"]
        dumps = {project: self.acme.dump(project) for project in projects}
        found, repaired = (
            self._service.ask("reconcile", repair=repair).json()["repositories"]
            for repair in (True, False)
        )
        return IndexState(dumps, found, repaired, live)


class SmallDisk(Embedded):
    """The same on a file system of its own, which can be filled."""

    client_environment: Mapping[str, str] = MappingProxyType({"AETERNA_RETRY_SECONDS": "10"})

    def kill(self, victim: str) -> bool:
        """Fill the disk to the last byte."""
        assert victim == DISK_FULL
        with suppress(OSError), self._ballast.open("wb", buffering=0) as file:
            while file.write(bytes(1 << 20)):
                pass
        return True

    def settle(self) -> None:
        """See Target."""
        self._ballast.unlink(missing_ok=True)

    @property
    def _ballast(self) -> Path:
        return self._service.data_dir.parent / "ballast"


@contextmanager
def small_disk(directory: Path) -> Iterator[Path]:
    """Mount a small file system, for which one must be root; yields a data directory in it.

    It is unmounted by a process that waits for the end of this one, so that SIGKILL leaves none.
    """
    directory.mkdir()
    keeper = subprocess.Popen(
        ["sh", "-euc", _KEEP_MOUNTED, "sh", f"size={_DISK_BYTES},mode=711", directory],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert keeper.stdin
    assert keeper.stdout
    try:
        if not keeper.stdout.readline():
            raise CampaignError(f"{directory} cannot be mounted; for that one must be root.")
        yield directory / "data"
    finally:
        keeper.stdin.close()
        keeper.wait()
        keeper.stdout.close()


def _kill_store(process: psutil.Process) -> bool:
    """Kill a process if it is a store's that lives; return whether it is."""
    with suppress(psutil.NoSuchProcess):
        if "indexer.store.edge.child" in process.cmdline():
            process.kill()
            return True
    return False


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
def running(name: str, data_dir: Path, environment: Mapping[str, str]) -> Iterator[Target]:
    """Start a target of one of the names in `plan.TARGETS`."""
    if name == "several":
        with running_deployment(data_dir, environment) as deployment:
            yield SeveralProcesses(deployment)
    elif name == "clock":
        clock = Clock(data_dir.parent)
        with running_deployment(data_dir, {**environment, **clock.environment}) as deployment:
            yield MovedClock(deployment, clock)
    else:
        is_small = name == "disk"
        disk = small_disk(data_dir.parent / "disk") if is_small else nullcontext(data_dir)
        settings = {**environment, "AETERNA_BIND": free_address()}
        with disk as directory, running_service(directory, settings) as service:
            acme = service.organization("acme")
            yield SmallDisk(acme) if is_small else Embedded(acme)
