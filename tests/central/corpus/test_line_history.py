"""The commits of lines, of histories drawn at random, against `git blame`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from central.corpus.line_history import (
    GONE,
    CommitGraph,
    FileChange,
    StoredCommit,
    Unknown,
    blame,
)
from indexer.git.history import read_commits
from indexer.git.repository import Repository
from indexer.records.history import Commit
from tests.indexer.repositories import Sandbox

_HEADER = re.compile(r"([0-9a-f]{40}) \d+ (\d+)")
FILES = ("a", "b")
TEXT = list("0123456789")
Tree = dict[str, list[str]]


@dataclass
class Drawn:
    """A commit to be written; parents are the numbers of commits before it."""

    files: Tree
    parents: list[int] = field(default_factory=list)


class Records:
    """What commits changed, as a run of an indexer reads it."""

    def __init__(self, commits: Sequence[Commit]) -> None:
        self.commits = {commit.sha: commit for commit in commits}

    def of_path(self, path: str) -> Mapping[str, FileChange]:
        found = {}
        for commit in self.commits.values():
            for change in commit.changes:
                told = (change.status, change.old_path, change.blob, change.unread or "")
                if change.path == path:
                    found[commit.sha] = FileChange(*told)
                elif change.old_path == path:
                    found.setdefault(commit.sha, GONE)
        return found

    def hunks(self, commit: str, path: str) -> str:
        return next(own.hunks for own in self.commits[commit].changes if own.path == path)

    def graph(self, head: str) -> CommitGraph:
        newest = sorted(self.commits.values(), key=lambda commit: -commit.committed_at)
        stored = (StoredCommit(own.sha, own.parents, own.changed) for own in newest)
        return CommitGraph(stored, head)


@st.composite
def edited(draw: st.DrawFn, lines: list[str]) -> list[str]:
    """A text with some of its lines replaced by others."""
    first = draw(st.integers(0, len(lines)))
    last = draw(st.integers(first, min(first + 4, len(lines))))
    return lines[:first] + draw(st.lists(st.sampled_from(TEXT), max_size=4)) + lines[last:]


@st.composite
def histories(draw: st.DrawFn) -> list[Drawn]:
    """Histories with edits, renames, removals, reverts, and merges of two or three parents."""
    drawn = [Drawn({"a": list(TEXT)})]
    for number in range(1, draw(st.integers(2, 9))):
        earlier = st.integers(max(0, number - 4), number - 1)
        parents = draw(st.lists(earlier, unique=True, min_size=1, max_size=3))
        files = draw(merged([drawn[own].files for own in parents]))
        reverted = drawn[draw(earlier)].files
        drawn.append(Drawn(draw(changed(files, reverted)), parents))
    return drawn


@st.composite
def merged(draw: st.DrawFn, trees: list[Tree]) -> Tree:
    """Of each file the version of a parent, or lines of two."""
    files: Tree = {}
    for name in FILES:
        texts = [tree[name] for tree in trees if name in tree]
        if texts:
            files[name] = list(draw(st.sampled_from(texts)))
        if len(texts) > 1 and draw(st.booleans()):
            cut = draw(st.integers(0, len(texts[0])))
            files[name] = texts[0][:cut] + texts[1][cut:]
    return files


@st.composite
def changed(draw: st.DrawFn, files: Tree, reverted: Tree) -> Tree:
    """The files after a change, which may be no change."""
    change = draw(st.sampled_from(["edit", "edit", "edit", "move", "add", "remove", "revert"]))
    name = draw(st.sampled_from(FILES))
    if change == "revert":
        return dict(reverted)
    if change == "edit" and name in files:
        return {**files, name: draw(edited(files[name]))}
    if change == "move" and len(files) == 1:
        return {"b" if "a" in files else "a": draw(edited(text)) for text in files.values()}
    if change == "remove":
        return {other: text for other, text in files.items() if other != name or len(files) == 1}
    if change == "add" and name not in files:
        return {**files, name: draw(st.lists(st.sampled_from(TEXT), min_size=1, max_size=9))}
    return files


def write(sandbox: Sandbox, history: list[Drawn]) -> list[str]:
    """Write the commits; return their names."""
    parts = []
    for number, drawn in enumerate(history, 1):
        parts.append(
            f"reset refs/heads/drawn\ncommit refs/heads/drawn\nmark :{number}\n"
            f"committer A <a@example.com> {number} +0000\ndata 0\n"
        )
        parts += (
            f"{'merge' if place else 'from'} :{parent + 1}\n"
            for place, parent in enumerate(drawn.parents)
        )
        parts.append("deleteall\n")
        for path, lines in drawn.files.items():
            text = "".join(f"{line}\n" for line in lines)
            parts.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}\n")
    marks = sandbox.path / "marks"
    options = ("--quiet", "--force", f"--export-marks={marks}")
    sandbox.git("fast-import", *options, stdin="".join(parts).encode())
    named = dict(line.split() for line in marks.read_text().splitlines())
    return [named[f":{number}"] for number in range(1, len(history) + 1)]


def blamed_by_git(sandbox: Sandbox, head: str, path: str) -> list[str]:
    found = sandbox.git("blame", "-s", "--porcelain", head, "--", path)
    matched = map(_HEADER.match, found.split("\n"))
    return [header[1] for header in matched if header]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return Sandbox(tmp_path_factory.mktemp("drawn"))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(histories())
def test_each_line_has_the_commit_of_git_blame_or_none(
    sandbox: Sandbox, history: list[Drawn]
) -> None:
    names = write(sandbox, history)
    repository = Repository(sandbox.path)
    records = Records(list(read_commits(repository, names, why_unread=lambda _: None)))
    head = names[-1]
    for path, lines in history[-1].files.items():
        if not lines:
            continue
        found = blame(
            records.graph(head), records, path=path, lines=lines, asked=(1, len(lines)), seconds=9
        )
        of_git = blamed_by_git(sandbox, head, path)
        numbers = [n for own in found for n in range(own.start_line, own.end_line + 1)]
        assert numbers == list(range(1, len(lines) + 1))
        for own in found:
            assert own.unknown in {"", Unknown.MERGE}
            if own.commit:
                assert set(of_git[own.start_line - 1 : own.end_line]) == {own.commit}
