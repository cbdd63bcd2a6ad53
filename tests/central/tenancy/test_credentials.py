"""The commands that make and end memberships and revoke tokens, and what they leave in the log."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from central.errors import UnauthenticatedError
from central.tenancy.models import ApiToken, AuditEntry, Membership, Organization
from central.tenancy.tokens import credential_of, new_token
from tests.central.factories import (
    ApiTokenFactory,
    MembershipFactory,
    OrganizationFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db

PASSWORD = "seven wonders of the sea"


@pytest.fixture
def acme() -> Organization:
    return OrganizationFactory.create(slug="acme")


@pytest.fixture(autouse=True)
def typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands on standard input: the password in its first line."""
    monkeypatch.setattr("sys.stdin", StringIO(f"{PASSWORD}\nnot this\n"))


def run(*command: str) -> str:
    told = StringIO()
    call_command(*command, stdout=told, stderr=told)
    return told.getvalue()


def create(*options: str) -> str:
    return run("create_member", "ada", "--password-stdin", *options)


def entries() -> list[tuple[str, str, str, str]]:
    """Oldest first; each by whom it should be."""
    assert {entry.actor for entry in AuditEntry.objects.all()} <= {"command"}
    found = AuditEntry.objects.order_by("pk")
    return [(entry.action, entry.organization, entry.target, str(entry.detail)) for entry in found]


@pytest.mark.usefixtures("acme")
def test_a_member_is_made_who_may_sign_in() -> None:
    assert create("--organization", "acme") == "ada is a member of acme.\n"
    client = Client(REMOTE_ADDR="192.0.2.77")
    signed_in = client.post("/sign-in", {"username": "ada", "password": PASSWORD})
    assert signed_in["Location"] == "/"
    assert client.get("/o/acme/").status_code == 200
    assert not User.objects.get().is_staff
    assert [entry[:3] for entry in entries()] == [
        ("user.created", "", "ada"),
        ("membership.created", "acme", "ada"),
    ]
    assert PASSWORD not in str(entries())


@pytest.mark.usefixtures("acme")
def test_an_organization_may_be_written_as_workspaces_write_it() -> None:
    create("--organization", "org-acme")
    assert Membership.objects.get().organization.slug == "acme"


@pytest.mark.usefixtures("acme")
def test_a_member_becomes_an_admin_and_stays_one() -> None:
    create("--organization", "acme")
    assert "ada is an admin of acme." in create("--organization", "acme", "--role", "admin")
    assert "ada is an admin of acme." in create("--organization", "acme")
    assert entries()[2:] == [
        ("membership.changed", "acme", "ada", "{'after': 'admin', 'before': 'member'}")
    ]


def test_who_is_there_already_keeps_the_password_and_is_told_of(acme: Organization) -> None:
    before = UserFactory.create(username="ada", email="ada@acme.example")
    told = create("--organization", "acme")
    assert "ada (ada@acme.example) was there already" in told
    assert "set_password ada" in told
    assert User.objects.get().password == before.password
    assert Membership.objects.get().organization == acme


def test_the_first_administrator_needs_no_organization() -> None:
    assert create("--superuser", "--email", "a@b.example") == "ada administers the whole service.\n"
    user = User.objects.get()
    assert user.is_superuser
    assert user.is_staff
    assert user.email == "a@b.example"


def test_a_user_is_made_an_administrator() -> None:
    UserFactory.create(username="ada")
    create("--superuser")
    create("--superuser")
    assert User.objects.get().is_superuser
    assert [entry[0] for entry in entries()] == ["user.changed"]


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("options", "why"),
    [
        ([], "--organization SLUG"),
        (["--organization", "nowhere"], "There is no organisation 'nowhere'"),
        (["--organization", "acme", "--email", "not one"], "valid email address"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_made(options: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        create(*options)
    assert not User.objects.exists()
    assert not AuditEntry.objects.exists()


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("short", "at least 12 characters"),
        ("", "at least 12 characters"),
        ("123456789012345", "entirely numeric"),
        ("qwerty123456", "too common"),
        ("ada-lovelace", "too similar"),
    ],
)
def test_a_weak_password_is_refused(
    monkeypatch: pytest.MonkeyPatch, password: str, why: str
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(password))
    with pytest.raises(CommandError, match=why):
        run("create_member", "ada-lovelac", "--password-stdin", "--organization", "acme")
    assert not User.objects.exists()


@pytest.mark.usefixtures("acme")
def test_without_a_terminal_a_password_is_not_waited_for() -> None:
    with pytest.raises(CommandError, match="--password-stdin"):
        run("create_member", "ada", "--organization", "acme")


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("second", [PASSWORD, "another"])
def test_at_a_terminal_the_password_is_asked_for_twice(
    monkeypatch: pytest.MonkeyPatch, second: str
) -> None:
    answers = iter([PASSWORD, second])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("central.tenancy.management.password.getpass", lambda _: next(answers))
    if second == PASSWORD:
        run("create_member", "ada", "--organization", "acme")
        assert User.objects.get().check_password(PASSWORD)
        return
    with pytest.raises(CommandError, match="not the same"):
        run("create_member", "ada", "--organization", "acme")
    assert not User.objects.exists()


def test_who_is_removed_sees_nothing_and_neither_do_their_tokens() -> None:
    membership = MembershipFactory.create(user__username="ada", organization__slug="acme")
    token = new_token()
    ApiTokenFactory.create(organization=membership.organization, owner=membership.user, token=token)
    client = Client()
    client.force_login(membership.user)
    assert client.get("/o/acme/").status_code == 200
    assert run("remove_member", "ada", "--organization", "acme").startswith("ada is no member")
    assert client.get("/o/acme/").status_code == 404
    with pytest.raises(UnauthenticatedError):
        credential_of(token)
    assert entries() == [("membership.deleted", "acme", "ada", "{}")]


@pytest.mark.parametrize("username", ["ada", "nobody"])
def test_who_is_no_member_is_not_removed(acme: Organization, username: str) -> None:
    UserFactory.create(username="ada")
    with pytest.raises(CommandError, match=username):
        run("remove_member", username, "--organization", "acme")


@pytest.mark.parametrize("told_by", ["prefix", "id", "token"])
def test_a_token_is_revoked_by_what_is_known_of_it(acme: Organization, told_by: str) -> None:
    token = new_token()
    stored = ApiTokenFactory.create(organization=acme, token=token, name="nightly")
    known = {"prefix": token[:12], "id": str(stored.pk), "token": token}[told_by]
    told = run("revoke_token", known)
    assert told == f"Revoked: {token[:12]}… (acme) nightly\n"
    with pytest.raises(UnauthenticatedError):
        credential_of(token)
    with pytest.raises(CommandError, match="was revoked at"):
        run("revoke_token", known)
    assert [entry[:3] for entry in entries()] == [
        ("token.revoked", "acme", f"{token[:12]}… nightly")
    ]


def test_an_unclear_token_is_not_revoked(acme: Organization) -> None:
    for _ in range(2):
        ApiTokenFactory.create(organization=acme, prefix="aet_abcdefgh")
    with pytest.raises(CommandError, match="Several tokens"):
        run("revoke_token", "aet_abcdefgh")
    with pytest.raises(CommandError, match="There is no token"):
        run("revoke_token", "aet_nothing")
    assert not ApiToken.objects.exclude(revoked_at=None).exists()


def test_tokens_that_are_taken_are_listed(acme: Organization) -> None:
    owner = UserFactory.create(username="ada")
    shown = ApiTokenFactory.create(organization=acme, owner=owner, name="editor")
    ApiTokenFactory.create(name="another organisation's")
    ApiTokenFactory.create(organization=acme, is_short_lived=True)
    gone = ApiTokenFactory.create(organization=acme)
    run("revoke_token", str(gone.pk))
    (line,) = run("list_tokens", "--organization", "acme").splitlines()
    assert line.split("\t") == [
        str(shown.pk),
        shown.prefix,
        "index,search",
        "ada",
        "used never",
        "until revoked",
        "editor",
    ]


@pytest.mark.usefixtures("acme")
def test_what_a_member_sees_is_limited_and_not_limited_any_more() -> None:
    create("--organization", "acme", "--repositories", "shop", "--visibilities", "public")
    limits = ["repositories", "visibilities"]
    assert Membership.objects.values_list(*limits).get() == (["shop"], ["public"])
    create("--organization", "acme", "--role", "admin")
    assert Membership.objects.values_list(*limits).get() == (["shop"], ["public"])
    create("--organization", "acme", "--unlimited")
    assert Membership.objects.values_list(*limits).get() == (None, None)
    changes = [detail for action, *_, detail in entries() if action == "membership.changed"]
    assert "'repositories': {'after': ['shop'], 'before': None}" in changes[0]
    assert "'visibilities': {'after': None, 'before': ['public']}" in changes[-1]


@pytest.mark.usefixtures("acme")
def test_who_has_no_access_any_more_is_signed_out_and_cannot_sign_in() -> None:
    create("--organization", "acme")
    client = Client(REMOTE_ADDR="192.0.2.78")
    client.force_login(User.objects.get())
    assert client.get("/o/acme/").status_code == 200
    assert run("end_access", "ada") == "The access of ada is ended.\n"
    assert client.get("/o/acme/").status_code == 302
    form = {"username": "ada", "password": PASSWORD}
    assert client.post("/sign-in", form).status_code == 200
    assert run("end_access", "ada") == "The access of ada was ended already.\n"
    assert [entry for entry in entries() if entry[0] == "user.changed"] == [
        ("user.changed", "", "ada", "{'is_active': {'after': False, 'before': True}}")
    ]


@pytest.mark.usefixtures("acme")
def test_a_new_password_is_noted_and_told_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    create("--organization", "acme")
    monkeypatch.setattr("sys.stdin", StringIO("password\nanother horse, another staple\n"))
    with pytest.raises(CommandError, match="too common"):
        run("set_password", "ada", "--password-stdin")
    assert User.objects.get().check_password(PASSWORD)
    run("set_password", "ada", "--password-stdin")
    assert User.objects.get().check_password("another horse, another staple")
    assert entries()[-1] == ("user.password", "", "ada", "{}")


def test_a_token_for_some_visibilities_sees_no_other(acme: Organization) -> None:
    token = run("create_token", "--organization", "acme", "--scopes", "search",
                "--visibilities", "public").strip()  # fmt: skip
    assert credential_of(token).visibilities == {"public"}
    assert "'visibilities': ['public']" in entries()[-1][3]
