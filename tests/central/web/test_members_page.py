"""Settings of an organisation: its members and their invitations, without the admin."""

import re

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from central.tenancy.models import AuditEntry, Invitation, Membership, Role
from tests.central.factories import (
    ApiTokenFactory,
    InvitationFactory,
    MembershipFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db

MEMBERS = "/o/acme/settings/members"
INVITATIONS = "/o/acme/settings/invitations"
INVITE = {"name": "Bob", "role": "member", "expires_days": "7"}
NEW = {
    "username": "bob",
    "password1": "seven wonders of the sea",
    "password2": "seven wonders of the sea",
}


@pytest.fixture
def bob(grace: Membership) -> Membership:
    return MembershipFactory.create(organization=grace.organization, user__username="bob")


def link_of(client: Client, **changes: str) -> str:
    """Make an invitation; the link that the page shows."""
    answer = client.post(INVITATIONS, {**INVITE, **changes})
    assert answer.status_code == 200
    return re.findall(r'value="([^"]+#aei_[^"]+)"', answer.content.decode())[0]


def opened(link: str, client: Client | None = None) -> Client:
    """A browser that has opened the link, as its script does."""
    browser = client or Client()
    page, _, code = link.partition("#")
    assert page == "http://testserver/invitation"
    assert browser.post("/invitation", {"code": code})["Location"] == "/invitation/accept"
    return browser


def test_members_are_listed_with_their_roles(client: Client, bob: Membership) -> None:
    page = client.get(MEMBERS).content.decode()
    assert "grace" in page
    assert "(you)" in page
    assert f"{MEMBERS}/{bob.pk}" in page
    assert "2 members" in page


def test_a_member_is_made_an_admin_and_back(client: Client, bob: Membership) -> None:
    address = f"{MEMBERS}/{bob.pk}"
    for role in ("admin", "member"):
        assert client.post(address, {"role": role})["Location"] == MEMBERS
        bob.refresh_from_db()
        assert bob.role == role
    assert client.post(address, {"role": "owner"}).status_code == 200
    assert [entry.action for entry in AuditEntry.objects.all()] == ["membership.changed"] * 2


def test_removing_a_member_is_confirmed_and_its_tokens_end(client: Client, bob: Membership) -> None:
    ApiTokenFactory.create(organization=bob.organization, owner=bob.user, token="aet_" + "x" * 43)
    address = f"{MEMBERS}/{bob.pk}/remove"
    asked = client.get(address).content.decode()
    assert "Remove bob from acme?" in asked
    assert Membership.objects.filter(pk=bob.pk).exists()
    assert client.post(address)["Location"] == MEMBERS
    assert not Membership.objects.filter(pk=bob.pk).exists()
    answer = Client().get(
        "/api/v1/index/status", headers={"Authorization": "Bearer aet_" + "x" * 43}
    )
    assert answer.json()["code"] == "token_owner_gone"
    assert AuditEntry.objects.get().action == "membership.deleted"


def test_the_last_admin_neither_leaves_nor_steps_down(client: Client, grace: Membership) -> None:
    page = client.get(f"{MEMBERS}/{grace.pk}").content.decode()
    assert "This is the last admin of acme." in page
    for address, form in (
        (f"{MEMBERS}/{grace.pk}", {"role": "member"}),
        (f"{MEMBERS}/{grace.pk}/remove", {}),
    ):
        refused = client.post(address, form)
        assert refused.status_code == 409
        assert "last_admin" in refused.content.decode()
    grace.refresh_from_db()
    assert grace.role == Role.ADMIN


@pytest.mark.parametrize("other", [{"user__is_active": False}, {"repositories": ["shop"]}])
def test_who_cannot_administer_all_of_it_does_not_count_as_another_admin(
    client: Client, grace: Membership, other: dict[str, object]
) -> None:
    MembershipFactory.create(organization=grace.organization, role=Role.ADMIN, **other)
    assert client.post(f"{MEMBERS}/{grace.pk}/remove").status_code == 409


def test_an_admin_leaves_when_there_is_another(
    client: Client, grace: Membership, bob: Membership
) -> None:
    Membership.objects.filter(pk=bob.pk).update(role=Role.ADMIN)
    assert client.post(f"{MEMBERS}/{grace.pk}/remove")["Location"] == "/"
    assert client.get(MEMBERS).status_code == 404


def test_an_admin_steps_down_when_there_is_another(
    client: Client, grace: Membership, bob: Membership
) -> None:
    Membership.objects.filter(pk=bob.pk).update(role=Role.ADMIN)
    assert client.post(f"{MEMBERS}/{grace.pk}", {"role": "member"})["Location"] == "/o/acme/"
    assert client.get(MEMBERS).status_code == 403


def test_a_member_of_another_organisation_is_not_found(client: Client, grace: Membership) -> None:
    other = MembershipFactory.create()
    for address in (f"{MEMBERS}/{other.pk}", f"{MEMBERS}/{other.pk}/remove"):
        assert client.get(address).status_code == 404
        assert client.post(address, {"role": "admin"}).status_code == 404
    other.refresh_from_db()
    assert other.role == Role.MEMBER


def test_a_page_of_members_has_a_hundred(client: Client, grace: Membership) -> None:
    MembershipFactory.create_batch(100, organization=grace.organization)
    assert client.get(MEMBERS).content.decode().count("<tr>") == 101  # with the head
    assert client.get(f"{MEMBERS}?page=2").content.decode().count("<tr>") == 2
    assert client.get(f"{MEMBERS}?page=x").status_code == 200


# --- Invitations --------------------------------------------------------------------------------


def test_the_link_is_shown_once_and_stored_nowhere(client: Client, grace: Membership) -> None:
    answer = client.post(INVITATIONS, INVITE)
    code = re.findall(r"#(aei_[\w-]+)", answer.content.decode())[0]
    assert "no-store" in answer["Cache-Control"]
    again = client.get(INVITATIONS).content.decode()
    assert code not in again
    assert code[:12] in again
    stored = [*Invitation.objects.values(), *AuditEntry.objects.values()]
    sessions = [session.get_decoded() for session in Session.objects.all()]
    assert code not in str([*stored, *sessions]) + str(answer.headers) + str(answer.cookies)


def test_the_code_is_in_no_address_that_a_server_sees(client: Client, grace: Membership) -> None:
    link = link_of(client)
    page, _, code = link.partition("#")
    assert code.startswith("aei_")
    browser = opened(link)
    for address in (page, "/invitation/accept"):
        shown = browser.get(address)
        assert code not in shown.content.decode() + str(shown.headers)


def test_who_has_an_account_joins_with_it(client: Client, grace: Membership) -> None:
    user = UserFactory.create(username="bob")
    browser = Client()
    browser.force_login(user)
    opened(link_of(client), browser)
    assert "Join as bob" in browser.get("/invitation/accept").content.decode()
    assert not user.memberships.exists()  # opening it is not accepting it
    assert browser.post("/invitation/accept")["Location"] == "/o/acme/"
    assert user.memberships.get().role == Role.MEMBER
    assert "bob" in client.get(INVITATIONS).content.decode()


def test_who_signs_in_first_comes_back_to_the_invitation(client: Client, grace: Membership) -> None:
    UserFactory.create(username="bob")
    browser = opened(link_of(client))
    page = browser.get("/invitation/accept").content.decode()
    assert "/sign-in?next=/invitation/accept" in page
    form = {
        "username": "bob",
        "password": "correct horse battery staple",
        "next": "/invitation/accept",
    }
    assert browser.post("/sign-in", form)["Location"] == "/invitation/accept"
    assert browser.post("/invitation/accept")["Location"] == "/o/acme/"


def test_a_new_account_joins_and_is_signed_in(client: Client, grace: Membership) -> None:
    browser = opened(link_of(client, role="admin"))
    assert browser.post("/invitation/account", NEW)["Location"] == "/o/acme/"
    assert browser.get(MEMBERS).status_code == 200
    membership = Membership.objects.get(user__username="bob")
    assert membership.role == Role.ADMIN
    actions = [entry.action for entry in AuditEntry.objects.order_by("pk")]
    assert actions == [
        "invitation.created",
        "user.created",
        "invitation.accepted",
        "membership.created",
    ]
    assert not membership.user.is_staff


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"username": "GRACE"}, "already exists"),
        ({"username": "a b"}, "Enter a valid username"),
        ({"password2": "other"}, "The two password fields"),
        ({"password1": "short", "password2": "short"}, "at least 12 characters"),
    ],
)
def test_a_new_account_that_cannot_be_leaves_the_invitation_open(
    client: Client, grace: Membership, change: dict[str, str], why: str
) -> None:
    browser = opened(link_of(client))
    answer = browser.post("/invitation/account", {**NEW, **change})
    assert why in answer.content.decode()
    assert User.objects.count() == 1
    assert browser.post("/invitation/account", NEW).status_code == 302


def test_with_single_sign_on_the_provider_makes_accounts(
    client: Client, grace: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = opened(link_of(client))
    monkeypatch.setattr("django.conf.settings.SSO", type("Sso", (), {"name": "Okta"})())
    refused = browser.post("/invitation/account", NEW)
    assert refused.status_code == 403
    assert "Okta" in refused.content.decode()
    assert User.objects.count() == 1


def test_without_an_invitation_nobody_makes_an_account(client: Client) -> None:
    stranger = Client()
    assert stranger.post("/invitation/account", NEW)["Location"] == "/invitation/accept"
    assert stranger.get("/invitation/accept")["Location"] == "/invitation"
    assert stranger.post("/invitation/accept")["Location"] == "/invitation"
    assert not User.objects.exists()


def test_a_revoked_invitation_is_refused_at_every_step(client: Client, grace: Membership) -> None:
    link = link_of(client)
    browser = opened(link)
    invitation = Invitation.objects.get()
    revoked = client.post(f"{INVITATIONS}/{invitation.pk}/revoke")
    assert revoked["Location"] == INVITATIONS
    assert "There are none." in client.get(INVITATIONS).content.decode()
    assert browser.get("/invitation/accept").status_code == 404
    assert browser.post("/invitation/account", NEW).status_code == 404
    again = Client().post("/invitation", {"code": link})
    assert "This invitation cannot be used" in again.content.decode()
    assert User.objects.count() == 1


def test_the_pasted_link_is_as_good_as_the_code(client: Client, grace: Membership) -> None:
    answer = Client().post("/invitation", {"code": f"  {link_of(client)} "})
    assert answer["Location"] == "/invitation/accept"


@pytest.mark.parametrize("code", ["", "nothing", "aei_", "aei_" + "x" * 600, "aei_\x00é"])
def test_another_code_is_refused(client: Client, code: str) -> None:
    answer = client.post("/invitation", {"code": code})
    assert answer.status_code == 200
    assert "errorlist" in answer.content.decode() or "alert" in answer.content.decode()


def test_codes_are_not_guessed_for_ever() -> None:
    guesser = Client(REMOTE_ADDR="203.0.113.77")
    answers = [guesser.post("/invitation", {"code": "aei_x"}).status_code for _ in range(61)]
    assert answers[59:] == [200, 429]


def test_the_invitation_of_another_organisation_is_not_revoked(
    client: Client, grace: Membership
) -> None:
    other = InvitationFactory.create()
    assert client.post(f"{INVITATIONS}/{other.pk}/revoke").status_code == 404
    other.refresh_from_db()
    assert other.revoked_at is None
    assert other.prefix not in client.get(INVITATIONS).content.decode()


# --- Who may ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        ({}, "This is for admins of the organisation."),
        ({"role": "admin", "repositories": ["shop"]}, "This is for admins who see all of it."),
        ({"role": "admin", "visibilities": ["public"]}, "This is for admins who see all of it."),
    ],
)
def test_others_than_admins_of_all_of_it_are_told_so(
    grace: Membership, limit: dict[str, object], why: str
) -> None:
    member = Client()
    member.force_login(MembershipFactory.create(organization=grace.organization, **limit).user)
    for answer in (member.get(MEMBERS), member.post(INVITATIONS, INVITE)):
        assert answer.status_code == 403
        assert why in re.sub(r"\s+", " ", answer.content.decode())
    assert not Invitation.objects.exists()


def test_only_admins_are_led_to_the_settings(client: Client, bob: Membership) -> None:
    assert 'href="/o/acme/settings"' in client.get("/o/acme/").content.decode()
    member = Client()
    member.force_login(bob.user)
    assert "/settings" not in member.get("/o/acme/").content.decode()
    Membership.objects.filter(pk=bob.pk).update(role=Role.ADMIN, repositories=["shop"])
    assert "/settings" not in member.get("/o/acme/").content.decode()


def test_a_superuser_administers_an_organisation_without_being_a_member(
    grace: Membership,
) -> None:
    client = Client()
    client.force_login(UserFactory.create(is_superuser=True, is_staff=True))
    assert client.get(MEMBERS).status_code == 200
    opened(link_of(client))


def test_a_form_without_its_token_is_refused(grace: Membership) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(grace.user)
    assert strict.post(INVITATIONS, INVITE).status_code == 403
    assert strict.post("/invitation", {"code": "aei_x"}).status_code == 403
    assert not Invitation.objects.exists()


def test_changes_of_one_person_have_a_rate(client: Client, grace: Membership) -> None:
    answers = [client.post(f"{INVITATIONS}/1/revoke").status_code for _ in range(121)]
    assert answers[119:] == [404, 429]
