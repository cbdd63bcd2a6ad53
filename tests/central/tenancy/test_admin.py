"""What the admin lets people change of organisations and tokens, through its own pages."""

import re
from typing import Any

import pytest
from django.conf import settings
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.sessions.models import Session
from django.test import Client

from central.tenancy.models import ApiToken, AuditEntry, Membership, Organization
from central.tenancy.tokens import credential_of
from tests.central.admin import NO_MEMBERS, act, staff, superuser
from tests.central.factories import (
    ApiTokenFactory,
    MembershipFactory,
    OrganizationFactory,
    RepositoryFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db

ORGANIZATIONS = "/admin/tenancy/organization/"
TOKENS = "/admin/tenancy/apitoken/"


@pytest.fixture
def admin() -> Client:
    return superuser()


def save_token(admin: Client, token: ApiToken, **changes: Any) -> ApiToken:
    form = {"name": "ci", "scopes": ["index", "search"], "repositories": "", **changes}
    response = admin.post(f"{TOKENS}{token.pk}/change/", form)
    assert response.status_code == 302
    token.refresh_from_db()
    return token


def test_saving_a_token_for_the_whole_organisation_leaves_it_that(admin: Client) -> None:
    token = save_token(admin, ApiTokenFactory.create(repositories=None))
    assert (token.name, token.repositories, token.visibilities) == ("ci", None, None)


def test_saving_a_token_for_some_repositories_leaves_it_those(admin: Client) -> None:
    changes = {"repositories": "shop,web", "visibilities": ["public", "internal"]}
    token = save_token(admin, ApiTokenFactory.create(), **changes)
    assert token.repositories == ["shop", "web"]
    assert token.visibilities == ["public", "internal"]


def test_a_slug_is_given_once(admin: Client) -> None:
    """The vectors lie in collections that are named by it."""
    organization = OrganizationFactory.create(slug="acme")
    response = admin.post(
        f"{ORGANIZATIONS}{organization.pk}/change/",
        {
            "slug": "globex",
            "github_owner_id": "7",
            "embedder": organization.embedder,
            **NO_MEMBERS,
        },
    )
    assert response.status_code == 302
    organization.refresh_from_db()
    assert (organization.slug, organization.github_owner_id) == ("acme", 7)
    new = {"slug": "globex", "github_owner_id": "", "embedder": organization.embedder, **NO_MEMBERS}
    assert admin.post(f"{ORGANIZATIONS}add/", new).status_code == 302


def test_an_embedder_that_does_not_serve_is_refused_with_the_reason(admin: Client) -> None:
    """As by the command: every run and every search would fail with it."""
    organization = OrganizationFactory.create()
    form = {"embedder": "openai/text-embedding-3-small/1536", **NO_MEMBERS}
    page = admin.post(f"{ORGANIZATIONS}{organization.pk}/change/", form)
    assert page.status_code == 200
    assert "It does not serve" in page.content.decode()
    assert Organization.objects.get().embedder == organization.embedder


def test_nothing_that_has_vectors_is_deleted(admin: Client) -> None:
    """Their points would stay in the vector store."""
    repository = RepositoryFactory.create()
    for address in (
        f"/admin/repositories/repository/{repository.pk}/delete/",
        f"{ORGANIZATIONS}{repository.organization.pk}/delete/",
    ):
        assert admin.post(address, {"post": "yes"}).status_code == 403


def test_tokens_of_jobs_are_listed_when_asked_for(admin: Client) -> None:
    ApiTokenFactory.create(name="of-ci")
    ApiTokenFactory.create(name="of-a-job", is_short_lived=True)
    for made, listed in (("", {"of-ci"}), ("job", {"of-a-job"}), ("all", {"of-ci", "of-a-job"})):
        page = admin.get(TOKENS, {"made": made} if made else {})
        text = page.content.decode()
        assert {name for name in ("of-ci", "of-a-job") if name in text} == listed


def test_what_a_job_s_token_is_bound_to_is_not_edited(admin: Client) -> None:
    token = ApiTokenFactory.create(is_short_lived=True, bound_repository_id=7, bound_commit="a")
    save_token(admin, token, bound_repository_id="8", bound_commit="b", visibilities=["public"])
    assert (token.bound_repository_id, token.bound_commit) == (7, "a")
    assert token.visibilities is None


def make_token(admin: Client) -> Any:
    organization = OrganizationFactory.create(slug="acme")
    form = {"organization": organization.pk, "name": "ci", "scopes": ["search"]}
    return admin.post(f"{TOKENS}add/", form)


def test_a_token_is_shown_in_the_answer_that_makes_it(admin: Client) -> None:
    page = make_token(admin)
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    (token,) = set(re.findall(r"aet_[\w-]{43}", page.content.decode()))
    assert credential_of(token).scopes == {"search"}


def test_a_token_is_kept_nowhere_else(admin: Client, caplog: pytest.LogCaptureFixture) -> None:
    """Not in the session, the messages, the audit log, Django's history or our own log."""
    page = make_token(admin)
    (token,) = set(re.findall(r"aet_[\w-]{43}", page.content.decode()))
    kept = [
        *(repr(session.get_decoded()) for session in Session.objects.all()),
        *(morsel.value for morsel in page.cookies.values()),
        *(repr(vars(entry)) for entry in AuditEntry.objects.all()),
        caplog.text,
        admin.get(TOKENS).content.decode(),
        admin.get("/admin/").content.decode(),
        admin.get(f"{TOKENS}{ApiToken.objects.get().pk}/history/").content.decode(),
        admin.get(f"{TOKENS}{ApiToken.objects.get().pk}/change/").content.decode(),
    ]
    assert not [text for text in kept if token in text]
    assert not list(FallbackStorage(page.wsgi_request))
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.organization) == ("token.created", "acme")
    assert entry.detail["scopes"] == ["search"]


def test_revoked_tokens_are_refused_and_it_is_noted_whose_they_were(admin: Client) -> None:
    token = ApiTokenFactory.create(owner=UserFactory.create(username="ada"), name="laptop")
    assert "ada" in admin.get(TOKENS).content.decode()
    answer = act(admin, TOKENS, "revoke", token)
    assert "1 tokens are revoked" in answer.content.decode()
    assert ApiToken.objects.get().revoked_at is not None
    assert AuditEntry.objects.get().action == "token.revoked"


def test_whoever_may_only_look_at_tokens_makes_and_revokes_none() -> None:
    client = staff("tenancy.view_apitoken")
    token = ApiTokenFactory.create()
    assert make_token(client).status_code == 403
    act(client, TOKENS, "revoke", token)
    assert ApiToken.objects.get().revoked_at is None


def test_a_member_is_added_and_removed_on_the_page_of_the_organisation(admin: Client) -> None:
    ada = UserFactory.create(username="ada")
    organization = OrganizationFactory.create(slug="acme")
    form = {"embedder": organization.embedder, **NO_MEMBERS, "memberships-TOTAL_FORMS": "1"}
    member = {"user": ada.pk, "organization": organization.pk, "role": "admin"}
    member |= {"repositories": "shop", "visibilities": ["public"]}
    added = form | {f"memberships-0-{name}": value for name, value in member.items()}
    assert admin.post(f"{ORGANIZATIONS}{organization.pk}/change/", added).status_code == 302
    membership = Membership.objects.get()
    assert (membership.role, membership.repositories) == ("admin", ["shop"])
    removed = form | {
        "memberships-INITIAL_FORMS": "1",
        "memberships-0-id": membership.pk,
        "memberships-0-user": ada.pk,
        "memberships-0-role": "admin",
        "memberships-0-DELETE": "on",
    }
    assert admin.post(f"{ORGANIZATIONS}{organization.pk}/change/", removed).status_code == 302
    assert not Membership.objects.exists()
    assert list(AuditEntry.objects.order_by("pk").values_list("action", "target")) == [
        ("membership.created", "ada"),
        ("membership.deleted", "ada"),
    ]


def test_a_membership_without_limits_sees_everything(admin: Client) -> None:
    """An empty field must not become an empty list, which would be nothing."""
    membership = MembershipFactory.create(repositories=["shop"], visibilities=["public"])
    address = f"/admin/tenancy/membership/{membership.pk}/change/"
    assert admin.post(address, {"role": "member", "repositories": ""}).status_code == 302
    membership.refresh_from_db()
    assert (membership.repositories, membership.visibilities) == (None, None)
    assert AuditEntry.objects.get().detail == {
        "repositories": {"before": ["shop"], "after": None},
        "visibilities": {"before": ["public"], "after": None},
    }


def test_who_sees_nothing_sees_nothing_after_another_change(admin: Client) -> None:
    """In a form, the empty list and "everything" look alike."""
    membership = MembershipFactory.create(repositories=[], visibilities=[])
    assert "nothing" in admin.get("/admin/tenancy/membership/").content.decode()
    address = f"/admin/tenancy/membership/{membership.pk}/change/"
    assert admin.post(address, {"role": "admin", "repositories": ""}).status_code == 302
    membership.refresh_from_db()
    assert (membership.role, membership.repositories, membership.visibilities) == ("admin", [], [])
    token = save_token(admin, ApiTokenFactory.create(repositories=[]))
    assert (token.name, token.repositories) == ("ci", [])


def test_the_default_embedder_is_what_a_new_organisation_is_offered(admin: Client) -> None:
    assert settings.DEFAULT_EMBEDDER in admin.get(f"{ORGANIZATIONS}add/").content.decode()
