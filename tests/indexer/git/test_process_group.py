"""No git outlives the process that has started it, and none runs for ever."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from indexer.errors import GitTimeoutError
from indexer.git import process as git_process
from indexer.git.local import WorkingCopy
from indexer.git.repository import Repository
from indexer.pipeline.worker_pool import _prepare
from tests.indexer.repositories import Sandbox
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]
SLOW = "*a" * 20 + "b"  # before git 2.41 its own matcher does not end with it
HELD = "a" * 200 + "c"

# One git is held by a pipe that nobody writes to, one by patterns, one waits for a question.
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
    repository.run("check-attr", "--all", "--stdin", stdin=HELD.encode() + b"\n")


@pytest.fixture
def hostile(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "hostile")
    sandbox.commit("first", {"a.py": "", ".gitattributes": f"{SLOW} x\n", ".gitignore": SLOW})
    os.mkfifo(sandbox.path / ".git" / "pipe")
    return sandbox


def gits_of(path: Path) -> list[psutil.Process]:
    """The git processes of a repository, whoever their parent is."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.name() == "git" and process.environ().get("GIT_DIR") == f"{path}/.git":
                found.append(process)
        except psutil.Error:  # it has just ended, or is another user's
            continue
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT])
def test_no_child_outlives_an_indexer_that_is_killed(hostile: Sandbox, number: int) -> None:
    indexer = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(hostile.path)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert indexer.stdout
    assert indexer.stdout.readline() == b"started\n"
    wait_until(lambda: len(gits_of(hostile.path)) >= 2)
    children = psutil.Process(indexer.pid).children(recursive=True)
    os.kill(indexer.pid, number)
    indexer.communicate(timeout=60)  # nobody holds its pipes any more
    wait_until(lambda: not gits_of(hostile.path))
    psutil.wait_procs(children, timeout=60)
    assert [child for child in children if child.is_running()] == []


# A worker that is not in the group yet when the indexer is killed.
LATE = """
import multiprocessing, threading
from tests.indexer.git.test_process_group import late
multiprocessing.get_context("forkserver").Process(target=late).start()
threading.Event().wait()
"""


def late() -> None:
    sys.stdout.write("started\n")
    sys.stdout.flush()
    parent = multiprocessing.parent_process()
    assert parent
    parent.join()
    _prepare(0)
    sys.stdout.write("outlived it\n")
    sys.stdout.flush()
    threading.Event().wait()


def test_a_worker_that_starts_while_its_indexer_is_killed_does_not_outlive_it() -> None:
    indexer = subprocess.Popen([sys.executable, "-c", LATE], cwd=ROOT, stdout=subprocess.PIPE)
    assert indexer.stdout
    assert indexer.stdout.readline() == b"started\n"
    indexer.kill()
    assert indexer.communicate(timeout=60) == (b"", None)


def test_a_git_that_does_not_end_is_ended_with_what_to_do(
    hostile: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_process, "GIT_COMMAND_SECONDS", 0.5)
    repository = WorkingCopy(hostile.path)
    with pytest.raises(
        GitTimeoutError, match=r"check-ignore did not end .* `\*` in .gitattributes"
    ):
        repository.ignored([HELD])
    repository.close()
    wait_until(lambda: not gits_of(hostile.path))


def test_a_hostile_attribute_holds_up_neither_run_nor_impact(hostile: Sandbox) -> None:
    """The same patterns that keep git busy, where only what is committed counts."""
    from indexer.git.attributes import attributes_at
    from indexer.git.edits import branch_edits

    base = hostile.git("rev-parse", "HEAD")
    quick = ("-c", "core.attributesFile=/dev/null")
    blob = hostile.git("hash-object", "-w", "--no-filters", "--stdin", stdin=b"held\n")
    hostile.git(*quick, "update-index", "--add", "--cacheinfo", f"100644,{blob},{HELD}.py")
    one = hostile.git("commit-tree", "-p", base, "-m", "one", hostile.git("write-tree"))
    blob = hostile.git("hash-object", "-w", "--no-filters", "--stdin", stdin=b"edited\n")
    hostile.git(*quick, "update-index", "--add", "--cacheinfo", f"100644,{blob},{HELD}.py")
    two = hostile.git("commit-tree", "-p", one, "-m", "two", hostile.git("write-tree"))
    repository = Repository(hostile.path)
    began = time.monotonic()
    assert attributes_at(repository, two, [f"{HELD}.py", "a.py"]) == {}
    assert [file.path for file in branch_edits(repository, one, two).files] == [f"{HELD}.py"]
    assert time.monotonic() - began < 30
    repository.close()
