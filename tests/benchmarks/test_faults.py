"""The campaign of faults: its plan, and that it notices what is lost or wrong."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.faults.campaign import check_state
from benchmarks.faults.clients import CampaignError, Developer, Searcher
from benchmarks.faults.plan import PROFILES, TARGETS, rounds
from benchmarks.faults.targets import IndexState
from scripts.local_service import Organization, Service

CI, NIGHTLY = PROFILES["ci"], PROFILES["nightly"]
CLEAN: dict[str, Any] = {"missing": 0, "excess": 0, "differing": 0}


def test_the_profiles_have_the_kills_that_are_promised() -> None:
    assert sum(CI.kills.values()) == 20
    assert NIGHTLY.kills["several"] + NIGHTLY.kills["embedded"] >= 200
    assert set(NIGHTLY.kills) == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_a_seed_repeats_the_plan_and_each_victim_has_its_share(target: str) -> None:
    plan = list(rounds(NIGHTLY, 7, target))
    assert plan == list(rounds(NIGHTLY, 7, target))
    kills = [kill for kills in plan for kill in kills]
    assert len(kills) == NIGHTLY.kills[target]
    shares = Counter(kill.victim for kill in kills)
    assert set(shares) == set(TARGETS[target])
    assert max(shares.values()) - min(shares.values()) <= 1


def test_another_seed_is_another_plan() -> None:
    assert list(rounds(NIGHTLY, 7, "several")) != list(rounds(NIGHTLY, 8, "several"))


def state(**changes: Any) -> IndexState:
    clean = {"dumps": {"a": "1", "a-afresh": "1"}, "found": [CLEAN], "repaired": [CLEAN]}
    return IndexState(**{**clean, "live": [], **changes})


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
    searcher = Searcher(developer._acme, [developer])
    searcher._check(developer, answer(developer))
    for wrong in ({"commit": "a" * 40}, {"content": "other\n"}, {"content_start_line": 2}):
        with pytest.raises(CampaignError):
            searcher._check(developer, answer(developer, **wrong))


def test_a_seed_repeats_the_pushes(developer: Developer, tmp_path: Path) -> None:
    again = tmp_path / "again"
    again.mkdir()
    same = Developer(developer._acme, again / "shop", seed=1, files=2, environment={})
    same._push()
    tree = "HEAD^{tree}"
    assert same.branch.git("rev-parse", tree) == developer.branch.git("rev-parse", tree)
