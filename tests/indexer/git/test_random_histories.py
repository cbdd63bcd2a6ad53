"""Records of histories drawn at random, against the files of their commits."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.git.history import read_commits
from indexer.git.repository import Repository
from indexer.records.history import ChangeStatus, Commit
from tests.indexer.git.applied_hunks import applied, split
from tests.indexer.repositories import Sandbox

# Some alike, so that git finds renames with edits too.
TEXTS = [
    "",
    *("".join(f"{word} {n}\n" for n in range(30)) + end for word in "ab" for end in ("", "x")),
]
FILES = st.tuples(st.sampled_from(["100644", "100755", "120000"]), st.sampled_from(TEXTS))
TREES = st.dictionaries(st.sampled_from(["a", "a.b", "b", "c", "d/a", "d/b", "d/e/a"]), FILES)
Tree = dict[str, tuple[str, str]]


@dataclass
class Drawn:
    """A commit to be written; parents are the numbers of commits before it."""

    files: Tree
    parents: list[int]


@st.composite
def histories(draw: st.DrawFn) -> list[Drawn]:
    drawn: list[Drawn] = []
    for number in range(draw(st.integers(1, 8))):
        earlier = st.integers(0, number - 1) if number else st.nothing()
        parents = draw(st.lists(earlier, unique=True, max_size=3)) if number else []
        drawn.append(Drawn(draw(TREES), parents))
    return drawn


def write(sandbox: Sandbox, history: list[Drawn]) -> list[str]:
    """Write the commits; return their names."""
    stream = "".join(
        f"reset refs/heads/drawn\ncommit refs/heads/drawn\nmark :{number}\n"
        f"committer A <a@example.com> {number} +0000\ndata 0\n"
        + "".join(
            f"{'merge' if place else 'from'} :{parent + 1}\n"
            for place, parent in enumerate(drawn.parents)
        )
        + "deleteall\n"
        + "".join(
            f"M {mode} inline {path}\ndata {len(text)}\n{text}\n"
            for path, (mode, text) in drawn.files.items()
        )
        for number, drawn in enumerate(history, 1)
    )
    marks = sandbox.path / "marks"
    options = ("--quiet", "--force", f"--export-marks={marks}")
    sandbox.git("fast-import", *options, stdin=stream.encode())
    named = dict(line.split() for line in marks.read_text().splitlines())
    return [named[f":{number}"] for number in range(1, len(history) + 1)]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return Sandbox(tmp_path_factory.mktemp("drawn"))


@pytest.fixture(scope="module")
def repository(sandbox: Sandbox) -> Repository:
    return Repository(sandbox.path)


@settings(max_examples=50)
@given(histories())
def test_changes_lead_from_the_paths_of_the_parent_to_those_of_the_commit(
    sandbox: Sandbox, repository: Repository, history: list[Drawn]
) -> None:
    names = write(sandbox, history)
    records = read_commits(repository, names, why_unread=lambda _: None)
    for drawn, name, record in zip(history, names, records, strict=True):
        assert record.sha == name
        assert record.parents == tuple(names[parent] for parent in drawn.parents)
        assert record.changed == len(record.changes)
        assert [change.path for change in record.changes] == sorted(
            {change.path for change in record.changes}
        )
        parents = [history[parent].files for parent in drawn.parents] or [{}]
        if len(parents) == 1:
            assert_leads(parents[0], record, drawn.files)
        else:
            assert_differs_from_each(parents, record, drawn.files)
        assert_lines_lead(parents, record, drawn.files)


def assert_leads(before: Tree, record: Commit, after: Tree) -> None:
    paths = set(before)
    for change in record.changes:
        if change.status is ChangeStatus.DELETED:
            paths.remove(change.path)
        elif change.status is ChangeStatus.RENAMED:
            paths.remove(change.old_path)
    for change in record.changes:
        if change.status in {ChangeStatus.MODIFIED, ChangeStatus.TYPE}:
            assert change.path in paths
            assert before[change.path] != after[change.path]
            is_other = before[change.path][0][:3] != after[change.path][0][:3]
            assert is_other == (change.status is ChangeStatus.TYPE)
        elif change.status is not ChangeStatus.DELETED:
            assert change.path not in paths
            paths.add(change.path)
    assert paths == set(after)
    changed = {change.path for change in record.changes}
    assert all(before[path] == after[path] for path in paths - changed)


def assert_differs_from_each(parents: list[Tree], record: Commit, after: Tree) -> None:
    paths = {path for tree in (*parents, after) for path in tree}
    differing = {
        path for path in paths if all(parent.get(path) != after.get(path) for parent in parents)
    }
    assert {change.path for change in record.changes} == differing
    for change in record.changes:
        gone = change.path not in after
        new = all(change.path not in parent for parent in parents)
        assert (change.status is ChangeStatus.DELETED) == gone
        assert (change.status is ChangeStatus.ADDED) == new


def assert_lines_lead(parents: list[Tree], record: Commit, after: Tree) -> None:
    for change in record.changes:
        assert change.unread is None
        new = after.get(change.path, ("", ""))[1]
        for number, parent in enumerate(parents):
            old = parent.get(change.old_path or change.path, ("", ""))[1]
            assert applied(change.hunks, number, old) == split(new)
