"""Killing the server at any line of an apply loses nothing and leaves nothing to do by hand."""

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from scripts.local_git import commit_all
from scripts.local_service import Organization, Service, free_address
from tests.e2e.conftest import MakeRepository, write_files

LEASE_SECONDS = 2
KILLS = 6


@pytest.fixture
def mortal(data_dir: Path, tmp_path: Path) -> Iterator[Service]:
    """A server that dies where KILL_AT_LINE says."""
    service = Service(
        data_dir,
        {
            "AETERNA_BIND": free_address(),
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
    """Three files that differ with the seed and one that only this seed has."""
    names = [*(f"src/module_{number}.py" for number in range(3)), f"src/only_{seed}.py"]
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

    places = places_to_die(total)
    mortal.environment["KILL_AT_LINE"] = str(places[0])
    mortal.start()
    for seed, (line, next_line) in enumerate(pairwise([*places, 0]), start=2):
        kill_while_applying(mortal, acme, repository, seed=seed, next_line=next_line)

        assert acme.dump("victim") == fresh_dump(acme, repository, seed), f"line {line} of {total}"
        mortal.ask("reconcile", repair=True)
        assert is_clean(mortal), f"line {line} of {total}"


def places_to_die(total: int) -> list[int]:
    """The first and the last line, and a random one out of each stretch between."""
    step = total // KILLS
    between = [at + random.randrange(step) for at in range(2, total - step, step)]  # noqa: S311
    return [1, *between, total - 2]


def kill_while_applying(
    service: Service, acme: Organization, repository: Path, *, seed: int, next_line: int
) -> None:
    """Change the repository, let the server die while it applies that, and start it again.

    The new server dies at `next_line` of the apply after that: it finishes what it finds.
    """
    replace_content(repository, seed)
    indexer = acme.start_index(repository, "victim")
    wait_until_dead(service)
    service.environment["KILL_AT_LINE"] = str(next_line)
    service.start()
    _, errors = indexer.communicate(timeout=60)
    assert indexer.returncode == 0, f"the client did not outlive the server: {errors}"


def fresh_dump(acme: Organization, repository: Path, seed: int) -> str:
    """What an index of the repository looks like that never saw a crash."""
    acme.index(repository, f"afresh-{seed}")
    return acme.dump(f"afresh-{seed}")


def is_clean(service: Service) -> bool:
    """Whether vector store and database agree."""
    rows = service.ask("reconcile").json()["repositories"]
    return not any(row["missing"] or row["excess"] for row in rows)
