"""Commits that changed a file, a directory or a repository, over HTTP."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection

from central.files import history
from central.repositories.models import Repository
from indexer.records.history import Commit, PathChange
from tests.central.commits import change, commit, identity, store_commits
from tests.central.factories import FileFactory, RepositoryFactory
from tests.central.plans import statements_sent
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem

DAY = 86_400
NOVEMBER = 1_793_491_200  # 2026-11-01


@pytest.fixture
def api(db: None) -> Api:
    """A token of acme."""
    return api_of()


@pytest.fixture
def repository(api: Api) -> Repository:
    """An indexed repository of acme."""
    return RepositoryFactory.create(
        organization=api.organization,
        name="kit",
        generation=1,
        last_indexed_commit="c" * 40,
        web_url="https://forge.example/acme/kit",
    )


def add(
    repository: Repository,
    *commits: tuple[str, tuple[PathChange, ...]],
    reverts: tuple[str, ...] = (),
) -> None:
    """Store a line of commits, one a day, by subject and changes; the last may revert others."""
    made: list[Commit] = []
    for day, (subject, changes) in enumerate(commits):
        before = [commits[day - 1][0]] if day else []
        taken_back = reverts if day == len(commits) - 1 else ()
        at = NOVEMBER + day * DAY
        made.append(commit(subject, *before, at=at, changes=changes, reverts=taken_back))
    store_commits(repository, commits[-1][0], *made)


@pytest.fixture
def ask(api: Api) -> Callable[..., Any]:
    def asked(**query: object) -> Any:
        fields = urlencode({"org_id": "acme", "project": "kit"} | query)
        return api.request("GET", f"/api/v1/files/history?{fields}")

    return asked


def subjects(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [commit["subject"] for commit in answer.json()["commits"]]


def test_a_file_is_followed_through_its_renames(
    repository: Repository, ask: Callable[..., Any]
) -> None:
    add(
        repository,
        ("Begin", (change("old.py", status="A"), change("other.py", status="A"))),
        ("Edit", (change("old.py"),)),
        ("Move", (change("new.py", "old.py"),)),
        ("Another of that name", (change("old.py", status="A"),)),
        ("Edit again", (change("new.py"), change("other.py"))),
    )
    answer = ask(path="new.py")
    assert subjects(answer) == ["Edit again", "Move", "Edit", "Begin"]
    newest, moved, *_ = answer.json()["commits"]
    assert newest["changes"] == [{"path": "new.py", "status": "modified", "old_path": None}]
    assert moved["changes"] == [{"path": "new.py", "status": "renamed", "old_path": "old.py"}]
    assert (newest["changed"], newest["committed_at"]) == (2, "2026-11-05T00:00:00Z")
    assert newest["url"] == f"https://forge.example/acme/kit/commit/{identity('Edit again')}"
    assert subjects(ask(path="old.py")) == ["Another of that name", "Move", "Edit", "Begin"]


def test_what_left_a_path_is_in_its_history(
    repository: Repository, ask: Callable[..., Any]
) -> None:
    add(
        repository,
        ("Begin", (change("src/a.py", status="A"), change("b.py", status="A"))),
        ("Move out", (change("lib/a.py", "src/a.py"), change("c.py", "b.py"))),
        ("Delete", (change("c.py", status="D"), change("lib/a.py"))),
    )
    assert subjects(ask(path="src")) == ["Move out", "Begin"]
    moved, _ = ask(path="src/a.py").json()["commits"]
    assert moved["changes"] == [{"path": "lib/a.py", "status": "renamed", "old_path": "src/a.py"}]
    assert subjects(ask(path="c.py")) == ["Delete", "Move out", "Begin"]


@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize("path", ["new.py", "", "src"])
def test_pages_have_each_commit_once(
    repository: Repository, ask: Callable[..., Any], path: str, limit: int
) -> None:
    add(
        repository,
        ("One", (change("old.py", status="A"), change("src/a.py", status="A"))),
        ("Two", (change("mid.py", "old.py"), change("src/b.py"))),
        ("Three", (change("new.py", "mid.py"), change("src/c/d.py"), change("src/a.py"))),
        ("Four", (change("new.py"), change("src/a.py"))),
    )
    seen: list[str] = []
    query: dict[str, object] = {"limit": limit} | ({"path": path} if path else {})
    while query.get("cursor", "first"):
        answer = ask(**query)
        seen += subjects(answer)
        query["cursor"] = answer.json()["next_cursor"]
    assert seen == ["Four", "Three", "Two", "One"]


def test_commits_of_one_second_stand_in_the_order_of_the_branch(
    repository: Repository, ask: Callable[..., Any]
) -> None:
    """As a rebase leaves them."""
    names = ["z", "a", "m", "b"]
    store_commits(repository, "b", *(commit(name, at=NOVEMBER) for name in names))
    assert subjects(ask()) == names[::-1]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"after": "2026-11-02"}, ["Three", "Two"]),
        ({"before": "2026-11-02"}, ["One"]),
        ({"after": "2026-11-02", "before": "2026-11-03T00:00:00Z"}, ["Two"]),
        ({"after": "2026-11-02T01:00:00+01:00", "before": "2026-11-02T00:00:01"}, ["Two"]),
        ({"after": "0001-01-01", "before": "9999-12-31"}, ["Three", "Two", "One"]),
    ],
)
def test_times_are_of_utc_unless_they_say(
    repository: Repository, ask: Callable[..., Any], query: dict[str, str], found: list[str]
) -> None:
    add(repository, ("One", ()), ("Two", ()), ("Three", ()))
    assert subjects(ask(**query)) == found


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("bad", ["yesterday", "2026-13-01", "1", "20261101T", "0" * 41])
def test_what_is_no_time_is_refused(ask: Callable[..., Any], bad: str) -> None:
    answer = ask(after=bad)
    assert_problem(answer, 400, "invalid")
    assert answer.json()["detail"].startswith("after: ")


def test_a_commit_says_what_takes_it_back(repository: Repository, ask: Callable[..., Any]) -> None:
    add(repository, ("Mistake", ()), ("Revert", ()), reverts=("Mistake",))
    revert, mistake = ask().json()["commits"]
    assert (revert["reverts"], mistake["reverted_by"]) == ([mistake["commit"]], [revert["commit"]])
    assert (revert["merge"], mistake["merge"]) == (revert["commit"], mistake["commit"])


def test_an_empty_history_says_why(repository: Repository, ask: Callable[..., Any]) -> None:
    assert "No commit of this repository is stored yet" in ask().json()["hint"]
    add(repository, ("Begin", (change("a.py", status="A"),)))
    FileFactory.create(repository=repository, path="before.py", content="x\n")
    answer = ask(path="before.py")
    assert subjects(answer) == []
    assert answer.json()["since"] == "2026-11-01T00:00:00Z"
    assert "Commits are stored since 2026-11-01" in answer.json()["hint"]
    assert "of this time" in ask(after="2027-01-01").json()["hint"]


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("path", ["ghost.py", "../kit"])
def test_a_path_of_neither_index_nor_history_is_not_found(
    ask: Callable[..., Any], path: str
) -> None:
    assert_problem(ask(path=path), 404, "file_not_found")


def test_a_directory_is_no_pattern(repository: Repository, ask: Callable[..., Any]) -> None:
    add(repository, ("One", (change("a_b/x.py"),)), ("Two", (change("acb/x.py"),)))
    assert subjects(ask(path="a_b")) == ["One"]


def test_another_repository_of_the_same_commits_is_not_read(
    api: Api, repository: Repository, ask: Callable[..., Any]
) -> None:
    other = RepositoryFactory.create(organization=api.organization, name="fork", generation=1)
    add(repository, ("One", (change("a.py"),)))
    add(other, ("One", (change("a.py"),)), ("Secret", (change("a.py"),)))
    assert subjects(ask(path="a.py")) == ["One"]


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("2026-11-05", ["Move again", "Edit", "Move", "Begin"]),
        ("2026-11-04", ["Edit", "Move", "Begin"]),
        ("2026-11-03", ["Move", "Begin"]),
        ("2026-11-02", ["Begin"]),
    ],
)
def test_a_file_is_followed_through_renames_after_the_time_that_is_asked_for(
    repository: Repository, ask: Callable[..., Any], before: str, found: list[str]
) -> None:
    add(
        repository,
        ("Begin", (change("a.py", status="A"),)),
        ("Move", (change("b.py", "a.py"),)),
        ("Edit", (change("b.py"),)),
        ("Move again", (change("c.py", "b.py"),)),
    )
    assert subjects(ask(path="c.py", before=before)) == found


def test_a_submodule_that_became_a_directory_has_the_history_of_the_directory(
    repository: Repository, ask: Callable[..., Any]
) -> None:
    add(
        repository,
        ("Add submodule", (change("lib", status="A"),)),
        ("Take its files", (change("lib", status="D"), change("lib/a.py", status="A"))),
        ("Edit", (change("lib/a.py"),)),
    )
    FileFactory.create(repository=repository, path="lib/a.py", content="x\n")
    assert subjects(ask(path="lib")) == ["Edit", "Take its files"]


def test_another_file_of_a_former_name_is_not_the_file(
    repository: Repository, ask: Callable[..., Any]
) -> None:
    """As what a moved module leaves at its old place."""
    add(
        repository,
        ("Begin", (change("old.py", status="A"),)),
        ("Move", (change("new.py", "old.py"),)),
        ("Edit both", (change("new.py"), change("old.py", status="A"))),
    )
    changes = [commit["changes"] for commit in ask(path="new.py").json()["commits"]]
    assert [[path["path"] for path in own] for own in changes] == [
        ["new.py"],
        ["new.py"],
        ["old.py"],
    ]


def test_a_directory_is_looked_for_in_its_repository_alone(
    repository: Repository, ask: Callable[..., Any]
) -> None:
    """An index by path has the rows of all repositories."""
    add(repository, ("One", (change("src/a.py"),)))
    with statements_sent() as sent:
        assert subjects(ask(path="src")) == ["One"]
    [listing] = [statement for statement in sent if statement.sql == history._BELOW]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {listing.sql}", listing.parameters)
        plan = "".join(line for (line,) in cursor.fetchall())
    of_changes = plan.partition("corpus_commitchange h")[2].partition("->")[0]
    assert "repository_id" in of_changes
