"""The campaign of faults: a kill is done, and recovery is work that began after it."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchmarks.faults import campaign
from benchmarks.faults.campaign import Campaign, Clients
from benchmarks.faults.clients import CampaignError, Developer, Searcher
from benchmarks.faults.plan import DISK_FULL, PROFILES, Kill
from benchmarks.faults.targets import Embedded, Target, _kill_store
from scripts.local_service import Organization, Service
from tests.waiting import wait_until

STORE = [sys.executable, "-c", "input()", "indexer.store.edge.child"]
SERVER = f"import subprocess; subprocess.run({STORE})"


class Attempts(Organization):
    """Its indexers end at once: the first with an error, the second well."""

    started: list[float]

    def start_index(self, *_: Any, **__: Any) -> "subprocess.Popen[str]":
        self.started.append(time.monotonic())
        command = [sys.executable, "-c", f"exit({len(self.started)} == 1)"]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def acme(tmp_path: Path) -> Organization:
    return Organization(Service(tmp_path / "data", {"AETERNA_BIND": ""}), "acme", "no token")


@pytest.fixture
def developer(acme: Organization, tmp_path: Path) -> Developer:
    return Developer(acme, tmp_path / "shop", seed=1, files=2, environment={}, may_fail=True)


def test_an_index_began_with_the_attempt_that_succeeded(
    acme: Organization, developer: Developer
) -> None:
    developer._acme = attempts = Attempts(acme.service, acme.slug, acme.token)
    attempts.started = []
    developer.finish()  # no pause between the attempts
    developer._index()
    assert developer.failures == developer.indexed == 1
    first, second = attempts.started
    assert first < developer.index_began <= second


class FailingClients(Clients):
    """One more indexer has failed each time that one asks."""

    numbers = count()

    @property
    def failures(self) -> int:
        return next(self.numbers)


class Killed(Target):
    """Its searcher answers all the time. A push that is under way at the kill ends well."""

    def __init__(
        self, acme: Organization, developer: Developer, *, index_seconds: float, absent: int = 0
    ) -> None:
        super().__init__(acme)
        self.clients = FailingClients([developer], Searcher(acme, [developer]), self)
        self.clients.searcher.answered_at = float("inf")
        self._developer = developer
        self._index_seconds = index_seconds
        self.absent = absent  # from so many attempts to kill it

    def kill(self, victim: str) -> bool:  # noqa: ARG002 (as of all targets)
        self.absent -= 1
        self._end_index(time.monotonic() - 1)
        return self.absent < 0

    def settle(self) -> None:
        self._end_index(time.monotonic() + self._index_seconds)

    def _end_index(self, began: float) -> None:
        self._developer.indexed += 1
        self._developer.index_began = began


def killed(target: Killed, victim: str) -> Campaign:
    made = Campaign(name="made", target=target, workspace=Path(), profile=PROFILES["ci"], seed=1)
    made._kill(Kill(victim, 0, during_apply=False), target.clients)
    return made


@pytest.mark.parametrize("victim", ["server", DISK_FULL])
def test_an_index_that_began_before_a_kill_is_no_recovery(
    acme: Organization, developer: Developer, victim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign, "_RECOVERY_SECONDS", 0.2)
    target = Killed(acme, developer, index_seconds=-1)
    with pytest.raises(CampaignError, match="no index that began after it"):
        killed(target, victim)


def test_an_index_that_began_with_space_again_is_recovery(
    acme: Organization, developer: Developer
) -> None:
    [recovery] = killed(Killed(acme, developer, index_seconds=1), DISK_FULL).recoveries
    assert recovery.victim == DISK_FULL


def test_a_victim_that_is_just_being_replaced_is_waited_for(
    acme: Organization, developer: Developer, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Killed(acme, developer, index_seconds=1, absent=2)
    assert killed(target, DISK_FULL).recoveries
    assert developer.indexed == 4, "three attempts and an index after them"
    monkeypatch.setattr(campaign, "_RECOVERY_SECONDS", 0)
    target.absent = 2
    with pytest.raises(CampaignError, match="there was no server to kill"):
        killed(target, "server")


@contextmanager
def running(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_store_of_a_server_is_killed_if_there_is_one(acme: Organization) -> None:
    target = Embedded(acme)
    with running(sys.executable, "-c", SERVER) as server:
        acme.service.process = server
        wait_until(lambda: target.kill("store"))
        wait_until(lambda: server.poll() is not None)
        assert not target.kill("store"), "neither the server nor its store lives"
    with running(sys.executable, "-c", "input()") as acme.service.process:
        assert not target.kill("store")


def test_a_process_that_ends_meanwhile_is_no_store() -> None:
    with running(*STORE) as ended:
        process = psutil.Process(ended.pid)
    assert not _kill_store(process)
