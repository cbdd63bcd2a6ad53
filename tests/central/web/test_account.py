"""The account page: memberships, personal tokens, the password."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from central.http.bearer import is_token
from central.tenancy.models import ApiToken, AuditEntry, Membership, Role
from tests.central.factories import ApiTokenFactory, MembershipFactory, UserFactory
from tests.central.web.test_sign_in import PASSWORD

pytestmark = pytest.mark.django_db

FORM = {"name": "editor", "organization": "acme", "scopes": ["search"], "expires_days": "90"}


@pytest.fixture
def ada(client: Client) -> User:
    """A member of acme, signed in."""
    user = UserFactory.create(username="ada")
    MembershipFactory.create(user=user, organization__slug="acme")
    client.force_login(user)
    return user


def shown_tokens(page: str) -> list[str]:
    return [value for value in re.findall(r'value="([^"]+)"', page) if is_token(value)]


def test_a_new_token_is_shown_once_and_works(client: Client, ada: User) -> None:
    made = client.post("/account/tokens", FORM)
    (token,) = shown_tokens(made.content.decode())
    assert "no-store" in made["Cache-Control"]
    again = client.get("/account/tokens", follow=True)  # as of a page whose address is kept
    assert again.redirect_chain == [("/account", 302)]
    assert token not in again.content.decode()
    assert token[:12] in again.content.decode()
    answer = Client().get(
        "/api/v1/index/status", {"org_id": "acme"}, headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.status_code == 200


def test_a_new_token_is_stored_nowhere(client: Client, ada: User) -> None:
    made = client.post("/account/tokens", FORM)
    (token,) = shown_tokens(made.content.decode())
    assert token not in str([session.get_decoded() for session in Session.objects.all()])
    assert token not in str([*ApiToken.objects.values(), *AuditEntry.objects.values()])
    assert token not in str(made.headers) + str(made.cookies)


def test_a_token_is_valid_for_90_days_unless_said_otherwise(client: Client, ada: User) -> None:
    page = client.get("/account").content.decode()
    assert '<option value="90" selected>' in page
    client.post("/account/tokens", FORM)
    token = ApiToken.objects.get()
    assert token.expires_at is not None
    assert (token.expires_at - token.created_at).days in (89, 90)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"scopes": ["search", "index"]}, "Scopes that you may give in acme are search"),
        ({"scopes": []}, "This field is required."),
        ({"scopes": ["root"]}, "Select a valid choice."),
        ({"organization": "umbrella"}, "Select a valid choice."),
        ({"name": " "}, "This field is required."),
        ({"name": "a\x1b[2Jb"}, "in plain characters"),
        ({"expires_days": "100000"}, "Select a valid choice."),
    ],
)
def test_a_token_that_would_be_more_than_its_owner_is_not_made(
    client: Client, ada: User, change: dict[str, object], why: str
) -> None:
    MembershipFactory.create(organization__slug="umbrella")
    answer = client.post("/account/tokens", {**FORM, **change})
    assert why in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_an_admin_may_give_a_token_more_than_search(client: Client, ada: User) -> None:
    Membership.objects.update(role=Role.ADMIN)
    client.post("/account/tokens", {**FORM, "scopes": ["search", "index"]})
    assert ApiToken.objects.get().scopes == ["index", "search"]


def test_there_is_an_end_to_the_tokens_of_one_person(client: Client, ada: User) -> None:
    acme = Membership.objects.get().organization
    tomorrow = timezone.now() + timedelta(days=1)
    ApiTokenFactory.create_batch(50, organization=acme, owner=ada, expires_at=tomorrow)
    answer = client.post("/account/tokens", FORM)
    assert "revoke one that you no longer use" in answer.content.decode()
    assert ApiToken.objects.filter(organization=acme).count() == 50


def test_a_token_is_revoked_by_its_owner(client: Client, ada: User) -> None:
    client.post("/account/tokens", FORM)
    token = ApiToken.objects.get()
    address = f"/account/tokens/{token.pk}/revoke"
    assert client.get(address).status_code == 405
    assert client.post(address)["Location"] == "/account"
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert "You have none." in client.get("/account").content.decode()


def test_the_token_of_somebody_else_is_not_found(client: Client, ada: User) -> None:
    acme = Membership.objects.get().organization
    for owner in (None, UserFactory.create()):
        token = ApiTokenFactory.create(organization=acme, owner=owner)
        assert client.post(f"/account/tokens/{token.pk}/revoke").status_code == 404
        assert token.prefix not in client.get("/account").content.decode()
    assert not ApiToken.objects.exclude(revoked_at=None).exists()


def test_making_and_revoking_is_audited_without_the_token(client: Client, ada: User) -> None:
    (token,) = shown_tokens(client.post("/account/tokens", FORM).content.decode())
    client.post(f"/account/tokens/{ApiToken.objects.get().pk}/revoke")
    entries = AuditEntry.objects.all()
    assert [(entry.action, entry.actor) for entry in entries] == [
        ("token.revoked", "user ada"),
        ("token.created", "user ada"),
    ]
    assert token not in str(list(entries.values()))


def test_what_a_member_sees_is_said(client: Client, ada: User) -> None:
    assert "every repository" in client.get("/account").content.decode()
    Membership.objects.update(repositories=["shop", "<till>"], visibilities=["public"])
    page = client.get("/account").content.decode()
    assert "shop, &lt;till&gt;, of these those that are public" in page


def test_a_password_is_changed_by_who_knows_it(client: Client, ada: User) -> None:
    new = "seven wonders of the sea"
    form = {"old_password": "wrong", "new_password1": new, "new_password2": new}
    assert client.post("/account/password", form).status_code == 200
    weak = {**form, "old_password": PASSWORD, "new_password1": "short", "new_password2": "short"}
    assert "at least 12 characters" in client.post("/account/password", weak).content.decode()
    other = Client()
    other.force_login(ada)
    changed = client.post("/account/password", {**form, "old_password": PASSWORD})
    assert changed["Location"] == "/account"
    assert client.get("/account").status_code == 200
    assert other.get("/account").status_code == 302  # its session has ended
    assert AuditEntry.objects.get().action == "user.password"


def test_who_finds_a_browser_signed_in_does_not_guess_the_password(
    client: Client, ada: User
) -> None:
    new = "seven wonders of the sea"
    form = {"old_password": "wrong", "new_password1": new, "new_password2": new}
    answers = [client.post("/account/password", form).status_code for _ in range(11)]
    assert answers[9:] == [200, 429]
    assert client.post("/account/password", {**form, "old_password": PASSWORD}).status_code == 429
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)


def test_who_signs_in_elsewhere_has_no_password_to_change(client: Client, ada: User) -> None:
    ada.set_unusable_password()
    ada.save()
    client.force_login(ada)
    assert "Change the password" not in client.get("/account").content.decode()
    assert client.get("/account/password").status_code == 404
