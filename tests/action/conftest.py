"""What the tests of the action and of the workflows share."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.local_service import ROOT, Organization, free_address, running_service
from tests.action.forge import Forge
from tests.action.github import Evaluator
from tests.action.harness import Runner
from tests.action.stand_ins import Cache
from tests.action.workplace import OWNER_ID, Workplace
from tests.e2e.conftest import prepared_data_directory
from tests.local_github import LocalGitHub
from tests.npm import BUILD


@pytest.fixture(scope="session")
def evaluator() -> Iterator[Evaluator]:
    """GitHub's evaluator."""
    with Evaluator() as running:
        yield running


@pytest.fixture(scope="session")
def runner_directory() -> Iterator[Path]:
    """Where jobs run, one session at a time; what they install is kept there from run to run.

    Each of several processes of a session (pytest-xdist) has one of its own.
    """
    directory = BUILD / f"runner-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield directory


@pytest.fixture(scope="session")
def workplace(
    evaluator: Evaluator, runner_directory: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workplace]:
    """An organisation at work, one for all tests: each has repositories of its own."""
    scratch = tmp_path_factory.mktemp("workplace")
    forge_directory = tmp_path_factory.mktemp("forge")
    address = free_address()
    with (
        prepared_data_directory() as data,
        LocalGitHub() as github,
        Forge(forge_directory) as forge,
    ):
        settings = {
            "AETERNA_BIND": address,
            "AETERNA_PUBLIC_URL": f"http://{address}",
            "AETERNA_GITHUB_OIDC_ISSUER": github.issuer,
            "AETERNA_KEYLESS_SECONDS": "1",  # so that a token expires within a job
        }
        with running_service(data, settings) as service:
            acme = Organization(service, "acme", service.create_organization("acme"))
            service.manage(
                "github_policy", "--organization", "acme", "--owner-id", str(OWNER_ID), "--enable"
            )
            cache = Cache(runner_directory / "cache")
            runner = Runner(ROOT / "action", evaluator, {"actions/cache": cache})
            yield Workplace(acme, forge, github, runner, runner_directory / "temp", scratch)
