"""Settings of an organisation: repositories, backfills, keyless trust, and the overview."""

import re
from dataclasses import replace

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from central.github.models import GitHubPolicy
from central.github.services.policies import KEYLESS_PATTERNS
from central.onboarding.models import Backfill, BackfillRepository, ListState, WorkState
from central.repositories.models import IndexedBy, InstalledRepository, Repository
from central.settings.backfill import BackfillSettings
from central.tenancy.models import AuditEntry, Membership, Organization, Role
from tests.central.factories import (
    ApiTokenFactory,
    FileFactory,
    InvitationFactory,
    MembershipFactory,
    RepositoryFactory,
)

pytestmark = pytest.mark.django_db

SETTINGS = "/o/acme/settings"
SHOP = f"{SETTINGS}/repositories/shop"
BACKFILLS = f"{SETTINGS}/backfills"
KEYLESS = f"{SETTINGS}/keyless"
WORKFLOW = "acme/.github/.github/workflows/code-index.yml@refs/heads/main"
EMPTY = {"include": "", "exclude": "", "topics": "", "max_megabytes": "", "urls": ""}


@pytest.fixture
def acme(grace: Membership) -> Organization:
    return grace.organization


@pytest.fixture
def shop(acme: Organization) -> Repository:
    return RepositoryFactory.create(organization=acme, name="shop", generation=1, files=3, chunks=9)


def actions() -> list[tuple[str, str]]:
    return [(entry.actor, entry.action) for entry in AuditEntry.objects.order_by("pk")]


def test_an_empty_search_page_leads_its_admin_to_a_backfill(
    client: Client, acme: Organization
) -> None:
    assert f'href="{BACKFILLS}"' in client.get("/o/acme/").content.decode()

    member = MembershipFactory.create(organization=acme, role=Role.MEMBER)
    client.force_login(member.user)
    assert f'href="{BACKFILLS}"' not in client.get("/o/acme/").content.decode()


# --- Repositories -------------------------------------------------------------------------------


def test_repositories_are_listed_with_who_indexes_them(client: Client, shop: Repository) -> None:
    RepositoryFactory.create(organization=shop.organization, name="till", indexed_by="central")
    RepositoryFactory.create(name="of-globex")
    page = client.get(f"{SETTINGS}/repositories").content.decode()
    assert SHOP in page
    assert "this service" in page
    assert "its workflow" in page
    assert "of-globex" not in page
    found = client.get(f"{SETTINGS}/repositories?name=till&state=never").content.decode()
    assert "till" in found
    assert SHOP not in found


def test_what_the_github_app_lists_is_expected_or_not(client: Client, shop: Repository) -> None:
    address = f"{SETTINGS}/repositories"
    InstalledRepository.objects.create(
        organization=shop.organization, installation_id=1, forge_key=7, name="till"
    )
    assert "are not expected" in client.get(address).content.decode()
    page = client.post(address, {"expects_installed": "on"}, follow=True).content.decode()
    assert "Do not expect them" in page
    assert Repository.objects.get(name="till").expected_by == "installation"
    client.post(address, {"expects_installed": "off"})
    assert Repository.objects.get(name="till").expected_by == ""
    assert actions() == [("user grace", "organization.changed")] * 2
    assert client.post(address, {"expects_installed": "maybe"}).status_code == 400


def test_the_policy_of_authors_is_shown_and_set(client: Client, shop: Repository) -> None:
    page = client.post(SETTINGS, {"authors": "hashed"}, follow=True).content.decode()
    assert "Of authors of commits, digests are stored." in page
    assert 'value="hashed" checked' in page
    changed = Organization.objects.get(pk=shop.organization_id)
    assert (changed.author_policy, len(changed.author_key)) == ("hashed", 32)
    assert bytes(changed.author_key).hex() not in page
    assert client.post(SETTINGS, {"authors": "all"}).status_code == 400


def test_which_branches_are_indexed_is_shown_and_set(client: Client, shop: Repository) -> None:
    form = {"branches": "release/*\r\nhotfix/**\n", "branches_most": "3"}
    page = client.post(SETTINGS, form, follow=True).content.decode()
    assert "release/*&#10;hotfix/**</textarea>" in page
    changed = Organization.objects.get(pk=shop.organization_id)
    assert (changed.branches, changed.branches_most) == (["release/*", "hotfix/**"], 3)
    assert actions() == [("user grace", "organization.changed")] * 2
    globex = Organization.objects.exclude(pk=changed.pk)
    assert not globex.exclude(branches=[]).exists()
    for wrong in (
        {"branches_most": "17"},
        {"branches_most": "0"},
        {"branches_most": "-"},
        {"branches": "\n".join(f"release/{number}" for number in range(101))},
        {"branches": "x" * 2_048},
    ):
        assert client.post(SETTINGS, form | wrong).status_code == 400
    assert Organization.objects.get(pk=shop.organization_id).branches == changed.branches


def test_traces_use_the_models_of_libraries_or_not(client: Client, shop: Repository) -> None:
    assert "Traces use them" in client.get(SETTINGS).content.decode()
    page = client.post(SETTINGS, {"models": "off"}, follow=True).content.decode()
    assert "Traces do not use them" in page
    assert actions() == [("user grace", "organization.changed")]
    assert client.post(SETTINGS, {"models": "maybe"}).status_code == 400


def test_a_repository_is_paused_and_goes_on(client: Client, shop: Repository) -> None:
    for action, is_paused in (("pause", True), ("resume", False)):
        assert client.post(SHOP, {"action": action})["Location"] == SHOP
        shop.refresh_from_db()
        assert shop.paused is is_paused
    assert actions() == [
        ("user grace", "repository.paused"),
        ("user grace", "repository.resumed"),
    ]
    assert client.post(SHOP, {"action": "burn"}).status_code == 400


def test_a_repository_without_an_index_is_expected_or_not(client: Client, shop: Repository) -> None:
    Repository.objects.update(generation=0)
    assert "It is not expected" in client.get(SHOP).content.decode()
    page = client.post(SHOP, {"action": "expect_not"}, follow=True).content.decode()
    assert "Answers do not lack shop any more" in page
    assert "Answers are complete without it" in page
    client.post(SHOP, {"action": "expect"})
    assert actions() == [
        ("user grace", "repository.not_expected"),
        ("user grace", "repository.expected"),
    ]


def test_indexing_again_is_asked_of_the_workflow(client: Client, shop: Repository) -> None:
    page = client.post(SHOP, {"action": "reindex"}, follow=True).content.decode()
    assert "run the repository&#x27;s workflow by hand" in page
    shop.refresh_from_db()
    assert shop.reindex_requested_at is not None
    assert actions() == [("user grace", "repository.reindex_requested")]


@pytest.mark.parametrize("state", [WorkState.DONE, WorkState.FAILED])
def test_what_this_service_clones_is_queued_at_once(
    client: Client, shop: Repository, state: WorkState
) -> None:
    Repository.objects.update(indexed_by=IndexedBy.CENTRAL)
    row = clone_of(shop, state)
    page = client.post(SHOP, {"action": "reindex"}, follow=True).content.decode()
    assert "is queued" in page
    row.refresh_from_db()
    assert (row.state, row.attempts) == (WorkState.QUEUED, 0)
    assert row.due_at <= timezone.now()


@pytest.mark.parametrize("change", [{"paused": True}, {"indexed_by": IndexedBy.ACTION}])
def test_what_is_paused_or_has_a_workflow_is_not_cloned(
    client: Client, shop: Repository, change: dict[str, object]
) -> None:
    Repository.objects.update(**{"indexed_by": IndexedBy.CENTRAL, **change})
    row = clone_of(shop, WorkState.DONE)
    client.post(SHOP, {"action": "reindex"})
    row.refresh_from_db()
    assert row.state == WorkState.DONE


def clone_of(repository: Repository, state: WorkState) -> BackfillRepository:
    backfill = Backfill.objects.create(
        organization=repository.organization, owner="acme-inc", state=ListState.LISTED
    )
    return BackfillRepository.objects.create(
        organization=repository.organization,
        backfill=backfill,
        repository=repository,
        forge_key=7,
        name=repository.name,
        state=state,
        attempts=3,
        requested_at=timezone.now(),
        due_at=timezone.now(),
        error="It failed.",
        commit_sha="ab" * 20,
    )


def test_removing_is_confirmed(client: Client, shop: Repository) -> None:
    asked = client.get(f"{SHOP}/remove").content.decode()
    assert "Remove shop from acme?" in asked
    assert "3 files and 9 chunks" in asked
    shop.refresh_from_db()
    assert shop.retired_at is None
    assert client.post(f"{SHOP}/remove")["Location"] == f"{SETTINGS}/repositories"
    shop.refresh_from_db()
    assert shop.retired_at is not None
    assert actions() == [("user grace", "repository.purged")]
    assert client.get(SHOP).status_code == 404


# --- Backfills ----------------------------------------------------------------------------------


@pytest.fixture
def github(acme: Organization, settings: Settings) -> None:
    """The service has a credential, the organisation an owner at GitHub."""
    settings.BACKFILL = replace(django_settings.BACKFILL, github_token="t" * 20)
    Organization.objects.update(github_owner_id=9919)


@pytest.mark.usefixtures("github")
def test_a_backfill_of_the_owner_is_started_with_its_filters(client: Client) -> None:
    form = {**EMPTY, "owner": "acme-inc", "include": "shop-*, cart", "forks": "on"}
    started = client.post(BACKFILLS, {**form, "max_megabytes": "500"})
    backfill = Backfill.objects.get()
    assert started["Location"] == f"{BACKFILLS}/{backfill.pk}"
    assert (backfill.owner, backfill.owner_id) == ("acme-inc", 9919)
    chosen = backfill.selection
    assert (chosen["include"], chosen["forks"], chosen["archived"]) == (
        ["shop-*", "cart"],
        True,
        False,
    )
    assert chosen["max_megabytes"] == 500
    assert actions() == [("user grace", "backfill.requested")]
    assert "reading the list" in client.get(started["Location"]).content.decode()
    assert "acme-inc" in client.get(BACKFILLS).content.decode()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, "Give either an owner at GitHub or addresses."),
        ({"owner": "acme", "urls": "https://x.example/a"}, "Give either an owner"),
        ({"owner": "a b"}, "give the name of an organisation"),
        ({"owner": "acme"}, "GITHUB_APP_ID"),
        ({"urls": "https://x.example/a"}, "x.example"),
        ({"urls": "file:///etc"}, "file"),
        ({"owner": "acme", "max_megabytes": "0"}, "greater than or equal to 1"),
    ],
)
def test_a_backfill_that_cannot_be_is_not_started(
    client: Client, acme: Organization, settings: Settings, change: dict[str, str], why: str
) -> None:
    settings.BACKFILL = BackfillSettings()
    answer = client.post(BACKFILLS, {**EMPTY, "owner": "", **change})
    assert why in answer.content.decode()
    assert not Backfill.objects.exists()


def test_an_organisation_without_an_owner_is_told_what_the_operator_does(
    client: Client, acme: Organization, settings: Settings
) -> None:
    settings.BACKFILL = BackfillSettings(github_token="t" * 20)
    assert "--owner-id" in client.get(BACKFILLS).content.decode()
    answer = client.post(BACKFILLS, {**EMPTY, "owner": "acme"}).content.decode()
    assert "The organisation has no GitHub owner yet." in answer


def test_the_progress_of_a_backfill_names_what_failed(client: Client, shop: Repository) -> None:
    row = clone_of(shop, WorkState.FAILED)
    page = client.get(f"{BACKFILLS}/{row.backfill_id}").content.decode()
    assert "It failed." in page
    assert "done, some failed" in page
    assert "Follow no more pushes…" in page  # there is nothing left to cancel
    assert client.get(f"{BACKFILLS}/{row.backfill_id}?after={row.pk}").status_code == 200
    assert client.get(f"{BACKFILLS}/{row.backfill_id}?after=x").status_code == 200


def test_a_backfill_is_cancelled_after_a_question(client: Client, acme: Organization) -> None:
    backfill = Backfill.objects.create(organization=acme, owner="acme-inc")
    address = f"{BACKFILLS}/{backfill.pk}/cancel"
    assert "Cancel the backfill of acme-inc?" in client.get(address).content.decode()
    backfill.refresh_from_db()
    assert backfill.state == ListState.LISTING
    client.post(address)
    backfill.refresh_from_db()
    assert backfill.state == ListState.CANCELLED
    assert actions() == [("user grace", "backfill.cancelled")]


# --- Keyless trust ------------------------------------------------------------------------------


def test_the_page_says_what_lacks_until_jobs_are_let_in(
    client: Client, acme: Organization, settings: Settings
) -> None:
    page = client.get(KEYLESS).content.decode()
    assert "The policy is off." in page
    assert "--owner-id" in page
    assert not GitHubPolicy.objects.exists()  # looking makes none
    settings.PUBLIC_URL = "https://codesearch.example.com"
    Organization.objects.update(github_owner_id=9919)
    assert client.post(KEYLESS, {"enabled": "on"})["Location"] == KEYLESS
    assert "Jobs of the owner with GitHub's id 9919" in client.get(KEYLESS).content.decode()
    policy = GitHubPolicy.objects.get()
    assert (policy.enabled, policy.impact) == (True, False)
    assert actions() == [("user grace", "github_policy.changed")]


def test_an_entry_is_added_listed_and_removed_after_a_question(
    client: Client, acme: Organization
) -> None:
    for patterns, pattern in (
        ("job_workflow_refs", WORKFLOW),
        ("refs", "refs/heads/main"),
        ("events", "release"),
    ):
        added = client.post(KEYLESS, {"patterns": patterns, "pattern": pattern})
        assert added["Location"] == KEYLESS
        client.post(KEYLESS, {"patterns": patterns, "pattern": pattern})  # it is there
    policy = GitHubPolicy.objects.get()
    assert policy.job_workflow_refs == [WORKFLOW]
    assert policy.events[-1] == "release"
    (address,) = re.findall(
        r'href="([^"]+patterns=job_workflow_refs[^"]+)"', client.get(KEYLESS).content.decode()
    )
    address = address.replace("&amp;", "&")
    asked = client.get(address).content.decode()
    assert "more jobs may index then, not fewer" in asked  # it is the last
    assert client.post(address)["Location"] == KEYLESS
    policy.refresh_from_db()
    assert policy.job_workflow_refs == []
    assert client.post(address).status_code == 404
    assert actions() == [("user grace", "github_policy.changed")] * 4


@pytest.mark.parametrize(
    ("patterns", "pattern", "why"),
    [
        ("events", "pull_request_target", "is never allowed"),
        ("refs", "main", "fits no ref"),
        ("job_workflow_refs", "code-index.yml", "fits no workflow"),
        ("owner", "x", "Select a valid choice."),
        ("refs", "", "This field is required."),
    ],
)
def test_an_entry_that_fits_nothing_is_refused(
    client: Client, acme: Organization, patterns: str, pattern: str, why: str
) -> None:
    answer = client.post(KEYLESS, {"patterns": patterns, "pattern": pattern})
    assert why in answer.content.decode()
    assert not AuditEntry.objects.exists()


def test_there_is_an_end_to_the_entries(client: Client, acme: Organization) -> None:
    refs = [f"refs/heads/{number}" for number in range(KEYLESS_PATTERNS)]
    GitHubPolicy.objects.create(organization=acme, refs=refs)
    answer = client.post(KEYLESS, {"patterns": "refs", "pattern": "refs/heads/main"})
    assert f"There are {KEYLESS_PATTERNS} already" in answer.content.decode()
    assert GitHubPolicy.objects.get().refs == refs


def test_switches_of_a_policy_with_an_entry_that_fits_nothing_say_why_they_stay(
    client: Client, acme: Organization
) -> None:
    """An earlier version, or a restored backup, may have such an entry."""
    GitHubPolicy.objects.create(organization=acme, refs=["main"], enabled=False)
    answer = client.post(KEYLESS, {"enabled": "on"})
    assert answer.status_code == 200
    assert "&#x27;main&#x27; fits no ref" in answer.content.decode()
    assert not GitHubPolicy.objects.get().enabled


def test_the_last_event_stays(client: Client, acme: Organization) -> None:
    GitHubPolicy.objects.create(organization=acme, events=["push"])
    answer = client.post(f"{KEYLESS}/remove?patterns=events&pattern=push")
    assert answer.status_code == 400
    assert GitHubPolicy.objects.get().events == ["push"]


def test_an_unknown_entry_is_not_found(client: Client, acme: Organization) -> None:
    assert client.get(f"{KEYLESS}/remove?patterns=refs&pattern=x").status_code == 404
    assert client.get(f"{KEYLESS}/remove?patterns=id").status_code == 400


# --- Overview -----------------------------------------------------------------------------------


def test_the_overview_counts_what_the_organisation_has(client: Client, shop: Repository) -> None:
    acme = shop.organization
    FileFactory.create(repository=shop, content="x" * 2_048)
    FileFactory.create(repository=shop, content="y" * 9_000, skipped="generated")
    FileFactory.create(content="z" * 9_000)  # another organisation's
    RepositoryFactory.create(organization=acme)
    InvitationFactory.create(organization=acme)
    ApiTokenFactory.create(organization=acme, name="idle")
    ApiTokenFactory.create(organization=acme, name="busy", last_used_at=timezone.now())
    page = re.sub(r"<[^>]+>|\s+", " ", client.get(SETTINGS).content.decode())
    text = re.sub(" +", " ", page)
    assert "2, of them 2 admins" in text
    assert "1 open" in text
    assert "2 valid; 1 not used in the last 30 days" in text
    assert "1 of 2 indexed" in text
    assert "3 indexed, 0 skipped" in text
    assert "2.0\xa0KB of indexed files" in text or "2.0 KB of indexed files" in text
    assert "busy" in text
