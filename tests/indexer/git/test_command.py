"""Output of git is bounded, whatever git prints; stand-ins print it."""

import sys
from pathlib import Path

import pytest

from indexer.errors import BlobTooLargeError, GitError, TreeTooLargeError
from indexer.exits import Exit
from indexer.git import blobs, command, edits, process
from indexer.git.command import GIT_MESSAGE_BYTES
from indexer.git.repository import Repository
from indexer.process_group import INDEXING_MEMORY_BYTES
from tests.indexer.git.test_process_group import gits_of
from tests.indexer.repositories import Sandbox, put_stand_in
from tests.waiting import wait_until

FLOOD = "while :; do echo 0123456789012345678901234567890123456789; done"
# It waits for its limit, allocates more, which is never written to, and complains as git does.
ALLOCATING = f"""
until grep -q 'data size *{INDEXING_MEMORY_BYTES}' /proc/self/limits; do :; done
{sys.executable} -c '
try:
    bytearray({INDEXING_MEMORY_BYTES})
except MemoryError:
    raise SystemExit("fatal: Out of memory, malloc failed (tried to allocate 2147483648 bytes)")
'"""


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("first", {f"lib/{n}.py": f"n = {n}\n" for n in range(20)})
    return sandbox


def test_an_answer_without_end_is_refused_and_git_ended(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(sandbox.path)
    put_stand_in(tmp_path, monkeypatch, "merge-base", FLOOD)
    with pytest.raises(GitError, match="merge-base printed more than 16,777,216 bytes and was"):
        repository.run("merge-base", "HEAD", "HEAD")
    wait_until(lambda: not gits_of(sandbox.path))


@pytest.mark.parametrize(("name", "most"), [("TREE_PATHS", 19), ("TREE_BYTES", 1_000)])
def test_a_commit_with_more_paths_than_are_indexed_is_refused_with_what_to_do(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    empty = sandbox.git("hash-object", "-t", "tree", "-w", "--stdin")
    head = sandbox.git("rev-parse", "HEAD")
    monkeypatch.setattr(process, name, most)
    repository = Repository(sandbox.path)
    for ask in (
        lambda: repository.tree(head),
        lambda: repository.changes(empty, head),
        lambda: repository.selection_changed(empty, head),
    ):
        with pytest.raises(
            TreeTooLargeError, match=r"'lib/.*\(tree_too_large\)\. Remove"
        ) as caught:
            ask()
        assert caught.value.exit_code is Exit.REFUSED
    repository.close()


def test_a_commit_at_the_bound_is_listed(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "TREE_PATHS", 20)
    assert len(Repository(sandbox.path).tree("HEAD")) == 20


def test_a_listing_without_end_is_refused_and_git_ended(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(sandbox.path)
    put_stand_in(
        tmp_path, monkeypatch, "ls-tree",
        f"while :; do printf '100644 blob {'1' * 40} 1\\ta/b\\0'; done",
    )  # fmt: skip
    monkeypatch.setattr(process, "TREE_PATHS", 10_000)
    with pytest.raises(TreeTooLargeError, match="10,000 paths"):
        repository.tree("HEAD")
    wait_until(lambda: not gits_of(sandbox.path))


def test_a_path_without_end_is_refused(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(sandbox.path)
    put_stand_in(tmp_path, monkeypatch, "ls-tree", FLOOD)
    with pytest.raises(GitError, match="a path of more than 1,048,576 bytes"):
        repository.tree("HEAD")
    wait_until(lambda: not gits_of(sandbox.path))


def test_a_change_that_is_too_large_counts_as_binary_and_the_others_are_read(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = sandbox.git("rev-parse", "HEAD")
    long = "".join(f"n = {n}\n" for n in range(500))
    head = sandbox.commit(
        "head", {f"lib/{n}.py": "edited\n" for n in range(1, 5)} | {"lib/0.py": long}
    )
    monkeypatch.setattr(process, "TREE_PATHS", 100)
    repository = Repository(sandbox.path)
    found = edits.branch_edits(repository, base, head)
    assert [file.path for file in found.files] == [f"lib/{n}.py" for n in range(1, 5)]
    assert edits.diff_hunks(repository, "lib/0.py", base, head) is None
    repository.close()


def test_a_blob_that_is_too_large_is_not_read_and_the_next_one_is(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs, "BLOB_BYTES", 100)
    large, small = (
        sandbox.git("hash-object", "-w", "--stdin", stdin=b"x" * size) for size in (101, 100)
    )
    repository = Repository(sandbox.path)
    with pytest.raises(BlobTooLargeError, match=f"{large} has 101 bytes; at most 100 are read"):
        repository.blobs.read(large)
    assert repository.blobs.read(small) == b"x" * 100
    repository.close()


def test_the_end_of_a_long_complaint_is_kept(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(sandbox.path)
    does = "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo fatal: the end >&2; exit 128"
    put_stand_in(tmp_path, monkeypatch, "merge-base", does)
    with pytest.raises(GitError, match=r"xfatal: the end\Z") as caught:
        repository.run("merge-base", "HEAD", "HEAD")
    assert len(str(caught.value)) < GIT_MESSAGE_BYTES + 100


def test_a_command_that_is_given_much_while_it_prints_much_is_not_blocked(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(sandbox.path)
    put_stand_in(tmp_path, monkeypatch, "check-attr", "tee /dev/stderr")
    monkeypatch.setattr(command, "GIT_COMMAND_SECONDS", 60.0)
    given = [b"%d" % n for n in range(300_000)]
    assert list(repository.records("check-attr", stdin=b"\0".join([*given, b""]))) == given
    repository.close()


def test_a_command_that_reads_no_input_is_not_waited_for(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(sandbox.path)
    put_stand_in(tmp_path, monkeypatch, "check-attr", "exit 1")
    with pytest.raises(GitError, match="check-attr failed: no message"):
        repository.run("check-attr", stdin=b"x" * 1_000_000)


def test_a_git_that_allocates_too_much_is_ended_and_the_limit_named(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(sandbox.path)
    put_stand_in(tmp_path, monkeypatch, "merge-base", ALLOCATING)
    monkeypatch.setattr(command, "GIT_COMMAND_SECONDS", 60.0)
    with pytest.raises(GitError, match=r"Out of memory.* It may take 2,048 MiB of memory"):
        repository.run("merge-base", "HEAD", "HEAD")
