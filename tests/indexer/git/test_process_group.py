"""No git outlives the process that has started it, and none runs for ever."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from indexer.errors import GitTimeoutError
from indexer.git import command
from indexer.git.attributes import attributes_at
from indexer.git.edits import branch_edits
from indexer.git.local import WorkingCopy
from indexer.git.repository import Repository
from tests.indexer.repositories import Sandbox, put_stand_in
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]

# One git is held by a pipe that has no writer, one is a stand-in that is busy, one waits for input.
PROGRAM = """
import sys, threading
from pathlib import Path
from indexer.git.repository import Repository
from indexer.pipeline.worker_pool import WorkerPool
from tests.indexer.git.test_process_group import busy, held
repository = Repository(Path(sys.argv[1]))
repository.blobs.read(repository.tree("HEAD")[0].blob)
for hold in (held, busy):
    threading.Thread(target=hold, args=(repository,)).start()
with WorkerPool(1):
    print("started", flush=True)
    threading.Event().wait()
"""


def held(repository: Repository) -> None:
    repository.run("hash-object", "--no-filters", str(repository.root / ".git" / "pipe"))


def busy(repository: Repository) -> None:
    repository.run("check-attr", "--all", "a.py")


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("first", {"a.py": ""})
    os.mkfifo(sandbox.path / ".git" / "pipe")
    return sandbox


def gits_of(path: Path) -> list[psutil.Process]:
    """The git processes of a repository and their stand-ins, with any parent."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("GIT_DIR") == f"{path}/.git":
                found.append(process)
        except psutil.Error:  # it has just ended, or is another user's
            continue
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT])
def test_no_child_outlives_an_indexer_that_is_killed(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    put_stand_in(tmp_path, monkeypatch, "check-attr", "while :; do :; done")
    indexer = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(sandbox.path)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert indexer.stdout
    assert indexer.stdout.readline() == b"started\n"
    wait_until(lambda: len(gits_of(sandbox.path)) >= 2)
    children = psutil.Process(indexer.pid).children(recursive=True)
    os.kill(indexer.pid, number)
    indexer.communicate(timeout=60)  # no process has its pipes open any more
    wait_until(lambda: not gits_of(sandbox.path))
    psutil.wait_procs(children, timeout=60)
    assert [child for child in children if child.is_running()] == []


# The first worker is starting and has not forked the other yet.
LATE = """
from indexer.pipeline.forkserver import FORKSERVER
FORKSERVER.forked()
print("started", flush=True)
threading.Event().wait()
"""


def test_workers_that_start_while_their_indexer_is_killed_do_not_outlive_it() -> None:
    indexer = subprocess.Popen([sys.executable, "-c", LATE], cwd=ROOT, stdout=subprocess.PIPE)
    assert indexer.stdout
    assert indexer.stdout.readline() == b"started\n"
    indexer.kill()
    assert indexer.communicate(timeout=60) == (b"", None)  # no process has the pipe open any more


@pytest.mark.parametrize("ignores", ["", "trap '' TERM; "])
def test_a_git_that_does_not_end_is_ended_with_what_to_do(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ignores: str
) -> None:
    put_stand_in(tmp_path, monkeypatch, "check-ignore", f"{ignores}while :; do sleep 0.1; done")
    monkeypatch.setattr(command, "GIT_COMMAND_SECONDS", 0.5)
    monkeypatch.setattr(command, "GIT_END_SECONDS", 0.1)
    repository = WorkingCopy(sandbox.path)
    with pytest.raises(GitTimeoutError, match=r"check-ignore did not end .* in .gitattributes"):
        repository.ignored(["a.py"])
    repository.close()
    wait_until(lambda: not gits_of(sandbox.path))


def test_attributes_of_the_work_tree_hold_up_neither_run_nor_impact(sandbox: Sandbox) -> None:
    """They are a pipe that has no writer: a git that read them would wait."""
    base = sandbox.commit("base", {"b.py": "held\n"})
    head = sandbox.commit("head", {"b.py": "edited\n"})
    os.mkfifo(sandbox.path / ".gitattributes")
    repository = Repository(sandbox.path)
    assert attributes_at(repository, head, ["a.py", "b.py"]) == {}
    assert [file.path for file in branch_edits(repository, base, head).files] == ["b.py"]
    repository.close()
