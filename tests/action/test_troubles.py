"""Jobs that something goes wrong with: what they tell, how they end, and what the index is then."""

import time
from collections.abc import Callable

import pytest

from scripts.local_service import free_address
from tests.action.workplace import Workplace

pytestmark = pytest.mark.system("node", "npm", "bash", "git")

FILES = {"shop/cart.py": "def total(items):\n    return sum(items)\n"}
MANY = {f"shop/part_{n}.py": "def run(x):\n    return x\n\n\n" * 50 for n in range(40)}
WRONG = "aet_" + "wrong5ecret" * 4


def indexed_commit(workplace: Workplace, name: str) -> str | None:
    projects = workplace.acme.get("index/status")["projects"]
    return {row["project"]: row["last_indexed_commit"] for row in projects}.get(name)


# Shallow checkouts


def test_a_shallow_checkout_is_deepened_or_refused(workplace: Workplace) -> None:
    """The repository is indexed, and has two commits since."""
    remote = workplace.remote("shallow", FILES)
    assert workplace.run(remote).conclusion == "success"
    remote.commit({"shop/cart.py": "def total(items):\n    return 0\n"})
    remote.commit({"shop/till.py": "def open_till():\n    return total([])\n"})
    workspace = workplace.check_out(remote, depth=1)

    workplace.forge.is_away = True
    try:
        refused = workplace.run(remote, workspace)
    finally:
        workplace.forge.is_away = False
    assert refused.conclusion == "failure"
    assert refused.steps["run"].exit_code == 3
    assert "fetch-depth: 0" in " ".join(refused.annotations("error"))

    deepened = workplace.run(remote, workspace)
    assert deepened.outputs["reason"] == "fast_forward"
    assert deepened.outputs["files-changed"] == "2"
    assert "fetch-depth: 0" in " ".join(deepened.annotations("warning"))


# Cancellation


def test_a_cancelled_job_leaves_the_index_as_it_was(workplace: Workplace) -> None:
    remote = workplace.remote("cancelled", FILES)
    workplace.run(remote)
    before = workplace.acme.dump("cancelled")
    remote.commit(dict(MANY))

    result = workplace.run(remote, cancel_when=has_live_run(workplace, "cancelled"))

    assert result.conclusion == "cancelled"
    assert result.steps["run"].exit_code == 130
    [status] = workplace.acme.get("index/status", project="cancelled")["projects"]
    assert status["run"] is None
    assert workplace.acme.dump("cancelled") == before
    again = workplace.run(remote)
    assert again.outputs["files-changed"] == "40"
    assert indexed_commit(workplace, "cancelled") == remote.head()


def has_live_run(workplace: Workplace, name: str) -> Callable[[], bool]:
    def holds() -> bool:
        [status] = workplace.acme.get("index/status", project=name)["projects"]
        if status["run"] is None:
            return False
        time.sleep(0.3)  # one who is cancelled before it reads the run's id cannot give it up
        return True

    return holds


# The service


def test_a_service_that_is_away_is_named(workplace: Workplace) -> None:
    remote = workplace.remote("away", FILES)
    nobody = f"http://{free_address()}"

    result = workplace.run(
        remote, inputs={"central-url": nobody}, environment={"AETERNA_RETRY_SECONDS": "1"}
    )

    assert result.conclusion == "failure"
    assert result.steps["run"].exit_code == 4
    assert nobody in " ".join(result.annotations("error"))


def test_a_wrong_token_is_refused_and_never_written(workplace: Workplace) -> None:
    remote = workplace.remote("wrong-token", FILES)

    result = workplace.run(remote, inputs={"token": WRONG})

    assert result.conclusion == "failure"
    assert result.steps["run"].exit_code == 5
    assert "AETERNA_TOKEN" in " ".join(result.annotations("error"))
    assert WRONG not in result.raw + result.summary
    assert indexed_commit(workplace, "wrong-token") is None


def test_where_errors_are_forgiven_the_job_goes_on(workplace: Workplace) -> None:
    remote = workplace.remote("forgiven", FILES)

    result = workplace.run(remote, inputs={"token": WRONG, "fail-on-error": "false"})

    assert result.steps["run"].outcome == "failure"
    assert result.conclusion == "success"
    assert result.annotations("error")


# Keyless


def test_a_token_that_expires_within_a_job_is_exchanged_again(workplace: Workplace) -> None:
    """In this service it lives for a second."""
    remote = workplace.remote("keyless", MANY)
    workplace.github.claims = workplace.claims(remote)
    asked_before = workplace.github.id_token_requests

    result = workplace.run(
        remote, inputs={"token": ""}, environment=workplace.github.job_environment()
    )

    assert result.conclusion == "success", result.log
    assert workplace.github.id_token_requests > asked_before + 1
    assert indexed_commit(workplace, "keyless") == remote.head()


def test_scenario_fork_protection(workplace: Workplace) -> None:
    """Here the workflow's guard is gone: the service refuses, whatever the fork calls itself."""
    fork = workplace.remote("fork", FILES)
    workplace.github.claims = workplace.claims(fork, owner_id=666)

    result = workplace.run(
        fork, inputs={"token": ""}, environment=workplace.github.job_environment()
    )

    assert result.conclusion == "failure"
    assert result.steps["run"].exit_code == 5
    assert "--owner-id" in " ".join(result.annotations("error"))
    assert indexed_commit(workplace, "fork") is None
