"""Killing the server at any line of an apply loses nothing and leaves nothing to do by hand."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.local_git import commit_all
from scripts.local_service import Organization, Service
from tests.e2e.conftest import MakeRepository, write_files

LEASE_SECONDS = 2
KILLS = 10


@pytest.fixture
def mortal(data_dir: Path, tmp_path: Path) -> Iterator[Service]:
    """A server that dies where KILL_AT_LINE says."""
    service = Service(
        data_dir,
        {
            "KILL_AT_LINE": "0",
            "KILL_COUNT_FILE": str(tmp_path / "lines"),
            "AETERNA_RUN_LEASE_SECONDS": str(LEASE_SECONDS),
            "AETERNA_SWEEP_SECONDS": "1",
        },
        program=("-m", "tests.e2e.killing_server"),
    )
    yield service
    service.stop()


def content(seed: int) -> dict[str, str]:
    """Files that differ with the seed; one goes away every other time."""
    names = [f"src/module_{number}.py" for number in range(3 + seed % 2)]
    return {
        name: f"def function_of_seed_{seed}_{at}():\n    return {seed * at}\n"
        for at, name in enumerate(names)
    }


def replace_content(repository: Path, seed: int) -> None:
    for path in repository.glob("src/*.py"):
        path.unlink()
    write_files(repository, content(seed))
    commit_all(repository, f"Seed {seed}")


def wait_until_dead(service: Service) -> None:
    assert service.process is not None
    service.process.wait(timeout=60)


def wait_until_current(acme: Organization, project: str) -> None:
    deadline = time.monotonic() + 60
    while acme.get("index/status", project=project)["projects"][0]["state"] != "current":
        assert time.monotonic() < deadline, "the run was not applied after the restart"
        time.sleep(0.1)


def lines_of_an_apply(acme: Organization, repository: Path, count_file: Path) -> int:
    """How many lines an ordinary incremental apply executes."""
    acme.index(repository, "victim")
    replace_content(repository, 1)
    acme.index(repository, "victim")
    return int(count_file.read_text(encoding="ascii"))


def test_sigkill_at_any_line_of_apply_ends_with_the_new_index(
    mortal: Service, make_repository: MakeRepository, tmp_path: Path
) -> None:
    mortal.start()
    acme = Organization(mortal, "acme", mortal.create_organization("acme"))
    repository = make_repository("victim", content(0))
    total = lines_of_an_apply(acme, repository, tmp_path / "lines")
    mortal.stop()
    step = total // KILLS
    places = [1, *(at + random.randrange(step) for at in range(2, total - step, step)), total]  # noqa: S311

    for seed, line in enumerate(places, start=2):
        mortal.environment["KILL_AT_LINE"] = str(line)
        mortal.start()
        replace_content(repository, seed)
        cut_off = acme.try_index(repository, "victim", environment={"AETERNA_WAIT_SECONDS": "3"})
        wait_until_dead(mortal)
        mortal.environment["KILL_AT_LINE"] = "0"
        mortal.start()
        wait_until_current(acme, "victim")

        assert cut_off.returncode != 0, f"line {line}: the client was not told"
        acme.index(repository, f"afresh-{seed}")
        assert acme.dump("victim") == acme.dump(f"afresh-{seed}"), f"line {line} of {total}"
        mortal.manage("reconcile")
        assert mortal.manage("reconcile", "--check", check=False).returncode == 0
        mortal.stop()
