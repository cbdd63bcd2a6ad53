"""Killing the server at any line of an apply loses nothing and leaves nothing to do by hand."""

import random
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import psutil
import pytest

from scripts.local_git import commit_all
from scripts.local_service import ROOT, Organization, Service, free_address
from tests.e2e.conftest import MakeRepository, write_files
from tests.e2e.indexing import index_here

LEASE_SECONDS = 2
KILLS = 4
FOREVER = 0
END = sys.maxsize
DEATH_SECONDS = 120


class Mortal(Service):
    """A server that dies at a line of an apply. `start` it again when it has."""

    kill_at_line = FOREVER
    server: psutil.Process  # which signals no other process: a number is used again

    def start(self) -> Self:
        """Start one that dies at `kill_at_line`; the process that it comes from stays."""
        if self.process is None:
            self.data_dir.mkdir(parents=True, exist_ok=True)
            with self.log.open("ab") as log:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "tests.e2e.killing_server"],
                    cwd=ROOT,
                    env=self.variables(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                )
        assert self.process.stdin is not None
        (self.data_dir / "server.json").unlink(missing_ok=True)
        self.process.stdin.write(f"{self.kill_at_line}\n".encode())
        self.process.stdin.flush()
        self.wait_until_ready()
        with suppress(psutil.NoSuchProcess):  # it may have died by now
            self.server = psutil.Process(self.record()["pid"])
        return self

    def wait_until_dead(self) -> int:
        """Returns its exit code; a signal is negative."""
        assert self.process is not None
        assert self.process.stdout is not None
        has_ended, _, _ = select.select([self.process.stdout], [], [], DEATH_SECONDS)
        assert has_ended, f"it lives:\n{self.log.read_text(errors='replace')[-3000:]}"
        return int(self.process.stdout.readline())

    def stop(self) -> None:
        """End the server, then the process that it comes from."""
        if self.process is None:
            return
        with suppress(psutil.NoSuchProcess):
            self.server.terminate()
        self.process.communicate(timeout=60)
        self.process = None


@pytest.fixture
def mortal(prepared_dir: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Mortal]:
    """A server that dies where `kill_at_line` says, in an apply or the function that is named."""
    service = Mortal(
        prepared_dir,
        {
            "AETERNA_BIND": free_address(),
            "KILL_COUNT_FILE": str(tmp_path / "lines"),
            "KILL_IN": getattr(request, "param", "_apply"),
            "AETERNA_RUN_LEASE_SECONDS": str(LEASE_SECONDS),
            "AETERNA_SWEEP_SECONDS": "1",
        },
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


def lines_of_an_apply(acme: Organization, repository: Path, count_file: Path) -> int:
    """How many lines an ordinary incremental apply executes."""
    index_here(acme, repository, "victim")
    replace_content(repository, 1)
    index_here(acme, repository, "victim")
    return int(count_file.read_text(encoding="ascii"))


def test_sigkill_at_any_line_of_apply_ends_with_the_new_index(
    mortal: Mortal, make_repository: MakeRepository, tmp_path: Path
) -> None:
    mortal.start()
    acme = mortal.organization("acme")
    repository = make_repository("victim", content(0))
    total = lines_of_an_apply(acme, repository, tmp_path / "lines")

    places = places_to_die(total)
    restart(mortal, kill_at_line=places[0])
    for seed, (line, next_line) in enumerate(pairwise([*places, FOREVER]), start=2):
        kill_while_applying(mortal, acme, repository, seed=seed, next_line=next_line)
        assert_nothing_lost(mortal, acme, repository, seed=seed, where=f"line {line} of {total}")


@pytest.mark.parametrize("mortal", ["_stage"], indirect=True)
def test_sigkill_while_a_batch_is_staged_ends_with_the_new_index(
    mortal: Mortal, make_repository: MakeRepository, tmp_path: Path
) -> None:
    mortal.start()
    acme = mortal.organization("acme")
    repository = make_repository("victim", content(0))
    total = lines_of_an_apply(acme, repository, tmp_path / "lines")
    for seed, line in enumerate((1, total // 2, total - 2), start=2):
        restart(mortal, kill_at_line=line)
        kill_while_applying(mortal, acme, repository, seed=seed, next_line=FOREVER)
        assert_nothing_lost(mortal, acme, repository, seed=seed, where=f"line {line} of {total}")


def restart(service: Mortal, *, kill_at_line: int) -> None:
    service.server.kill()
    assert service.wait_until_dead() == -signal.SIGKILL
    service.kill_at_line = kill_at_line
    service.start()


def assert_nothing_lost(
    service: Mortal, acme: Organization, repository: Path, *, seed: int, where: str
) -> None:
    """The index is that of a repository that never saw a crash, and so are its points."""
    assert acme.dump("victim") == fresh_dump(acme, repository, seed), where
    service.ask("reconcile", repair=True)
    assert is_clean(service), where


def places_to_die(total: int) -> list[int]:
    """The first and the last line, a random one out of each stretch between, and the return."""
    step = total // KILLS
    between = [at + random.randrange(step) for at in range(2, total - step, step)]  # noqa: S311
    return [1, *between, total - 2, END]


def kill_while_applying(
    service: Mortal, acme: Organization, repository: Path, *, seed: int, next_line: int
) -> None:
    """Change the repository, let the server die while it applies that, and start it again.

    The new server dies at `next_line` of the apply after that: it finishes what it finds.
    """
    replace_content(repository, seed)
    with ThreadPoolExecutor(max_workers=1) as client:
        report: Future[dict[str, Any]] = client.submit(index_here, acme, repository, "victim")
        assert service.wait_until_dead() == -signal.SIGKILL
        service.kill_at_line = next_line
        service.start()
        assert report.result(timeout=60), "the client did not outlive the server"


def fresh_dump(acme: Organization, repository: Path, seed: int) -> str:
    """What an index of the repository looks like that never saw a crash."""
    index_here(acme, repository, f"afresh-{seed}")
    return acme.dump(f"afresh-{seed}")


def is_clean(service: Service) -> bool:
    """Whether vector store and database agree."""
    rows = service.ask("reconcile").json()["repositories"]
    return not any(row["missing"] or row["excess"] for row in rows)
