"""Commits are stored with the run that brings them, and say which merge brought each."""

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from central.corpus.commits import (
    COMMITS_KEPT,
    merges_of,
    put_commits,
    settle_commits,
    stored_commits,
)
from central.corpus.models import Commit, CommitChange
from central.repositories.models import Repository
from indexer.records import history
from indexer.records.history import Change, ChangeStatus
from tests.central.factories import RepositoryFactory


def sha(name: str) -> str:
    """The id of a commit that a test names by a letter."""
    return name.encode().hex().ljust(40, "0")


def commit(name: str, *parents: str, at: int = 0, paths: tuple[str, ...] = ()) -> history.Commit:
    """A commit by names."""
    return history.Commit(
        sha=sha(name),
        parents=tuple(map(sha, parents)),
        authored_at=at,
        committed_at=at,
        author="",
        subject=f"Commit {name}",
        body="",
        reverts=(),
        changes=tuple(Change(path, ChangeStatus.MODIFIED) for path in paths),
        changed=len(paths),
    )


def apply(
    repository: Repository, head: str, *commits: history.Commit, base: str = "", gone: str = ""
) -> None:
    """What the apply of a run does with its commits."""
    with transaction.atomic():
        put_commits(repository.pk, commits, [sha(name) for name in gone])
        settle_commits(
            repository.pk,
            head=sha(head),
            base=base and sha(base),
            parents={one.sha: one.parents for one in commits},
            is_rewritten=bool(gone),
        )


def merges(repository: Repository) -> dict[str, str]:
    """The merge of each commit, by letters."""
    rows = Commit.objects.filter(repository=repository).values_list("sha", "merge")
    return {bytes.fromhex(own[:2]).decode(): bytes.fromhex(by[:2]).decode() for own, by in rows}


@pytest.mark.django_db
def test_a_commit_of_a_branch_was_brought_by_its_merge() -> None:
    repository = RepositoryFactory()
    apply(repository, "a", commit("a"))
    apply(repository, "m", commit("b", "a"), commit("c", "b"), commit("m", "a", "c"), base="a")
    assert merges(repository) == {"a": "a", "b": "m", "c": "m", "m": "m"}


@pytest.mark.django_db
def test_a_merge_into_another_branch_changes_what_brought_the_commits_before() -> None:
    """`git pull` on a feature branch makes it the first parent: the old line comes by the merge."""
    repository = RepositoryFactory()
    apply(repository, "b", commit("a"), commit("b", "a"))
    apply(repository, "m", commit("x", "a"), commit("m", "x", "b"), base="b")
    assert merges(repository) == {"a": "a", "x": "x", "b": "m", "m": "m"}


@pytest.mark.django_db
def test_rewritten_history_takes_its_commits_with_it() -> None:
    repository = RepositoryFactory()
    apply(repository, "b", commit("a", paths=("a.py",)), commit("b", "a", paths=("b.py", "c.py")))
    apply(repository, "d", commit("d", "a", paths=("d.py",)), base="b", gone="b")
    assert merges(repository) == {"a": "a", "d": "d"}
    assert sorted(CommitChange.objects.values_list("path", flat=True)) == ["a.py", "d.py"]
    assert stored_commits(repository.pk) == [sha("a"), sha("d")]


@pytest.mark.django_db
def test_commits_that_come_again_are_stored_once() -> None:
    repository, other = RepositoryFactory(), RepositoryFactory()
    for _ in range(2):
        apply(repository, "a", commit("a", paths=("a.py",)))
    apply(other, "a", commit("a", paths=("a.py",)))
    assert [Commit.objects.count(), CommitChange.objects.count()] == [2, 2]


@pytest.mark.django_db
def test_the_oldest_commits_go_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("central.corpus.commits.COMMITS_KEPT", 2)
    assert COMMITS_KEPT > 2
    repository = RepositoryFactory()
    line = [commit("a", at=1, paths=("a.py",)), commit("b", "a", at=2), commit("c", "b", at=3)]
    apply(repository, "c", *line)
    assert merges(repository) == {"b": "b", "c": "c"}
    assert not CommitChange.objects.exists()


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    """Commits in the order in which they were made, each with parents among those before."""
    parents: dict[str, list[str]] = {}
    for number in range(draw(st.integers(1, 12))):
        known = sorted(parents)
        chosen = draw(st.lists(st.sampled_from(known), max_size=3, unique=True)) if known else []
        parents[f"{number:02}"] = chosen
    return parents


@given(parents=graphs())
def test_each_commit_was_brought_by_the_oldest_of_the_line_that_contains_it(
    parents: dict[str, list[str]],
) -> None:
    def contained(sha: str) -> set[str]:
        return {sha}.union(*(contained(parent) for parent in parents[sha]))

    head = max(parents)
    line = [head]
    while parents[line[-1]]:
        line.append(parents[line[-1]][0])
    assert merges_of(head, parents) == {
        sha: next(merge for merge in reversed(line) if sha in contained(merge))
        for sha in contained(head)
    }
