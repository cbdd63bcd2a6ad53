"""Rights of pages that change, and rows of others: every page of `central.web.urls`, one by one.

A page that is added is asked for here by itself: it must ask who is signed in, and be of an
organisation or be named below. All routes with all kinds of credentials: central/isolation.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from central.alerts.models import AlertDestination
from central.corpus.commits import put_commits
from central.github.models import GitHubPolicy
from central.onboarding.models import Backfill
from central.repositories.models import Repository
from central.saved_searches.models import SavedSearch
from central.tenancy.models import ApiToken, Invitation, Membership, Organization
from central.trace.stored.follower import CallEdges
from central.web.urls import urlpatterns
from indexer.records.history import ChangeStatus, Commit, PathChange
from tests.central.admin import signed_in
from tests.central.factories import (
    ApiTokenFactory,
    InvitationFactory,
    MembershipFactory,
    UserFactory,
)
from tests.central.knowledge.graph import created
from tests.central.protocol import api_of, commit_of

pytestmark = pytest.mark.django_db

PROJECT = "hush-hush"
FILES = {"kitchen/secret_recipe.py": "def secret_recipe saltpetre\n"}
SECRETS = (PROJECT, "saltpetre", commit_of(FILES), "secret_recipe", "acme")

# Asked before anybody is signed in: they know no organisation.
OPEN = {
    *("sign-in", "sign-out", "theme", "sso", "sso-callback"),
    *("invitation", "accept-invitation", "new-account"),  # who has a link need not have an account
}
# Of the person who is signed in.
OWN = {"home", "account", "password", "make-token", "revoke-token"}

PATTERNS = {
    str(pattern.name): pattern for pattern in urlpatterns if isinstance(pattern, URLPattern)
}
SETTINGS = {name for name in PATTERNS if name.startswith("settings")}  # of admins
PAGES = sorted(PATTERNS.keys() - OPEN - OWN - SETTINGS)
# The same for each organisation, but for its name; and what is known of an undefined name.
WITHOUT_DATA = {"query-help", "name-panel"}
NODE = f"{PROJECT}/mem-1"
PARTS = {
    "organization": "acme",
    "project": PROJECT,
    "path": "kitchen/secret_recipe.py",
    "node": NODE,
    "line": 1,
    "column": 0,
}
LEADING = {"saved-search"}  # to another page
KEYS = {
    "search_id": 1,
    "member_id": 1,
    "invitation_id": 1,
    "token_id": 1,
    "backfill_id": UUID(int=2),
}
NAMED_ENTRY = {"settings-keyless-remove": "?patterns=events&pattern=push"}
OF_ITS_OWN = {"directory": {"path": "kitchen"}}
POST = {"role": "admin", "name": "x", "expires_days": "7", "scopes": "search"}
POSTED = {"settings-invitation-revoke"}  # without a page of its own
QUERIES = (
    "",
    "?name=f1",
    "?q=kitchen",
    f"?q=secret_recipe&name=f1&project={PROJECT}&mode=lexical",
    "?q=%22secret_recipe%22&lines=all",
)
BARE = ("", "?q=secret_recipe")  # what people with such rights are told: central/isolation


@pytest.fixture
def known() -> dict[str, Any]:
    """What addresses of acme's pages are made of; its index holds a secret."""
    api = api_of()
    api.index(FILES, project=PROJECT)
    created(api, kind="memory", id="mem-1", title="Less saltpetre", project=PROJECT)
    secret = (PathChange(PARTS["path"], ChangeStatus.ADDED),)
    with transaction.atomic():
        put_commits(
            Repository.objects.get(name=PROJECT).pk,
            [Commit("5" * 40, (), 0, 0, "", "Less saltpetre", "secret_recipe", (), secret, 1)],
            [],
        )
    run_id = api.open(PROJECT, commit_sha=commit_of(FILES)).json()["run_id"]
    search = SavedSearch.objects.create(
        organization=api.organization,
        owner=UserFactory.create(),
        name="saltpetre",
        request={"query": "saltpetre"},
        is_shared=True,
    )
    return {**PARTS, "run_id": run_id, "search_id": search.pk}


def addresses(
    names: Iterable[str], known: dict[str, Any], queries: tuple[str, ...] = QUERIES
) -> Iterator[str]:
    """Those of pages; fails for a part that is not known here: say what it is of."""
    for name in names:
        values = known | OF_ITS_OWN.get(name, {})
        parts = {part: values[part] for part in PATTERNS[name].pattern.converters}
        page = reverse(f"web:{name}", kwargs=parts)
        asked = queries[:1] if name in SETTINGS else queries  # pages of settings read none of it
        yield from (f"{page}{query}" for query in asked)


def test_every_page_is_one_of_an_organization_or_named_here() -> None:
    for name in (*PAGES, *SETTINGS):
        assert "organization" in PATTERNS[name].pattern.converters, name
    assert len(PATTERNS) == len(urlpatterns), "give each page a name"


def test_a_member_reaches_each_page(known: dict[str, Any]) -> None:
    """Or what follows would prove nothing."""
    organization = api_of().organization
    member = signed_in(MembershipFactory.create(organization=organization).user)
    while CallEdges().update(organization.pk):
        pass
    for name in PAGES:
        seen = set()
        for address in addresses([name], known):
            answer = member.get(address)
            assert answer.status_code == (302 if name in LEADING else 200), address
            told = answer.content.decode() + answer.headers.get("Location", "")
            seen |= {secret for secret in SECRETS if secret in told} - asked_for(address)
        assert bool(seen - {"acme"}) is (name not in WITHOUT_DATA), name


def test_nobody_sees_a_page_without_signing_in() -> None:
    known = {**PARTS, "run_id": UUID(int=1), **KEYS}
    stranger = Client()
    for address in addresses([*PAGES, *OWN, *SETTINGS], known, BARE):
        for answer in (stranger.get(address), stranger.post(address)):
            assert answer.status_code == 302, address
            assert answer["Location"].startswith("/sign-in?next="), address


@pytest.fixture
def settings_of(known: dict[str, Any]) -> dict[str, Any]:
    """What addresses of acme's settings are made of: rows that are there."""
    acme = api_of().organization
    invitation = InvitationFactory.create(organization=acme, name="saltpetre")
    AlertDestination.objects.create(
        organization=acme, sealed_address="saltpetre", due_at=timezone.now()
    )
    return {
        **known,
        "member_id": Membership.objects.get(organization=acme).pk,
        "invitation_id": invitation.pk,
        "token_id": ApiTokenFactory.create(organization=acme, name="saltpetre").pk,
        "backfill_id": Backfill.objects.create(organization=acme, owner="saltpetre").pk,
    }


def test_an_admin_reaches_each_page_of_the_settings(settings_of: dict[str, Any]) -> None:
    """Or what follows would prove nothing."""
    acme = api_of().organization
    admin = signed_in(MembershipFactory.create(organization=acme, role="admin").user)
    for name in sorted(SETTINGS):
        address = next(addresses([name], settings_of)) + NAMED_ENTRY.get(name, "")
        assert admin.get(address).status_code == (405 if name in POSTED else 200), address


@pytest.mark.parametrize("is_staff", [False, True])
def test_an_admin_of_another_organisation_finds_and_changes_nothing(
    settings_of: dict[str, Any], is_staff: bool
) -> None:
    """By acme's addresses, and by its own with the keys of acme's rows."""
    user = UserFactory.create(is_staff=is_staff)
    MembershipFactory.create(user=user, organization__slug="globex", role="admin")
    outsider = signed_in(user)
    before = rows()
    for name in sorted(SETTINGS):
        for slug in ("acme", "globex"):
            keys = set(PATTERNS[name].pattern.converters) - {"organization"}
            for address in addresses([name], {**settings_of, "organization": slug}):
                for answer in (outsider.get(address), outsider.post(address, POST)):
                    if slug == "globex" and not keys:
                        break  # it is theirs
                    assert answer.status_code in (404, 405), address
                    if answer.status_code == 404:
                        assert_silent(answer, address)
    assert rows() == before


def rows() -> list[object]:
    """What the settings change, of acme."""
    of_acme = {"organization__slug": "acme"}
    return [
        row
        for model in (Membership, Invitation, ApiToken, Repository, Backfill, GitHubPolicy)
        for row in model.objects.filter(**of_acme).order_by("pk").values()  # type: ignore[attr-defined]
    ]


def test_a_page_of_one_s_own_names_no_other_organization(known: dict[str, Any]) -> None:
    outsider = signed_in(MembershipFactory.create(organization__slug="globex").user)
    for address in addresses(sorted(OWN - {"revoke-token"}), known):
        for method in (outsider.get, outsider.post):
            assert_silent(method(address, follow=True), address)


def _remove(membership: Membership) -> None:
    membership.delete()


def _retire(membership: Membership) -> None:
    Organization.objects.filter(pk=membership.organization_id).update(retired_at=timezone.now())


def _limit(membership: Membership) -> None:
    Membership.objects.filter(pk=membership.pk).update(visibilities=["public"])


def _demote(membership: Membership) -> None:
    Membership.objects.filter(pk=membership.pk).update(role="member", repositories=["billing"])


def _deactivate(membership: Membership) -> None:
    User.objects.filter(pk=membership.user_id).update(is_active=False)


def _change_password(membership: Membership) -> None:
    membership.user.set_password("seven wonders of the sea")
    membership.user.save()


@pytest.mark.parametrize(
    ("end", "pages", "settings"),
    [
        (_remove, {404}, {404}),
        (_retire, {404}, {404}),
        (_limit, {200, 400, 404, 405}, {403}),
        (_demote, {200, 400, 404, 405}, {403}),
        (_deactivate, {302}, {302}),
        (_change_password, {302}, {302}),
    ],
)
def test_a_session_does_not_outlive_a_right(
    settings_of: dict[str, Any],
    end: Callable[[Membership], None],
    pages: set[int],
    settings: set[int],
) -> None:
    membership = MembershipFactory.create(organization=api_of().organization, role="admin")
    client = signed_in(membership.user)
    assert client.get("/o/acme/settings").status_code == 200  # the session knows acme
    end(membership)
    before = rows()
    for names, expected in ((PAGES, pages), (sorted(SETTINGS), settings)):
        for address in addresses(names, settings_of, BARE):
            for answer in (client.get(address), client.post(address, POST)):
                assert answer.status_code in expected, address
                assert_silent(answer, address, except_for=("acme",))
    assert rows() == before
    if pages & {302, 404} == pages:
        for address in ("/", "/account"):
            assert_silent(client.get(address, follow=True), address)


def asked_for(address: str) -> set[str]:
    """What an answer may repeat: the address is the asker's own."""
    return {secret for secret in SECRETS if secret in address}


def assert_silent(answer: HttpResponse, address: str, except_for: tuple[str, ...] = ()) -> None:
    text = answer.content.decode()
    repeated = {*asked_for(address), *except_for}
    told = [secret for secret in SECRETS if secret in text and secret not in repeated]
    assert not told, address
