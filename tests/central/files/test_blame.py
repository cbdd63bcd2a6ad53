"""The commits of lines and of definitions, over HTTP."""

from typing import Any
from urllib.parse import urlencode

import pytest

from central.corpus import line_records
from central.corpus.models import File, Symbol
from central.repositories.models import Repository
from indexer.records.history import Commit, PathChange, Unread
from tests.central.commits import change, commit, identity, store_commits
from tests.central.factories import FileFactory, RepositoryFactory
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem

DAY = 86_400
TEXT = "import os\n\n\ndef first():\n    return 10\n\n\ndef second():\n    return 2\n"
BEGIN = "@@ -0,0 +1,8 @@\n" + "".join(
    f"+{line}\n" for line in TEXT.replace("10", "1").split("\n")[1:-1]
)


@pytest.fixture
def api(db: None) -> Api:
    """A token of acme."""
    return api_of()


@pytest.fixture
def repository(api: Api) -> Repository:
    """A repository whose file was begun, renamed with a changed line, and got an import."""
    repository = RepositoryFactory.create(
        organization=api.organization,
        name="kit",
        generation=1,
        last_indexed_commit=identity("Import"),
        web_url="https://forge.example/acme/kit",
    )
    file = FileFactory.create(repository=repository, path="new.py", content=TEXT)
    for name, start in (("first", 4), ("second", 8)):
        define(file, name, start)
    return repository


def define(file: File, name: str, start: int) -> None:
    """A function of two lines."""
    Symbol.objects.create(
        repository=file.repository,
        file=file,
        name=name,
        qualified_name=name,
        kind="function",
        start_line=start,
        end_line=start + 1,
        exported=True,
        parts=[name],
    )


MOVE = change("new.py", "old.py", hunks="@@ -4 +4 @@\n-    return 1\n+    return 10\n")
IMPORT = change("new.py", hunks="@@ -0,0 +1 @@\n+import os\n")


def line_of(*commits: tuple[str, PathChange]) -> list[Commit]:
    """Commits that follow one another, one a day."""
    return [
        commit(subject, *[commits[day - 1][0]][: day > 0], at=day * DAY, changes=[changed])
        for day, (subject, changed) in enumerate(commits)
    ]


def store(repository: Repository, *, moved: PathChange = MOVE) -> None:
    begun = change("old.py", status="A", hunks=BEGIN)
    made = line_of(("Begin", begun), ("Move", moved), ("Import", IMPORT))
    store_commits(repository, "Import", *made)


def ask(api: Api, what: str, **query: object) -> Any:
    fields = urlencode({"org_id": "acme", "project": "kit"} | query)
    return api.request("GET", f"/api/v1/files/{what}?{fields}")


def lines(answer: Any) -> list[tuple[int, int, str]]:
    assert answer.status_code == 200, answer.content
    return [(own["start_line"], own["end_line"], own["subject"]) for own in answer.json()["ranges"]]


def subjects(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [own["subject"] for own in answer.json()["commits"]]


def test_lines_have_the_commits_that_made_them_through_a_rename(
    api: Api, repository: Repository
) -> None:
    store(repository)
    answer = ask(api, "blame", path="new.py")
    assert lines(answer) == [(1, 1, "Import"), (2, 4, "Begin"), (5, 5, "Move"), (6, 9, "Begin")]
    found = answer.json()
    assert found["ranges"][2] == {
        "start_line": 5,
        "end_line": 5,
        "commit": identity("Move"),
        "subject": "Move",
        "committed_at": "1970-01-02T00:00:00Z",
        "author": None,
        "merge": identity("Move"),
        "url": f"https://forge.example/acme/kit/commit/{identity('Move')}",
    }
    assert (found["unknown"], found["total_lines"], found["truncated"]) == ([], 9, False)
    assert found["receipt"]["complete"]
    part = ask(api, "blame", path="new.py", start_line=4, end_line=5)
    assert lines(part) == [(4, 4, "Begin"), (5, 5, "Move")]


def test_large_patches_are_not_all_kept_in_memory(
    api: Api, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(repository)
    monkeypatch.setattr(line_records, "_PATCHES_AHEAD", 1)
    monkeypatch.setattr(line_records, "_KEPT_CHARACTERS", 0)
    changes = line_records.StoredChanges(repository.pk)
    changes.read_ahead(["new.py"])
    assert [
        changes.hunks(identity(subject), "new.py") for subject in ("Import", "Move", "Import")
    ] == [IMPORT.hunks, MOVE.hunks, IMPORT.hunks]
    assert len(changes._patches) == 1
    assert lines(ask(api, "blame", path="new.py"))[0] == (1, 1, "Import")


@pytest.mark.parametrize(
    ("moved", "reason"),
    [
        (PathChange("new.py", MOVE.status, "old.py", "", "", Unread.ABSENT), "absent"),
        (PathChange("new.py", MOVE.status, "old.py", "", "", Unread.LARGE), "large"),
        (PathChange("new.py", MOVE.status, "old.py", "", "", Unread.OFF), "off"),
        (change("new.py", "old.py", hunks="@@ -4 +4 @@\n-1\n+2\n"), "inconsistent"),
        (change("new.py", "old.py", hunks="@@ -400 +400 @@\n-1\n+2\n"), "inconsistent"),
        (change("new.py", "none.py", hunks=MOVE.hunks), "inconsistent"),
    ],
    ids=["absent", "large", "off", "other lines", "beyond the file", "no such file"],
)
def test_what_is_not_stored_is_unknown_with_its_reason(
    api: Api, repository: Repository, moved: PathChange, reason: str
) -> None:
    store(repository, moved=moved)
    answer = ask(api, "blame", path="new.py")
    known = lines(answer)
    assert known in ([(1, 1, "Import")], [(1, 1, "Import"), (5, 5, "Move")])
    assert {own["reason"] for own in answer.json()["unknown"]} == {reason}
    hint = answer.json()["hint"]
    assert hint.startswith("The commits of some lines are unknown")
    assert ("codesearch index --history" in hint) is (reason in {"absent", "off"})


def test_what_was_before_the_stored_commits_is_unknown(api: Api, repository: Repository) -> None:
    newest = commit("Import", "Move", at=1, changes=[IMPORT])
    store_commits(repository, "Import", newest)
    answer = ask(api, "blame", path="new.py")
    assert lines(answer) == [(1, 1, "Import")]
    assert answer.json()["unknown"] == [{"start_line": 2, "end_line": 9, "reason": "not_stored"}]


def test_a_repository_without_commits_says_so(api: Api, repository: Repository) -> None:
    answer = ask(api, "blame", path="new.py").json()
    assert (answer["ranges"], answer["since"]) == ([], None)
    assert answer["hint"].startswith("No commit of this repository is stored yet.")


def test_refusals_of_blame(api: Api, repository: Repository) -> None:
    assert_problem(ask(api, "blame", path="none.py"), 404, "file_not_found")
    assert_problem(ask(api, "blame", path="new.py", start_line=99), 400, "invalid")
    assert_problem(ask(api, "blame", path="new.py", start_line=3, end_line=2), 400, "invalid")
    assert_problem(ask(api, "blame", project="other", path="new.py"), 404, "repository_not_found")


@pytest.mark.parametrize("query", [{"path": "new.py"}, {}], ids=["in a file", "anywhere"])
def test_a_definition_has_the_commits_that_changed_its_lines(
    api: Api, repository: Repository, query: dict[str, str]
) -> None:
    store(repository)
    answer = ask(api, "history", symbol="first", **query)
    assert subjects(answer) == ["Move", "Begin"]
    found = answer.json()
    assert (found["symbol"], found["path"]) == ("first", "new.py")
    assert found["commits"][1]["changes"][0]["path"] == "old.py"
    assert subjects(ask(api, "history", symbol="second", **query)) == ["Begin"]
    page = ask(api, "history", symbol="first", limit=1, **query)
    cursor = page.json()["next_cursor"]
    assert subjects(ask(api, "history", symbol="first", limit=1, cursor=cursor, **query)) == [
        "Begin"
    ]
    assert subjects(ask(api, "history", symbol="first", after="1970-01-02", **query)) == ["Move"]


def test_a_name_that_is_not_one_definition_is_refused_with_those_that_are(
    api: Api, repository: Repository
) -> None:
    store(repository)
    file = FileFactory.create(repository=repository, path="other.py", content=TEXT)
    define(file, "first", 4)
    refused = ask(api, "history", symbol="first")
    assert_problem(refused, 404, "symbol_not_found")
    assert refused.json()["near"] == ["new.py:first", "other.py:first"]
    refused = ask(api, "history", symbol="third", path="new.py")
    assert_problem(refused, 404, "symbol_not_found")
    assert "it defines first, second" in refused.json()["detail"]
    assert_problem(ask(api, "history", symbol="first", path="no.py"), 404, "file_not_found")
    assert_problem(ask(api, "history", symbol="third"), 404, "symbol_not_found")
