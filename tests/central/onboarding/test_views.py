"""The onboarding API: who may ask for what, and the progress."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from pytest_django import Settings

from central.onboarding.models import Backfill, BackfillRepository, ListState, WorkState
from central.onboarding.progress import BACKFILL_ROWS
from central.onboarding.services.listing import list_next
from central.onboarding.services.requests import BACKFILL_URLS
from central.repositories.models import Repository
from central.tenancy.models import AuditEntry, Organization, Scope
from indexer.forge.selection import FORGE_PATTERNS
from tests.central.onboarding.world import acme, backfill_of, queued, use
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem
from tests.local_forge import LocalForge

pytestmark = pytest.mark.django_db

URL = "/api/v1/onboarding"


def admin(organization: Organization | None = None, **limits: Any) -> Api:
    return api_of(organization or acme(), scopes=[Scope.ADMIN], **limits)


def ask(api: Api, **body: Any) -> Any:
    return api.request("POST", URL, {"org_id": api.organization.slug, **body})


def test_an_administrator_starts_a_backfill_and_reads_its_progress(
    settings: Settings, forge: LocalForge
) -> None:
    use(settings, forge)
    forge.add("shop")
    forge.add("old", archived=True)
    api = admin()
    started = ask(api, owner="acme", selection={"include": ["s*", "o*"]})
    assert started.status_code == 202
    assert started.json()["state"] == "listing"
    assert not started.json()["finished"]
    list_next()
    progress = api.request("GET", f"{URL}/{started.json()['id']}?org_id=acme").json()
    assert progress["state"] == "listed"
    assert progress["counts"] == {"queued": 1, "running": 0, "done": 0, "failed": 0, "skipped": 0}
    assert progress["left_out"] == {"archived": 1}
    assert [one["project"] for one in progress["repositories"]] == ["shop"]
    (listed,) = api.request("GET", f"{URL}?org_id=acme").json()["backfills"]
    assert (listed["id"], listed["repositories"]) == (started.json()["id"], [])
    assert AuditEntry.objects.filter(action="backfill.requested").count() == 1


def test_progress_has_pages(settings: Settings) -> None:
    backfill = backfill_of(acme())
    for number in range(BACKFILL_ROWS + 1):
        queued(backfill, f"r{number}", state=WorkState.DONE)
    api = admin()
    first = api.request("GET", f"{URL}/{backfill.pk}").json()
    assert first["finished"]
    assert len(first["repositories"]) == BACKFILL_ROWS
    rest = api.request("GET", f"{URL}/{backfill.pk}?after={first['next_after']}").json()
    assert [one["project"] for one in rest["repositories"]] == [f"r{BACKFILL_ROWS}"]
    assert rest["next_after"] is None
    assert_problem(api.request("GET", f"{URL}/{backfill.pk}?after=x"), 400, "invalid")


def test_a_backfill_is_cancelled() -> None:
    backfill = backfill_of(acme())
    queued(backfill)
    queued(backfill, state=WorkState.RUNNING, claim=uuid4(), stage="cloning")
    queued(backfill, state=WorkState.DONE)
    api = admin()
    assert not api.request("GET", f"{URL}/{backfill.pk}").json()["finished"]
    assert api.request("DELETE", f"{URL}/{backfill.pk}").status_code == 204
    ended = api.request("GET", f"{URL}/{backfill.pk}").json()
    assert ended["finished"]
    assert ended["counts"] == {"queued": 0, "running": 0, "done": 1, "failed": 0, "skipped": 2}
    assert ended["repositories"][0]["error"] == "The backfill was cancelled."
    assert {row["stage"] for row in ended["repositories"]} == {None}
    assert Backfill.objects.get().state == ListState.CANCELLED


def test_another_organisation_s_backfill_does_not_exist() -> None:
    backfill = backfill_of(acme())
    stranger = admin(Organization.objects.create(slug="globex"))
    for method in ("GET", "DELETE"):
        answer = stranger.request(method, f"{URL}/{backfill.pk}")
        assert_problem(answer, 404, "backfill_not_found")
        assert_problem(stranger.request(method, f"{URL}/{uuid4()}"), 404, "backfill_not_found")
    assert stranger.request("GET", URL).json() == {"backfills": []}
    assert Backfill.objects.get().state == ListState.LISTED


def test_a_limited_token_may_not(settings: Settings, forge: LocalForge) -> None:
    use(settings, forge)
    assert_problem(
        ask(admin(repositories=["shop"]), owner="acme"), 403, "whole_organization_required"
    )
    assert_problem(
        ask(api_of(acme(), scopes=[Scope.INDEX, Scope.SEARCH]), owner="acme"),
        403,
        "insufficient_scope",
    )


def test_the_owner_must_be_known(settings: Settings, forge: LocalForge) -> None:
    """Otherwise an organisation could index any owner that the operator's credential reads."""
    use(settings, forge)
    stranger = Organization.objects.create(slug="globex")
    assert_problem(ask(admin(stranger), owner="acme"), 403, "owner_unknown")
    assert not Backfill.objects.exists()


def test_an_owner_of_another_id_is_not_listed(settings: Settings, forge: LocalForge) -> None:
    use(settings, forge)
    forge.add("shop")
    stranger = Organization.objects.create(slug="globex", github_owner_id=5)
    started = ask(admin(stranger), owner="acme")
    assert started.status_code == 202
    list_next()
    assert Backfill.objects.get().state == ListState.FAILED
    assert not BackfillRepository.objects.exists()


def test_without_a_credential_for_github_the_operator_is_named(settings: Settings) -> None:
    assert_problem(ask(admin(), owner="acme"), 409, "github_credential_missing")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"owner": "acme", "urls": ["https://gitlab.example/a"]},
        {"owner": "a/b"},
        {"owner": 1},
        {"owner": "acme", "selection": {"include": ["a"] * (FORGE_PATTERNS + 1)}},
        {"owner": "acme", "selection": {"include": "a"}},
        {"owner": "acme", "selection": {"archived": "yes"}},
        {"owner": "acme", "selection": {"max_megabytes": 0}},
        {"urls": []},
        {"urls": ["https://gitlab.example/a"] * (BACKFILL_URLS + 1)},
    ],
)
def test_a_malformed_request_is_refused(
    settings: Settings, forge: LocalForge, body: dict[str, Any]
) -> None:
    use(settings, forge, hosts=("gitlab.example",))
    assert_problem(ask(admin(), **body), 400, "invalid")


def test_addresses_are_queued_once_each_with_a_name_of_its_own(settings: Settings) -> None:
    settings.BACKFILL = replace(settings.BACKFILL, hosts=("gitlab.example",))
    organization = acme()
    Repository.objects.create(organization=organization, name="name", tracked_ref="refs/heads/main")
    urls = ["https://gitlab.example/a/name", "https://gitlab.example/b/name"]
    for _ in range(2):
        assert ask(admin(organization), urls=urls).status_code == 202
    rows = BackfillRepository.objects.order_by("url")
    assert [(row.url, row.name) for row in rows] == [(urls[0], "a-name"), (urls[1], "b-name")]


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/a",
        "http://gitlab.example/a",
        "file:///etc",
        "ext::true",
        "https://user:secret@gitlab.example/a",
    ],
)
def test_other_addresses_are_refused(settings: Settings, url: str) -> None:
    settings.BACKFILL = replace(settings.BACKFILL, hosts=("gitlab.example",))
    assert_problem(ask(admin(), urls=[url]), 400, "git_address_refused")
    assert not BackfillRepository.objects.exists()


@pytest.mark.parametrize("url", ["https://gitlab.example/a", "git@git.example:a/b"])
def test_the_operator_s_credential_for_a_host_serves_the_operator_alone(
    settings: Settings, url: str
) -> None:
    """It reads what one organisation may and another may not."""
    settings.BACKFILL = replace(
        settings.BACKFILL,
        hosts=("gitlab.example", "git.example"),
        tokens={"gitlab.example": "oauth2:secret"},
    )
    assert_problem(ask(admin(), urls=[url]), 403, "git_credential_refused")
