"""The campaign of faults: its plan, and that it notices what is lost or wrong."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.faults.campaign import Clients, check_state
from benchmarks.faults.clients import Asker, CampaignError, Developer
from benchmarks.faults.command import kept_on_failure
from benchmarks.faults.last_state import last_state
from benchmarks.faults.plan import PROFILES, SITES, rounds
from benchmarks.faults.sites import Addressed, SeveralProcesses, State
from scripts.local_service import Organization, Service
from tests.e2e.several_processes import Broker, Worker
from tests.e2e.several_processes import Site as Processes
from tests.waiting import wait_until

CI, NIGHTLY = PROFILES["ci"], PROFILES["nightly"]
CLEAN: dict[str, Any] = {"missing": 0, "excess": 0, "differing": 0}


def test_the_profiles_have_the_kills_that_are_promised() -> None:
    assert sum(CI.kills.values()) == 20
    assert NIGHTLY.kills["several"] + NIGHTLY.kills["embedded"] >= 200
    assert set(NIGHTLY.kills) == set(SITES)


@pytest.mark.parametrize("site", SITES)
def test_a_seed_repeats_the_plan_and_each_victim_has_its_share(site: str) -> None:
    plan = list(rounds(NIGHTLY, 7, site))
    assert plan == list(rounds(NIGHTLY, 7, site))
    kills = [kill for kills in plan for kill in kills]
    assert len(kills) == NIGHTLY.kills[site]
    shares = Counter(kill.victim for kill in kills)
    assert set(shares) == set(SITES[site])
    assert max(shares.values()) - min(shares.values()) <= 1


def test_another_seed_is_another_plan() -> None:
    assert list(rounds(NIGHTLY, 7, "several")) != list(rounds(NIGHTLY, 8, "several"))


def state(**changes: Any) -> State:
    clean = {"dumps": {"a": "1", "a-afresh": "1"}, "found": [CLEAN], "repaired": [CLEAN]}
    return State(**{**clean, "live": [], **changes})


def test_what_may_be_left_by_a_kill_is_no_loss() -> None:
    check_state(state(found=[CLEAN | {"excess": 3}]), ["a"])


@pytest.mark.parametrize(
    "loss",
    [
        {"dumps": {"a": "1", "a-afresh": "2"}},
        {"found": [CLEAN | {"missing": 1}]},
        {"found": [CLEAN | {"differing": 1}]},
        {"repaired": [CLEAN | {"excess": 1}]},
        {"live": ["a run"]},
    ],
)
def test_a_loss_is_noticed(loss: dict[str, Any]) -> None:
    with pytest.raises(CampaignError):
        check_state(state(**loss), ["a"])


@pytest.fixture
def developer(tmp_path: Path) -> Developer:
    acme = Organization(Service(tmp_path / "data"), "acme", "no token")
    made = Developer(acme, tmp_path / "shop", seed=1, files=2, environment={})
    made._push()
    return made


def answer(developer: Developer, **changes: Any) -> dict[str, Any]:
    content = (developer.branch.path / "src/module_0.py").read_text()
    result = {
        "commit": developer.head, "file": "src/module_0.py", "content_start_line": 1,
        "content": content, "truncated": False,
    }  # fmt: skip
    return {"results": [result | changes]}


def test_answers_are_compared_with_git(developer: Developer) -> None:
    asker = Asker(developer._acme, [developer])
    asker._check(developer, answer(developer))
    for wrong in ({"commit": "a" * 40}, {"content": "other\n"}, {"content_start_line": 2}):
        with pytest.raises(CampaignError):
            asker._check(developer, answer(developer, **wrong))


def test_a_seed_repeats_the_pushes(developer: Developer, tmp_path: Path) -> None:
    again = tmp_path / "again"
    again.mkdir()
    same = Developer(developer._acme, again / "shop", seed=1, files=2, environment={})
    same._push()
    tree = "HEAD^{tree}"
    assert same.branch.git("rev-parse", tree) == developer.branch.git("rev-parse", tree)


@pytest.fixture
def service(tmp_path: Path) -> Service:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    return Addressed(data_dir, {"AETERNA_BIND": "127.0.0.1:1"})


def test_a_part_that_ends_unasked_is_noticed_at_once(
    service: Service, developer: Developer
) -> None:
    with subprocess.Popen([sys.executable, "-c", "exit(3)"]) as ended:
        pass
    acme = Organization(service, "acme", "no token")
    parts = Processes(service, Broker("127.0.0.1:1"), Worker(service, ended), acme)
    clients = Clients([developer], Asker(acme, [developer]), SeveralProcesses(parts))
    with pytest.raises(CampaignError, match="the worker ended with 3"):
        clients.wait_until(lambda: False, "it does not come to pass")


HANGS = """
import time
def waits_for_ever():
    print("waits", flush=True)
    time.sleep(3600)
waits_for_ever()
"""


def test_the_last_state_shows_what_each_process_does_and_ends_it(service: Service) -> None:
    log = service.data_dir / "worker.log"
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [sys.executable, "-c", HANGS],
            env=service.variables(),
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as hanging,
    ):
        wait_until(lambda: b"waits" in log.read_bytes())
        text = last_state(service)
    assert f"{hanging.pid} " in text
    assert "Fatal Python error: Aborted" in text
    assert "in waits_for_ever" in text
    assert "PostgreSQL: " in text, "why its sessions cannot be asked for"


def test_a_workspace_is_kept_after_a_failure_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with kept_on_failure() as workspace:
        assert workspace.is_dir()
    assert not workspace.exists()
    with pytest.raises(CampaignError), kept_on_failure() as workspace:
        raise CampaignError
    assert str(workspace) in capsys.readouterr().out
    workspace.rmdir()
