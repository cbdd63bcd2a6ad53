"""Repositories that an installation of the GitHub App lists: expected where that is switched on."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from central.onboarding.services.requests import cancel_backfill
from central.repositories.expectations import ListedRepository, expect_repositories, without_index
from central.repositories.installations import expect_installed
from central.repositories.models import ExpectedBy, InstalledRepository, Repository
from central.repositories.services import record_visibility
from central.repositories.statements import keep_removal
from central.tenancy.audit import COMMAND
from central.tenancy.models import AuditEntry, Organization
from central.tenancy.tokens import new_token
from tests.central.factories import ApiTokenFactory, RepositoryFactory
from tests.central.github import payloads
from tests.central.github.payloads import APP_SECRET, GitHub
from tests.central.onboarding.world import backfill_of, queued
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def app_secret(settings: Settings) -> None:
    settings.GITHUB_WEBHOOK_SECRET = APP_SECRET


@pytest.fixture
def github() -> GitHub:
    return GitHub()


def created(*names: str, private: bool = True) -> dict[str, Any]:
    """The App is installed; ids are 1, 2, … in order of the names."""
    listed = [payloads.listed(name, at, private=private) for at, name in enumerate(names, 1)]
    return payloads.installation("created", repositories=listed)


def switch(acme: Organization, *, is_on: bool) -> bool:
    return expect_installed(acme, is_on=is_on, actor=COMMAND)


def expected() -> dict[str, str]:
    rows = without_index(Repository.objects.filter(retired_at=None))
    return dict(rows.order_by("name").values_list("name", "expected_by"))


def test_without_the_switch_a_list_makes_no_repository(acme: Organization, github: GitHub) -> None:
    github.told("installation", created("shop", "till"))
    assert not Repository.objects.exists()


def test_with_it_what_is_listed_is_a_row_that_its_workflow_indexes(
    acme: Organization, github: GitHub
) -> None:
    switch(acme, is_on=True)
    github.told("installation", created("shop", private=False))
    added = payloads.installation("added", repositories_added=[payloads.listed("till", 7)])
    github.told("installation_repositories", added)
    rows = Repository.objects.order_by("name")
    assert [(one.name, one.forge_key, one.visibility, one.indexed_by) for one in rows] == [
        ("shop", 1, "public", "action"),
        ("till", 7, "private", "action"),
    ]
    assert expected() == {"shop": "installation", "till": "installation"}


def test_the_switch_concerns_what_was_listed_before_and_nothing_else(
    acme: Organization, github: GitHub
) -> None:
    RepositoryFactory(organization=acme, name="run", forge_key=2)
    RepositoryFactory(organization=acme, name="chosen", forge_key=3, expected_by="backfill")
    RepositoryFactory(organization=acme, name="empty", forge_key=4, expected_by="")
    RepositoryFactory(organization=acme, name="other", expected_by="")
    RepositoryFactory(name="of-globex", forge_key=1, expected_by="")
    github.told("installation", created("shop", "run", "chosen", "empty"))
    before = expected()
    assert before == {"run": "run", "chosen": "backfill"}
    assert switch(acme, is_on=True)
    assert not switch(acme, is_on=True)
    assert expected() == before | {"shop": "installation", "empty": "installation"}
    assert switch(acme, is_on=False)
    assert expected() == before
    details = AuditEntry.objects.order_by("pk").values_list("action", "detail__expects_installed")
    assert list(details) == [
        ("organization.changed", {"before": False, "after": True}),
        ("organization.changed", {"before": True, "after": False}),
    ]


def test_what_an_administrator_has_dismissed_stays_so(acme: Organization, github: GitHub) -> None:
    RepositoryFactory(
        organization=acme, name="shop", forge_key=1, expected_by="", not_expected_at=timezone.now()
    )
    switch(acme, is_on=True)
    github.told("installation", created("shop"))
    assert expected() == {}


def test_what_is_listed_no_more_is_not_expected(acme: Organization, github: GitHub) -> None:
    switch(acme, is_on=True)
    github.told("installation", created("shop", "till", "cart", "bank"))
    Repository.objects.filter(name="bank").update(generation=1)
    removed = payloads.installation("removed", repositories_removed=[payloads.listed("shop", 1)])
    told = github.told("installation_repositories", removed)
    assert told == "1 repositories are listed no more"
    assert expected() == {"cart": "installation", "till": "installation"}
    github.told("installation", payloads.installation("deleted"))
    assert expected() == {}
    assert not InstalledRepository.objects.exists()
    assert Repository.objects.filter(name="bank", retired_at=None).exists()


def test_a_name_and_an_end_are_followed(acme: Organization, github: GitHub) -> None:
    listed = payloads.listed("shop", payloads.REPOSITORY_ID)
    github.told("installation", payloads.installation("created", repositories=[listed]))
    github.told("repository", payloads.renamed("store"))
    assert InstalledRepository.objects.get().name == "store"
    github.told("repository", payloads.on_repository("deleted"))
    switch(acme, is_on=True)
    assert not Repository.objects.exists()


def test_a_list_has_no_time(acme: Organization, github: GitHub) -> None:
    earlier = timezone.now() - timedelta(days=1)
    record_visibility(organization_id=acme.pk, forge_key=1, visibility="private", at=earlier)
    keep_removal(organization_id=acme.pk, forge_key=2, at=earlier)
    switch(acme, is_on=True)
    github.told("installation", created("shop", "gone", private=False))
    row = Repository.objects.get()
    assert (row.name, row.visibility) == ("shop", "private")


def test_a_cancelled_backfill_leaves_it_to_the_installation(
    acme: Organization, github: GitHub
) -> None:
    switch(acme, is_on=True)
    github.told("installation", created("shop"))
    listed = [ListedRepository("shop", 1), ListedRepository("till", 9)]
    expect_repositories(
        listed, organization_id=acme.pk, by=ExpectedBy.BACKFILL, asked_at=timezone.now()
    )
    backfill = backfill_of(acme)
    for row in Repository.objects.all():
        queued(backfill, row.name, repository=row)
    assert expected() == {"shop": "backfill", "till": "backfill"}
    cancel_backfill(backfill, actor="test")
    assert expected() == {"shop": "installation"}


def test_what_a_run_was_opened_for_is_expected_without_the_switch(
    acme: Organization, github: GitHub
) -> None:
    switch(acme, is_on=True)
    github.told("installation", created("shop"))
    assert api_of(acme).open(repository_id=1).status_code == 201
    switch(acme, is_on=False)
    assert expected() == {"shop": "run"}


def test_so_many_are_kept(acme: Organization, github: GitHub, settings: Settings) -> None:
    settings.REPOSITORIES_MAX = 3
    switch(acme, is_on=True)
    github.told("installation", created("a", "b"))
    added = [payloads.listed(name, at) for at, name in enumerate("bcd", 2)]
    payload = payloads.installation("added", repositories_added=added)
    github.told("installation_repositories", payload)
    names = InstalledRepository.objects.order_by("name").values_list("name", flat=True)
    assert list(names) == ["a", "b", "c"]
    assert list(expected()) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "limits",
    [{"repositories": ["shop"]}, {"visibilities": ["public"]}, {"bound_repository_id": 1}],
    ids=["named", "public", "bound"],
)
def test_a_hidden_one_changes_no_answer(
    acme: Organization, github: GitHub, limits: dict[str, Any]
) -> None:
    api_of(acme).index({"a.py": "def a(): ...\n"})
    Repository.objects.update(visibility="public", forge_key=1)
    secret = new_token()
    ApiTokenFactory(organization=acme, token=secret, **limits)

    def answers(api: Api) -> list[Any]:
        body = {"org_id": "acme", "query": "def a"}
        found = [
            api.request("POST", "/api/v1/search", body).json(),
            api.request("GET", "/api/v1/trace/callers?org_id=acme&symbol=a").json(),
            api.request("GET", "/api/v1/index/status?org_id=acme").json(),
        ]
        for one in found:
            one.get("receipt", {}).pop("took_ms", None)
            one.pop("request_id", None)
        return found

    limited = Api(acme, secret)
    before = answers(limited)
    switch(acme, is_on=True)
    others = [payloads.listed("till", 7), payloads.listed("cart", 8)]
    github.told("installation", payloads.installation("created", repositories=others))
    assert answers(limited) == before
    whole = answers(api_of(acme))[0]["receipt"]
    assert not whole["complete"]
    assert [(one["project"], one["reason"]) for one in whole["missing"]] == [
        ("cart", "never_indexed"),
        ("till", "never_indexed"),
    ]
