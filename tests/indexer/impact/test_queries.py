"""What is asked of central and read of its answers; over real HTTP."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from indexer.errors import CentralError, CentralRefusedError
from indexer.impact.queries import (
    ChangedLines,
    ImpactQueries,
    IndexedBranch,
    MissingProject,
    OwnerCount,
)
from tests.indexer.central import TOKEN, StandIn, stand_in

RECEIPT: dict[str, Any] = {
    "complete": False,
    "projects": [{"project": "shop", "commit": "c" * 40, "indexed_at": None}],
    "missing": [{"project": "web", "reason": "behind"}],
    "unresolved": {"count": 3, "more": False, "sample": []},
    "cut": ["a limit"],
}
EMPTY = {
    "symbols": [],
    "unknown": ["new.py"],
    "visibilities": ["public"],
    "receipt": RECEIPT,
    "hint": None,
}
NAMES = ("project", "commit", "file", "name", "qualified_name", "kind")
DEFINITION = {**dict.fromkeys(NAMES, "x"), "line": 1, "end_line": 2, "url": None}
WITHOUT_COUNT = {
    "definition": DEFINITION,
    "projects": [],
    "owners": [{"owner": "@acme/web", "count": "two", "known": True}],
}


@pytest.fixture
def server() -> Iterator[StandIn]:
    with stand_in() as server:
        yield server


@pytest.fixture
def questions(server: StandIn) -> Iterator[ImpactQueries]:
    transport = Transport(url=server.url, credentials=StaticToken(TOKEN), retry_seconds=0)
    yield ImpactQueries(transport, organization="acme", project="a b&c")
    transport.close()


def answer(server: StandIn, status: int, body: object) -> None:
    server.failures.append((status, body, {}))  # type: ignore[arg-type]


def test_the_indexed_commit_is_that_of_the_projects_status(
    server: StandIn, questions: ImpactQueries
) -> None:
    answer(server, 200, {"projects": [{"last_indexed_commit": "c" * 40}]})
    assert questions.indexed_branch().commit == "c" * 40
    assert server.requests[0].path == "/api/v1/index/status?org_id=acme&project=a+b%26c"


def test_neither_an_unknown_project_nor_one_without_a_run_is_indexed(
    server: StandIn, questions: ImpactQueries
) -> None:
    answer(server, 404, {"code": "repository_not_found", "detail": "No such."})
    answer(server, 200, {"projects": [{"last_indexed_commit": None}]})
    assert questions.indexed_branch().commit is None
    assert questions.indexed_branch().commit is None


def test_an_organisation_that_is_not_the_credentials_is_an_error(
    server: StandIn, questions: ImpactQueries
) -> None:
    answer(server, 404, {"code": "organization_not_found", "detail": "No such."})
    with pytest.raises(CentralRefusedError, match="organization_not_found"):
        questions.indexed_branch()


def test_files_and_names_are_asked_about_in_the_apis_words(
    server: StandIn, questions: ImpactQueries
) -> None:
    answer(server, 200, EMPTY)
    answer(server, 200, EMPTY)
    files = [ChangedLines("a.py", ((1, 2), (5, 5))), ChangedLines("gone.py")]
    found = questions.impact_at(files, min_confidence="high")
    questions.impact_of(["A.b"], min_confidence="low")
    common = {"org_id": "acme", "project": "a b&c", "limit": 200}
    assert [json.loads(request.body) for request in server.requests] == [
        common | {
            "files": [{"path": "a.py", "lines": [[1, 2], [5, 5]]}, {"path": "gone.py"}],
            "min_confidence": "high",
        },
        common | {"symbols": ["A.b"], "min_confidence": "low"},
    ]  # fmt: skip
    assert found.unknown == ("new.py",)
    assert found.visibilities == ("public",)
    assert found.receipt.projects == {"shop": "c" * 40}
    assert found.receipt.missing == (MissingProject("web", "behind"),)
    assert (found.receipt.unresolved, found.receipt.cut) == (3, ("a limit",))
    assert not found.receipt.complete


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {**EMPTY, "symbols": [{}]},
        {**EMPTY, "symbols": [WITHOUT_COUNT]},
        {**EMPTY, "receipt": None},
    ],
)
def test_an_answer_that_cannot_be_read_is_centrals_fault(
    server: StandIn, questions: ImpactQueries, body: object
) -> None:
    answer(server, 200, body)
    with pytest.raises(CentralError, match="both are up to date"):
        questions.impact_at([ChangedLines("a.py")], min_confidence="medium")


@pytest.mark.parametrize("name", ["--upload-pack=touch x", "main", "+HEAD:refs/heads/main", "", 5])
def test_git_is_never_given_a_name_of_centrals_that_is_no_commits(
    server: StandIn, questions: ImpactQueries, name: object
) -> None:
    answer(server, 200, {"projects": [{"last_indexed_commit": name}]})
    with pytest.raises(CentralError, match="both are up to date"):
        questions.indexed_branch()


def test_owners_are_read_and_an_earlier_service_gives_none(
    server: StandIn, questions: ImpactQueries
) -> None:
    earlier = {"definition": DEFINITION, "projects": []}
    owners = [{"owner": "@acme/web", "count": 2, "known": True}]
    answer(server, 200, {**EMPTY, "symbols": [earlier, {**earlier, "owners": owners}]})
    found = questions.impact_at([ChangedLines("a.py")], min_confidence="high")
    assert [one.owners for one in found.symbols] == [(), (OwnerCount("@acme/web", 2),)]


STATUS = {"default_branch": "main", "last_indexed_commit": "c" * 40}
RELEASE = {"ref": "release/1", "last_indexed_commit": "d" * 40, "reason": None}


@pytest.mark.parametrize(
    ("branches", "asked", "found"),
    [
        ([RELEASE], "release/1", IndexedBranch("d" * 40, "release/1")),
        ([RELEASE], "main", IndexedBranch("c" * 40)),
        ([RELEASE], "release/2", IndexedBranch("c" * 40, not_indexed="release/2")),
        (
            [{**RELEASE, "reason": "branch_not_indexed"}],
            "release/1",
            IndexedBranch("c" * 40, not_indexed="release/1"),
        ),
        (None, "release/1", IndexedBranch("c" * 40, not_indexed="release/1")),  # an older service
    ],
)
def test_a_branch_without_an_index_gives_way_to_the_default_one(
    server: StandIn,
    questions: ImpactQueries,
    branches: list[Any] | None,
    asked: str,
    found: IndexedBranch,
) -> None:
    more = {} if branches is None else {"branches": branches}
    answer(server, 200, {"projects": [STATUS | more]})
    assert questions.indexed_branch(asked) == found


def test_only_a_branch_that_is_indexed_is_asked_about(
    server: StandIn, questions: ImpactQueries
) -> None:
    answer(server, 200, EMPTY)
    questions.impact_of(["A.b"], min_confidence="low", ref="release/1")
    assert json.loads(server.requests[0].body)["ref"] == "release/1"
