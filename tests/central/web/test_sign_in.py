"""Signing in and out, and where `/` leads to."""

import itertools

import pytest
import time_machine
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from tests.central.factories import MembershipFactory, OrganizationFactory, UserFactory

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery staple"
_NUMBERS = itertools.count(1)


@pytest.fixture
def client() -> Client:
    """A browser at an address of its own: attempts are counted by address."""
    return browser()


def browser() -> Client:
    number = next(_NUMBERS)
    return Client(REMOTE_ADDR=f"198.51.{number // 256}.{number % 256}")


@pytest.fixture
def ada() -> User:
    """Under a name of this test's own: attempts are counted by name."""
    return UserFactory.create(username=f"ada-{next(_NUMBERS)}")


def sign_in(
    client: Client, username: str, password: str = PASSWORD, after: str = ""
) -> HttpResponse:
    form = {"username": username, "password": password, "next": after}
    return client.post("/sign-in", form)


def test_a_page_asks_a_stranger_to_sign_in_and_then_leads_to_it(client: Client, ada: User) -> None:
    membership = MembershipFactory.create(user=ada)
    address = f"/o/{membership.organization.slug}/"
    asked = client.get(address)
    assert asked["Location"] == f"/sign-in?next={address}"
    form = client.get(asked["Location"]).content.decode()
    assert f'name="next" value="{address}"' in form
    assert 'autocomplete="username"' in form
    assert 'autocomplete="current-password"' in form
    assert sign_in(client, ada.username, after=address)["Location"] == address
    assert client.get(address).status_code == 200


def test_the_session_gets_another_key_when_somebody_signs_in(client: Client, ada: User) -> None:
    client.get("/sign-in")
    session = client.session
    session["kept"] = True
    session.save()
    before = session.session_key
    client.cookies["sessionid"] = before
    sign_in(client, ada.username)
    assert client.session.session_key != before


@pytest.mark.parametrize(
    "after", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil.example"]
)
def test_signing_in_never_leads_to_another_site(client: Client, ada: User, after: str) -> None:
    assert sign_in(client, ada.username, after=after)["Location"] == "/"


def test_who_is_signed_in_is_not_led_in_circles(client: Client, ada: User) -> None:
    client.force_login(ada)
    for after in ("/sign-in", "/sign-in?next=/sign-in", "/account"):
        led = client.get("/sign-in", {"next": after})
        assert led["Location"] == ("/account" if after == "/account" else "/")


@pytest.mark.parametrize(
    ("username", "password"), [("stays", "wrong"), ("nobody", PASSWORD), ("left", PASSWORD)]
)
def test_a_refusal_says_what_to_do_and_not_who_there_is(
    client: Client, username: str, password: str
) -> None:
    UserFactory.create(username="stays")
    UserFactory.create(username="left", is_active=False)
    page = sign_in(client, username, password).content.decode()
    assert "This user name and password do not match." in page
    assert client.get("/account").status_code == 302


def test_without_its_token_a_form_is_refused(ada: User) -> None:
    strict = Client(enforce_csrf_checks=True, REMOTE_ADDR="192.0.2.1")
    assert sign_in(strict, ada.username).status_code == 403


def test_signing_out_needs_a_post_and_ends_the_session(client: Client, ada: User) -> None:
    sign_in(client, ada.username)
    assert client.get("/sign-out").status_code == 405
    assert client.get("/account").status_code == 200
    assert client.post("/sign-out")["Location"] == "/sign-in"
    assert client.get("/account").status_code == 302


def test_the_eleventh_attempt_in_five_minutes_waits(client: Client, ada: User) -> None:
    now = timezone.now()
    with time_machine.travel(now, tick=False):
        for _ in range(10):
            assert sign_in(client, ada.username, "wrong").status_code == 200
        refused = sign_in(client, ada.username)
        assert refused.status_code == 429
        assert 0 < int(refused["Retry-After"]) <= 300
        assert "Try again in 5 minutes." in refused.content.decode()
        assert sign_in(browser(), ada.username).status_code == 302  # from elsewhere, she is let in


def test_many_addresses_together_do_not_try_one_name_for_ever(ada: User) -> None:
    known = browser()
    sign_in(known, ada.username)
    known.post("/sign-out")
    answers = [sign_in(browser(), ada.username, "wrong").status_code for _ in range(30)]
    assert answers[0] == 200
    assert answers[-1] == 429
    assert sign_in(browser(), ada.username).status_code == 429
    assert sign_in(known, ada.username).status_code == 302  # she signed in there before
    assert sign_in(browser(), UserFactory.create().username).status_code == 302


def test_one_address_does_not_try_many_names(client: Client) -> None:
    answers = [sign_in(client, f"name-{number}", "wrong").status_code for number in range(61)]
    assert answers[59:] == [200, 429]


def test_addresses_of_one_ipv6_network_are_one(ada: User) -> None:
    answers = [
        sign_in(Client(REMOTE_ADDR=f"2001:db8:1:2::{number:x}"), ada.username, "wrong").status_code
        for number in range(1, 12)
    ]
    assert answers[-2:] == [200, 429]


def test_home_leads_to_the_only_organization(client: Client) -> None:
    membership = MembershipFactory.create()
    client.force_login(membership.user)
    assert client.get("/")["Location"] == f"/o/{membership.organization.slug}/"


def test_home_offers_a_choice_and_then_keeps_to_the_last(client: Client) -> None:
    user = UserFactory.create()
    first, second = (MembershipFactory.create(user=user).organization for _ in range(2))
    client.force_login(user)
    page = client.get("/").content.decode()
    assert f"/o/{first.slug}/" in page
    assert f"/o/{second.slug}/" in page
    client.get(f"/o/{second.slug}/")
    assert client.get("/")["Location"] == f"/o/{second.slug}/"
    user.memberships.filter(organization=second).delete()
    assert client.get("/")["Location"] == f"/o/{first.slug}/"


def test_home_tells_who_is_nobodys_member_what_to_do(client: Client, ada: User) -> None:
    OrganizationFactory.create(slug="secret-company")
    client.force_login(ada)
    page = client.get("/").content.decode()
    assert f"manage.py create_member {ada.username} --organization" in page
    assert "secret-company" not in page


def test_home_tells_the_first_administrator_how_to_begin(client: Client) -> None:
    client.force_login(UserFactory.create(is_superuser=True, is_staff=True))
    assert "manage.py create_organization" in client.get("/").content.decode()


def test_the_administration_has_the_same_way_in(client: Client, ada: User) -> None:
    asked = client.get("/admin/", follow=True)
    assert asked.redirect_chain[-1][0].startswith("/sign-in?next=")
    sign_in(client, ada.username)
    refused = client.get("/admin/", follow=True)
    assert refused.status_code == 403
    assert "--superuser" in refused.content.decode()
