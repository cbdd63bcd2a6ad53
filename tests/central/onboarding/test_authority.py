"""What work may use is decided when it is asked for; a credential that comes later adds nothing."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from io import StringIO
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from central.onboarding.models import (
    Authority,
    Backfill,
    BackfillRepository,
    ListState,
    WorkState,
)
from central.onboarding.services.listing import list_next
from central.onboarding.services.queue import queue_pushed
from central.onboarding.services.requests import request_addresses, request_again
from central.onboarding.services.work import work_next
from central.repositories.models import Push, Repository
from central.settings.backfill import BackfillSettings
from central.tenancy.models import Membership, Organization, Role, Scope
from tests.central.factories import UserFactory
from tests.central.onboarding.world import acme, backfill_of, queued, use
from tests.central.protocol import api_of
from tests.local_forge import OWNER_ID, LocalForge, LocalRepository

pytestmark = pytest.mark.django_db

ADVICE = "`manage.py backfill acme --url {}`"


@pytest.fixture
def shop(
    settings: Settings, forge: LocalForge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> LocalRepository:
    """A public repository at a host that the operator allows and has no credential for yet."""
    monkeypatch.setenv("AETERNA_RETRY_SECONDS", "0")
    settings.DATA_DIR = tmp_path / "data"
    settings.BACKFILL = BackfillSettings(
        hosts=(host_of(forge),),
        networks=(ip_network("127.0.0.0/8"),),
        service_url="http://127.0.0.1:9",
    )
    return forge.add("shop", {"a.py": "a = 1\n"}, visibility="public")


def host_of(forge: LocalForge) -> str:
    return forge.url.removeprefix("http://")


def url_of(forge: LocalForge) -> str:
    return f"{forge.url}/acme/shop"


def configure_credential(settings: Settings, forge: LocalForge) -> None:
    tokens = {host_of(forge): f"oauth2:{forge.token}"}
    settings.BACKFILL = replace(settings.BACKFILL, tokens=tokens)


def asked_by_a_member(forge: LocalForge) -> None:
    api = api_of(acme(), scopes=[Scope.ADMIN])
    body = {"org_id": "acme", "urls": [url_of(forge)]}
    assert api.request("POST", "/api/v1/onboarding", body).status_code == 202


def asked_by_the_operator(forge: LocalForge) -> str:
    acme()
    out = StringIO()
    call_command("backfill", "acme", "--url", url_of(forge), "--detach", stdout=out)
    return out.getvalue()


def credentials_of_work(forge: LocalForge) -> set[str]:
    """Work once; the kinds of credential that the forge was sent."""
    BackfillRepository.objects.update(due_at=timezone.now())
    forge.asked.clear()
    assert work_next()
    return {kind for _, _, kind in forge.asked}


def indexed() -> Repository:
    """Let the repository be one that was indexed here."""
    repository = Repository.objects.get(organization=acme(), name="shop")
    repository.tracked_ref = "refs/heads/main"
    repository.last_indexed_commit, repository.generation = "a" * 40, 1
    repository.save()
    BackfillRepository.objects.update(state=WorkState.DONE, repository=repository)
    return repository


def test_a_retry_uses_no_credential_that_was_configured_after_the_request(
    settings: Settings, forge: LocalForge, shop: LocalRepository
) -> None:
    shop.visibility = "private"
    asked_by_a_member(forge)
    assert credentials_of_work(forge) == {"none"}
    configure_credential(settings, forge)
    assert credentials_of_work(forge) == {"none"}
    row = BackfillRepository.objects.get()
    assert (row.state, row.attempts) == (WorkState.QUEUED, 2)
    assert row.error.startswith("fatal:")


def ask_again(repository: Repository) -> None:
    assert request_again(repository, actor="user grace")


def press_the_button(repository: Repository) -> None:
    grace = UserFactory.create(username="grace")
    Membership.objects.create(user=grace, organization=acme(), role=Role.ADMIN)
    browser = Client()
    browser.force_login(grace)
    address = f"/o/acme/settings/repositories/{repository.name}"
    assert browser.post(address, {"action": "reindex"}).status_code == 302


def push(repository: Repository) -> None:
    Push.objects.create(repository=repository, commit_sha="b" * 40, pushed_at=timezone.now())
    assert queue_pushed() == 1


AGAIN = [(ask_again, "user grace"), (press_the_button, "user grace"), (push, "github")]


@pytest.mark.parametrize(("again", "actor"), AGAIN)
def test_a_repository_that_became_private_is_not_indexed_again_with_a_credential(
    settings: Settings,
    forge: LocalForge,
    shop: LocalRepository,
    again: Callable[[Repository], None],
    actor: str,
) -> None:
    asked_by_a_member(forge)
    repository = indexed()
    shop.visibility = "private"
    configure_credential(settings, forge)
    again(repository)
    assert credentials_of_work(forge) == {"none"}
    assert BackfillRepository.objects.get().requested_by == actor


@pytest.mark.parametrize(("again", "actor"), AGAIN)
def test_an_address_of_the_operator_s_command_keeps_its_credential(
    settings: Settings,
    forge: LocalForge,
    shop: LocalRepository,
    again: Callable[[Repository], None],
    actor: str,
) -> None:
    shop.visibility = "private"
    configure_credential(settings, forge)
    asked_by_the_operator(forge)
    assert credentials_of_work(forge) == {"token"}
    BackfillRepository.objects.update(state=WorkState.DONE, attempts=0)
    again(indexed())
    assert credentials_of_work(forge) == {"token"}
    assert BackfillRepository.objects.get().requested_by == actor
    assert Backfill.objects.get().authority == Authority.OPERATOR


def test_what_the_operator_does_not_allow_any_more_is_not_used(
    settings: Settings, forge: LocalForge, shop: LocalRepository
) -> None:
    configure_credential(settings, forge)
    asked_by_the_operator(forge)
    settings.BACKFILL = replace(settings.BACKFILL, tokens={})
    assert credentials_of_work(forge) == {"none"}


def test_the_newest_request_counts(
    settings: Settings, forge: LocalForge, shop: LocalRepository
) -> None:
    """A member's makes less of the operator's, and the operator's command makes it more again."""
    shop.visibility = "private"
    asked_by_the_operator(forge)
    asked_by_a_member(forge)
    configure_credential(settings, forge)
    assert credentials_of_work(forge) == {"none"}
    asked_by_the_operator(forge)
    assert credentials_of_work(forge) == {"token"}


@pytest.mark.parametrize("url", ["git@git.example:a/b", "file://{}/mirrors/shop"])
def test_a_key_or_a_directory_of_the_operator_is_not_used_for_a_member(
    settings: Settings, shop: LocalRepository, tmp_path: Path, url: str
) -> None:
    """As of a row of the version before, which does not say that the command made it."""
    settings.BACKFILL = replace(
        settings.BACKFILL, hosts=("git.example",), directories=(tmp_path / "mirrors",)
    )
    url = url.format(tmp_path)
    backfill = Backfill.objects.create(organization=acme(), state=ListState.LISTED)
    queued(backfill, forge_key=None, url=url)
    assert work_next()
    row = BackfillRepository.objects.get()
    assert row.state == WorkState.FAILED
    assert ADVICE.format(url) in row.error


def test_status_says_what_to_do_on_the_page_over_http_and_in_the_command(
    settings: Settings, forge: LocalForge, shop: LocalRepository
) -> None:
    asked_by_a_member(forge)
    backfill = Backfill.objects.get()
    address = f"/api/v1/onboarding/{backfill.pk}?org_id=acme"
    api = api_of(acme(), scopes=[Scope.ADMIN])
    assert api.request("GET", address).json()["repositories"][0]["advice"] is None
    configure_credential(settings, forge)
    said = api.request("GET", address).json()
    assert said["authority"] == "none"
    assert ADVICE.format(url_of(forge)) in said["repositories"][0]["advice"]
    browser = Client()
    browser.force_login(UserFactory.create(is_superuser=True))
    page = browser.get(f"/o/acme/settings/backfills/{backfill.pk}").content.decode()
    assert f"<code>manage.py backfill acme --url {url_of(forge)}</code>" in page
    out = StringIO()
    forge.add("cart", {"a.py": "a = 1\n"}, visibility="public")
    other = f"{forge.url}/acme/cart"
    call_command("backfill", "acme", "--url", other, "--detach", stdout=out)
    assert f"shop: {said['repositories'][0]['advice']}\n" in out.getvalue()
    assert "shop: " not in asked_by_the_operator(forge)


def test_a_repository_of_github_is_not_cloned_after_the_organisation_got_another_owner(
    settings: Settings, forge: LocalForge, shop: LocalRepository
) -> None:
    use(settings, forge, service_url="http://127.0.0.1:9")
    queued(backfill_of(acme()), "shop", forge_key=shop.id)
    Organization.objects.update(github_owner_id=OWNER_ID + 1)
    assert work_next()
    row = BackfillRepository.objects.get()
    assert row.state == WorkState.SKIPPED
    assert "not this organisation's owner" in row.error
    assert not any("upload-pack" in path for _, path, _ in forge.asked)


def test_repositories_of_a_former_owner_are_not_listed(
    settings: Settings, forge: LocalForge, shop: LocalRepository
) -> None:
    use(settings, forge)
    backfill_of(acme(), ListState.LISTING)
    Organization.objects.update(github_owner_id=OWNER_ID + 1)
    assert list_next()
    assert "another owner" in Backfill.objects.get().error
    assert not BackfillRepository.objects.exists()


def test_a_migrated_address_keeps_the_credential_only_if_the_command_named_it() -> None:
    organization = acme()
    made: dict[str, Any] = {"organization": organization, "state": ListState.LISTED}
    ended = {**made, "state": ListState.CANCELLED}
    rows = {
        name: queued(Backfill.objects.create(**backfill), name, **members)
        for name, backfill, members in (
            ("operator", {**made, "requested_by": "command"}, {"forge_key": None, "url": "a"}),
            ("member", {**made, "requested_by": "token ci"}, {"forge_key": None, "url": "b"}),
            ("named", {**made, "requested_by": "user command"}, {"forge_key": None, "url": "c"}),
            ("owner", {**made, "requested_by": "command", "owner": "acme", "owner_id": 1}, {}),
            ("over", ended, {"state": WorkState.RUNNING, "claim": uuid4(), "stage": "cloning"}),
        )
    }
    import_module("central.onboarding.migrations.0002_authority").fill(apps, None)
    now = {
        name: BackfillRepository.objects.select_related("backfill").get(pk=row.pk)
        for name, row in rows.items()
    }
    assert {name: row.backfill.authority for name, row in now.items()} == {
        "operator": Authority.OPERATOR,
        "member": Authority.NONE,
        "named": Authority.NONE,
        "owner": Authority.OWNER,
        "over": Authority.NONE,
    }
    assert (now["member"].requested_by, now["member"].state) == ("token ci", WorkState.QUEUED)
    over = now["over"]
    assert (over.state, over.claim, over.stage) == (WorkState.SKIPPED, None, "")


def test_a_member_s_request_stores_who_asked_and_that_nothing_may_be_used(
    forge: LocalForge, shop: LocalRepository
) -> None:
    made = request_addresses(
        organization=acme(), urls=[url_of(forge)], actor="user grace", may_use_credentials=False
    )
    assert (made.requested_by, made.authority) == ("user grace", Authority.NONE)
    assert BackfillRepository.objects.get().requested_by == "user grace"
