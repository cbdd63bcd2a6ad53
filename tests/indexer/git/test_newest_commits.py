"""Which commits are the newest: by their dates, children first, without the edges of a clone."""

from itertools import pairwise
from pathlib import Path

import pytest

from indexer.errors import GitError
from indexer.git.history import newest_commits, read_commits
from indexer.git.repository import Repository
from tests.indexer.git.written_commits import write_commit
from tests.indexer.planted import MISSING
from tests.indexer.repositories import Sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path / "shop")


def test_the_newest_commits_are_listed_by_date_and_no_parent_before_its_child(
    sandbox: Sandbox,
) -> None:
    root = write_commit(sandbox, date="1000 +0000")
    old = [root]
    for n in range(3):  # a branch of old, merged last
        old.append(write_commit(sandbox, {}, old[-1], date=f"{1100 + n} +0000"))
    new = [root]
    for n in range(3):
        new.append(write_commit(sandbox, {}, new[-1], date=f"{2000 + n} +0000"))
    early = write_commit(sandbox, {}, new[-1], date="5 +0000")  # its clock was wrong
    head = write_commit(sandbox, {}, early, old[-1], date="3000 +0000")
    repository = Repository(sandbox.path)
    listed = newest_commits(repository, head)
    assert listed[0] == head
    assert set(listed) == {head, early, *old, *new}
    for line in (old, new):
        places = [listed.index(name) for name in line]
        assert all(before > after for before, after in pairwise(places))
    assert newest_commits(repository, head, limit=4) == listed[:4]
    assert newest_commits(repository, new[-1], base=new[0], limit=2) == [new[3], new[2]]
    assert newest_commits(repository, head, base=early) == [head, *old[:0:-1]]
    assert newest_commits(repository, head, base=head) == []


def test_a_cut_keeps_what_is_newer_of_two_lines(sandbox: Sandbox) -> None:
    root = write_commit(sandbox, date="1000 +0000")
    lines = [[root], [root]]
    for n in range(6):
        line = lines[n % 2]
        line.append(write_commit(sandbox, {}, line[-1], date=f"{2000 + n} +0000"))
    head = write_commit(sandbox, {}, lines[0][-1], lines[1][-1], date="3000 +0000")
    assert newest_commits(Repository(sandbox.path), head, limit=5) == [
        head, lines[1][3], lines[0][3], lines[1][2], lines[0][2],
    ]  # fmt: skip


def test_in_a_shallow_clone_commits_without_their_parents_are_left_out(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    commits = [sandbox.commit(f"{n}", {"a": f"{n}", f"f{n}": ""}) for n in range(6)]
    clone = sandbox.clone_to(tmp_path / "clone", "--depth=4")
    clone.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    expected = commits[:2:-1]
    for path in (clone.path, tmp_path / "linked"):
        repository = Repository(path)
        assert newest_commits(repository, commits[-1]) == expected
        assert newest_commits(repository, commits[-1], limit=2) == expected[:2]
    [record] = read_commits(Repository(clone.path), expected[-1:])
    assert record.parents == (commits[2],)
    assert [record] == list(read_commits(Repository(sandbox.path), expected[-1:]))


def test_a_base_that_is_not_in_the_clone_is_an_error(sandbox: Sandbox) -> None:
    head = write_commit(sandbox)
    with pytest.raises(GitError, match=MISSING):
        newest_commits(Repository(sandbox.path), head, base=MISSING)
