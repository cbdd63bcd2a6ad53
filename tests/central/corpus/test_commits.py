"""Commits are stored with the run that brings them, and say which merge brought each."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.corpus.commits import merges_of, stored_commits
from central.corpus.models import Commit, CommitChange
from central.repositories.models import Repository
from tests.central.commits import change, commit, identity, store_commits
from tests.central.factories import RepositoryFactory


def merges(repository: Repository) -> dict[str, str]:
    """The merge of each commit, by their subjects of one letter."""
    rows = Commit.objects.filter(repository=repository).values_list("sha", "merge")
    return {bytes.fromhex(own[:2]).decode(): bytes.fromhex(by[:2]).decode() for own, by in rows}


@pytest.mark.django_db
def test_a_commit_of_a_branch_was_brought_by_its_merge() -> None:
    repository = RepositoryFactory()
    store_commits(repository, "a", commit("a"))
    store_commits(
        repository, "m", commit("b", "a"), commit("c", "b"), commit("m", "a", "c"), base="a"
    )
    assert merges(repository) == {"a": "a", "b": "m", "c": "m", "m": "m"}


@pytest.mark.django_db
def test_a_merge_into_another_branch_changes_what_brought_the_commits_before() -> None:
    """`git pull` on a feature branch makes it the first parent: the old line comes by the merge."""
    repository = RepositoryFactory()
    store_commits(repository, "b", commit("a"), commit("b", "a"))
    store_commits(repository, "m", commit("x", "a"), commit("m", "x", "b"), base="b")
    assert merges(repository) == {"a": "a", "x": "x", "b": "m", "m": "m"}


@pytest.mark.django_db
def test_rewritten_history_takes_its_commits_with_it() -> None:
    repository = RepositoryFactory()
    store_commits(
        repository,
        "b",
        commit("a", changes=[change("a.py")]),
        commit("b", "a", changes=[change("b.py"), change("c.py")]),
    )
    store_commits(repository, "d", commit("d", "a", changes=[change("d.py")]), base="b", gone="b")
    assert merges(repository) == {"a": "a", "d": "d"}
    assert sorted(CommitChange.objects.values_list("path", flat=True)) == ["a.py", "d.py"]
    assert stored_commits(repository.pk) == [identity("a"), identity("d")]


@pytest.mark.django_db
def test_no_commit_is_said_to_come_by_a_merge_that_is_gone() -> None:
    """Of a long line that was rewritten only the newest commits come: it is not known what did."""
    repository = RepositoryFactory()
    store_commits(repository, "m", commit("a"), commit("b", "a"), commit("m", "a", "b"))
    store_commits(repository, "y", commit("y", "x"), gone="m")
    assert merges(repository) == {"a": "a", "b": "", "y": "y"}


@pytest.mark.django_db
def test_commits_that_come_again_are_stored_once() -> None:
    repository, other = RepositoryFactory(), RepositoryFactory()
    for _ in range(2):
        store_commits(repository, "a", commit("a", changes=[change("a.py")]))
    store_commits(other, "a", commit("a", changes=[change("a.py")]))
    assert [Commit.objects.count(), CommitChange.objects.count()] == [2, 2]


@pytest.mark.django_db
def test_the_oldest_commits_go_when_there_are_too_many(settings: Any) -> None:
    settings.HISTORY_COMMITS = 2
    repository = RepositoryFactory()
    line = [
        commit("a", at=1, changes=[change("a.py")]),
        commit("b", "a", at=2),
        commit("c", "b", at=3),
    ]
    store_commits(repository, "c", *line)
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


@pytest.mark.django_db
def test_a_past_that_comes_later_was_brought_by_its_merges_too() -> None:
    """As after an upgrade: the next merge first, then by a full run what was before it."""
    repository = RepositoryFactory()
    store_commits(repository, "d", commit("d", "m"), base="m")
    past = [commit("a"), commit("b", "a"), commit("m", "a", "b")]
    store_commits(repository, "d", *past)
    assert merges(repository) == {"a": "a", "b": "m", "m": "m", "d": "d"}


@pytest.mark.django_db
def test_a_merge_into_a_history_of_its_own_root_brings_the_commits_before() -> None:
    repository = RepositoryFactory()
    store_commits(repository, "b", commit("a"), commit("b", "a"))
    store_commits(repository, "m", commit("r"), commit("m", "r", "b"), base="b")
    assert merges(repository) == {"a": "m", "b": "m", "r": "r", "m": "m"}
