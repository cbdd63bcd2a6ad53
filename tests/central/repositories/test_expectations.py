"""Repositories that should have an index and have none: who expects them, and who is told."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone
from pytest_django import Settings

from central.db import fetch_rows
from central.repositories.expectations import (
    EXPECTED,
    IS_EXPECTED,
    ListedRepository,
    expect_repositories,
    is_expected,
    note_no_index,
    without_index,
)
from central.repositories.metrics import RepositoryCollector
from central.repositories.models import ExpectedBy, ForgeStatement, Repository
from central.repositories.services import record_visibility, retire_repository
from central.repositories.statements import keep_removal
from central.repositories.visibility import MISSING_WITHOUT_INDEX
from central.tenancy.tokens import new_token
from tests.central.factories import ApiTokenFactory, RepositoryFactory
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db

CODE = {"a.py": "def a(): ...\n"}


@pytest.fixture
def api() -> Api:
    """An organisation with one indexed, public repository."""
    made = api_of()
    made.index(CODE)
    Repository.objects.update(visibility="public", forge_key=1)
    return made


def announce(api: Api, *listed: ListedRepository) -> None:
    expect_repositories(
        listed,
        organization_id=api.organization.pk,
        by=ExpectedBy.BACKFILL,
        asked_at=timezone.now(),
    )


def search(api: Api, **members: object) -> Any:
    body = {"org_id": "acme", "query": "def a"} | members
    return api.request("POST", "/api/v1/search", body).json()


def callers(api: Api, **members: object) -> Any:
    asked = urlencode({"org_id": "acme", "symbol": "f1"} | members)
    return api.request("GET", f"/api/v1/trace/callers?{asked}").json()


def lacking(answer: Any) -> list[tuple[str, str]]:
    return [(one["project"], one["reason"]) for one in answer["receipt"]["missing"]]


def test_the_rule_says_the_same_in_both_forms() -> None:
    for generation in (0, 1):
        for by in ("", *ExpectedBy):
            for at in (None, timezone.now()):
                RepositoryFactory(generation=generation, expected_by=by, not_expected_at=at)
    rows = fetch_rows(f"SELECT r.id FROM repositories_repository r WHERE {EXPECTED}", [])  # noqa: S608
    expected = Repository.objects.filter(IS_EXPECTED)
    assert {row[0] for row in rows} == set(expected.values_list("pk", flat=True))
    assert expected.count() == 2 * (1 + len(ExpectedBy)) + len(ExpectedBy)
    assert [one for one in Repository.objects.all() if is_expected(one)] == list(expected)
    assert without_index(Repository.objects.all()).count() == len(ExpectedBy)


def test_an_announced_repository_is_a_row_with_the_visibility_of_the_forge(api: Api) -> None:
    announce(api, ListedRepository("till", 7, "internal"), ListedRepository("url"))
    rows = Repository.objects.filter(generation=0).order_by("name")
    assert [(one.name, one.forge_key, one.visibility, one.indexed_by) for one in rows] == [
        ("till", 7, "internal", "central"),
        ("url", None, "private", "central"),
    ]


def test_what_the_forge_signed_later_is_newer(api: Api) -> None:
    later = timezone.now() + timedelta(minutes=1)
    organization_id = api.organization.pk
    record_visibility(organization_id=organization_id, forge_key=7, visibility="private", at=later)
    keep_removal(organization_id=organization_id, forge_key=8, at=later)
    announce(api, ListedRepository("till", 7, "public"), ListedRepository("gone", 8, "public"))
    announced = Repository.objects.get(generation=0)
    assert (announced.name, announced.visibility) == ("till", "private")


def test_what_the_forge_signs_next_reaches_the_row(api: Api) -> None:
    announce(api, ListedRepository("till", 7, "public"))
    at = timezone.now() + timedelta(minutes=1)
    record_visibility(organization_id=api.organization.pk, forge_key=7, visibility="private", at=at)
    assert Repository.objects.get(name="till").visibility == "private"
    assert ForgeStatement.objects.get(forge_key=7).visibility == "private"


def test_known_names_ids_and_the_limit_stay(api: Api, settings: Settings) -> None:
    settings.REPOSITORIES_MAX = 2
    announce(
        api,
        ListedRepository("renamed", 1),
        ListedRepository("shop", 9),
        ListedRepository("till", 7),
        ListedRepository("one-too-many", 8),
    )
    assert set(Repository.objects.values_list("name", flat=True)) == {"shop", "till"}


def test_a_list_that_has_a_repository_twice_announces_it_once(api: Api) -> None:
    announce(api, ListedRepository("till", 7), ListedRepository("till", 7))
    announce(api, ListedRepository("bank", 8), ListedRepository("bank", 9))
    names = Repository.objects.exclude(name="shop").values_list("name", flat=True)
    assert sorted(names) == ["bank", "till"]


def test_an_answer_without_an_announced_repository_is_incomplete(api: Api) -> None:
    assert search(api)["receipt"]["complete"]
    announce(api, ListedRepository("till", 7))
    till = Repository.objects.get(name="till")
    since = till.created_at.isoformat().replace("+00:00", "Z")
    for answer in (search(api), search(api, query='"def a"'), callers(api)):
        assert not answer["receipt"]["complete"]
        assert answer["receipt"]["missing"] == [
            {"project": "till", "reason": "never_indexed", "since": since}
        ]
    note_no_index(till, error="fatal: no such host")
    for answer in (search(api), callers(api)):
        assert lacking(answer) == [("till", "not_cloned")]
    status = api.request("GET", "/api/v1/index/status?org_id=acme&project=till").json()
    assert status["projects"][0]["state"] == "failed"
    assert status["projects"][0]["error"] == "fatal: no such host"
    assert status["projects"][0]["lacking_since"] == since
    api.index({"b.py": "b = 1\n"}, project="till")
    assert search(api)["receipt"]["complete"]
    status = api.request("GET", "/api/v1/index/status?org_id=acme&project=till").json()
    assert status["projects"][0]["lacking_since"] is None


def test_an_answer_about_other_repositories_lacks_nothing(api: Api) -> None:
    announce(api, ListedRepository("till", 7))
    for answer in (
        search(api, include_projects=["shop"]),
        search(api, exclude_projects=["till"]),
        search(api, query='repo:shop "def a"'),
        search(api, query="repo:shop def a"),
        search(api, query='-repo:till "def a"'),
        search(api, query='-(repo:till OR file:x.py) "def a"'),
        search(api, query='(repo:shop OR repo:other) "def a"'),
        callers(api, caller_projects="shop"),
    ):
        assert answer["receipt"]["complete"], answer
    for answer in (
        search(api, include_projects=["till"]),
        search(api, query='repo:till "def a"'),
        search(api, query='-(repo:till file:x.py) "def a"'),
        search(api, query='(repo:till or file:b.py) "def a"'),
        callers(api, caller_projects="till"),
    ):
        assert lacking(answer) == [("till", "never_indexed")]


@pytest.mark.parametrize("members", [{"not_expected_at": timezone.now()}, {"expected_by": ""}])
def test_one_that_nobody_expects_is_only_told_to_who_names_it(
    api: Api, members: dict[str, object]
) -> None:
    RepositoryFactory(organization=api.organization, name="till", **members)
    for answer in (search(api), search(api, query='"def a"'), callers(api)):
        assert answer["receipt"]["complete"]
    for answer in (search(api, include_projects=["till"]), callers(api, caller_projects="till")):
        assert lacking(answer) == [("till", "never_indexed")]


def test_a_receipt_names_the_first_and_counts_the_others(api: Api) -> None:
    announce(api, *(ListedRepository(f"r{n:02}") for n in range(MISSING_WITHOUT_INDEX + 3)))
    for answer in (search(api), search(api, query='"def a"'), callers(api)):
        receipt = answer["receipt"]
        assert [one["project"] for one in receipt["missing"]] == [
            f"r{n:02}" for n in range(MISSING_WITHOUT_INDEX)
        ]
        assert receipt["missing_more"] == 3


def test_a_retired_repository_is_expected_no_more(api: Api) -> None:
    announce(api, ListedRepository("till", 7))
    retire_repository(Repository.objects.get(name="till"))
    assert search(api)["receipt"]["complete"]


@pytest.mark.parametrize(
    "limits",
    [
        {"repositories": ["shop"]},
        {"visibilities": ["public"]},
        {"bound_repository_id": 1},
    ],
    ids=["named", "public", "bound"],
)
def test_a_hidden_one_changes_no_answer(api: Api, limits: dict[str, Any]) -> None:
    secret = new_token()
    ApiTokenFactory(organization=api.organization, token=secret, **limits)
    limited = Api(api.organization, secret)

    def answers() -> list[Any]:
        found = [
            search(limited),
            search(limited, query='"def a"'),
            search(limited, query="nothing_like_it"),
            search(limited, include_projects=["till"]),
            callers(limited),
            limited.request("GET", "/api/v1/index/status?org_id=acme").json(),
            limited.request("GET", "/api/v1/index/status?org_id=acme&project=till").json(),
        ]
        for one in found:
            one.get("receipt", {}).pop("took_ms", None)
            one.pop("request_id", None)
        return found

    before = answers()
    assert before[0]["receipt"]["complete"], before[0]
    announce(api, ListedRepository("till", 7, "private"), ListedRepository("url"))
    assert answers() == before


def test_a_metric_counts_them_by_reason() -> None:
    RepositoryFactory(generation=1)
    RepositoryFactory(not_expected_at=timezone.now())
    RepositoryFactory(trouble="not_cloned")
    for _ in range(2):
        RepositoryFactory()
    counts, age, _ = RepositoryCollector().collect()
    assert {one.labels["reason"]: one.value for one in counts.samples} == {
        "failed": 0,
        "not_cloned": 1,
        "waiting": 2,
    }
    assert age.samples[0].value > 0
