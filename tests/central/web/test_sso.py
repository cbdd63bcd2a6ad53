"""Signing in at an OpenID Connect provider: who is let in, as whom, and what is refused."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, get_resolver
from pytest_django import Settings

from central.http.rate_limits import check
from central.settings.sso import SingleSignOn
from central.tenancy.models import AuditEntry, Membership
from central.web.views_sso import STARTS
from tests.central.factories import MembershipFactory, OrganizationFactory, UserFactory
from tests.central.isolation.requests import routes
from tests.central.web.openid import CLIENT_ID, CLIENT_SECRET, LocalProvider

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def running() -> Iterator[LocalProvider]:
    with LocalProvider() as provider:
        yield provider


@pytest.fixture
def provider(running: LocalProvider, settings: Settings) -> LocalProvider:
    """One that this service trusts, and whose people become members of acme."""
    running.reset()
    settings.SSO = SingleSignOn(
        running.issuer, CLIENT_ID, CLIENT_SECRET, "Acme", "acme", email_domains=("*",)
    )
    settings.PUBLIC_URL = None
    OrganizationFactory.create(slug="acme")
    return running


def at_provider(client: Client, address: str = "/sso") -> str:
    """Go there, sign in, and be sent back: the address that the browser is sent to."""
    started = client.get(address)
    assert started.status_code == 302
    answer = requests.get(started["Location"], allow_redirects=False, timeout=5)
    return answer.headers["Location"]


def sign_in(client: Client, address: str = "/sso") -> HttpResponse:
    back = urlsplit(at_provider(client, address))
    return client.get(f"{back.path}?{back.query}")


def is_signed_in(client: Client) -> bool:
    return client.get("/account").status_code == 200


def test_the_form_offers_the_provider_and_leads_to_the_page_that_asked(
    client: Client, provider: LocalProvider
) -> None:
    form = client.get("/sign-in?next=/o/acme/").content.decode()
    assert "Sign in with Acme" in form
    assert 'href="/sso?next=/o/acme/"' in form
    assert sign_in(client, "/sso?next=/o/acme/")["Location"] == "/o/acme/"
    assert client.get("/o/acme/").status_code == 200


def test_a_first_sign_in_makes_a_member_without_a_password(
    client: Client, provider: LocalProvider
) -> None:
    assert sign_in(client)["Location"] == "/"
    user = User.objects.get()
    assert (user.username, user.email) == ("ada", "ada@acme.example")
    assert not user.has_usable_password()
    assert not user.is_staff
    membership = Membership.objects.get()
    assert (membership.organization.slug, membership.role) == ("acme", "member")
    entries = AuditEntry.objects.values_list("action", "actor", "target")
    assert set(entries) == {
        ("user.created", "sso", "ada"),
        ("membership.created", "sso", "ada"),
    }


def test_who_was_removed_is_not_made_a_member_again(
    client: Client, provider: LocalProvider
) -> None:
    sign_in(client)
    Membership.objects.all().delete()
    sign_in(Client())
    assert User.objects.count() == 1
    assert not Membership.objects.exists()


def test_the_code_is_asked_for_with_pkce_state_and_nonce(
    client: Client, provider: LocalProvider
) -> None:
    sign_in(client)
    asked = provider.asked
    assert asked["code_challenge_method"] == "S256"
    assert asked["response_type"] == "code"
    assert set(asked["scope"].split()) == {"openid", "profile", "email"}
    assert len(asked["nonce"]) >= 43
    assert len(asked["state"]) >= 16
    assert asked["redirect_uri"] == "http://testserver/sso/callback"


def test_the_address_is_what_the_provider_knows_behind_a_proxy(
    client: Client, provider: LocalProvider, settings: Settings
) -> None:
    settings.PUBLIC_URL = "https://code.acme.example"
    client.get("/sso")
    query = parse_qs(urlsplit(client.get("/sso")["Location"]).query)
    assert query["redirect_uri"] == ["https://code.acme.example/sso/callback"]


def test_an_address_never_finds_an_account_that_is_here(
    client: Client, provider: LocalProvider
) -> None:
    """Not even one that the provider vouches for, and that is the name of an administrator."""
    local = UserFactory.create(username="ada", email="ada@acme.example", is_superuser=True)
    sign_in(client)
    newcomer = User.objects.exclude(pk=local.pk).get()
    assert newcomer.username != "ada"
    assert not newcomer.is_superuser
    assert client.session["_auth_user_id"] == str(newcomer.pk)


@pytest.mark.parametrize("verified", [False, None, "false", 1.5])
def test_an_address_that_is_not_vouched_for_makes_nobody_a_member(
    client: Client, provider: LocalProvider, verified: object
) -> None:
    provider.told["email_verified"] = verified
    sign_in(client)
    assert User.objects.get().email == ""
    assert not Membership.objects.exists()
    assert "You are not a member of an organisation yet" in client.get("/").content.decode()


def test_without_an_organization_an_administrator_adds_people(
    client: Client, provider: LocalProvider, settings: Settings
) -> None:
    settings.SSO = SingleSignOn(provider.issuer, CLIENT_ID, CLIENT_SECRET, "Acme", None)
    sign_in(client)
    assert is_signed_in(client)
    assert not Membership.objects.exists()


@pytest.mark.parametrize(
    ("domains", "joins"),
    [
        (("ACME.example",), True),
        (("example", "me.example"), False),
        (("*",), True),
        ((), False),
    ],
)
def test_where_domains_are_named_only_their_people_become_members(
    client: Client, provider: LocalProvider, settings: Settings, domains: tuple[str], joins: bool
) -> None:
    """At some providers anybody has an account."""
    settings.SSO = SingleSignOn(
        provider.issuer, CLIENT_ID, CLIENT_SECRET, "Acme", "acme", email_domains=domains
    )
    sign_in(client)
    assert is_signed_in(client)
    assert Membership.objects.exists() is joins


def test_the_same_subject_of_another_issuer_is_somebody_else(
    client: Client, provider: LocalProvider, settings: Settings
) -> None:
    sign_in(client)
    with LocalProvider() as other:
        settings.SSO = SingleSignOn(other.issuer, CLIENT_ID, CLIENT_SECRET, "Other", None)
        sign_in(Client())
    assert User.objects.count() == 2


FORGERIES = {
    "another issuer": {"iss": "https://evil.example"},
    "another audience": {"aud": "somebody-else"},
    "another party that it is for": {"azp": "somebody-else"},
    "another sign-in's nonce": {"nonce": "replayed"},
    "no nonce": {"nonce": None},
    "an end in the past": {"exp": 1_000_000_000},
    "a subject that the user information contradicts": {"sub": "1"},
}


@pytest.mark.parametrize("forged", FORGERIES.values(), ids=FORGERIES.keys())
def test_an_id_token_of_another_sign_in_is_refused(
    client: Client, provider: LocalProvider, forged: dict[str, object]
) -> None:
    provider.forged = forged
    assert_refused(client, sign_in(client))


def test_an_id_token_that_is_not_signed_by_the_issuer_is_refused(
    client: Client, provider: LocalProvider
) -> None:
    provider.signing_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    assert_refused(client, sign_in(client))
    provider.signing_key, provider.algorithm = None, "none"
    assert_refused(client, sign_in(client))
    provider.signing_key, provider.algorithm = CLIENT_SECRET * 2, "HS256"
    assert_refused(client, sign_in(client))


@pytest.mark.parametrize("endpoint", ["issuer", "token_endpoint", "jwks_uri"])
def test_a_provider_that_is_not_what_it_says_is_refused(
    client: Client, provider: LocalProvider, endpoint: str
) -> None:
    provider.configuration = {endpoint: f"{provider.issuer}/elsewhere"}
    started = client.get("/sso")
    assert_refused(client, started if endpoint == "issuer" else sign_in(client))


def test_a_provider_that_is_away_is_said(
    client: Client, provider: LocalProvider, settings: Settings
) -> None:
    settings.SSO = SingleSignOn("http://127.0.0.1:9", CLIENT_ID, CLIENT_SECRET, "Acme", None)
    answer = client.get("/sso")
    assert_refused(client, answer)
    assert "Acme does not answer as it should." in client.get("/sign-in").content.decode()


def test_the_provider_is_not_asked_as_often_as_a_stranger_likes(
    client: Client, settings: Settings
) -> None:
    """Each time is a request there, and a session here."""
    settings.SSO = SingleSignOn("http://127.0.0.1:9", CLIENT_ID, CLIENT_SECRET, "Acme", None)
    for _ in range(300):
        check("sso 192.0.2.7", STARTS)
    assert client.get("/sso", REMOTE_ADDR="192.0.2.7").status_code == 429
    assert client.get("/sso", REMOTE_ADDR="192.0.2.8").status_code == 302


def test_a_state_is_one_session_s_and_good_once(client: Client, provider: LocalProvider) -> None:
    back = urlsplit(at_provider(client))
    stranger = Client()
    assert_refused(stranger, stranger.get(f"{back.path}?{back.query}"))
    forged = f"{back.path}?{back.query}".replace("state=", "state=x")
    assert_refused(client, client.get(forged))
    assert client.get(f"{back.path}?{back.query}")["Location"] == "/"
    client.post("/sign-out")
    assert_refused(client, client.get(f"{back.path}?{back.query}"))


def test_who_does_not_consent_comes_back_to_the_form(
    client: Client, provider: LocalProvider
) -> None:
    query = parse_qs(urlsplit(client.get("/sso")["Location"]).query)
    state = query["state"][0]
    assert_refused(client, client.get(f"/sso/callback?error=access_denied&state={state}"))


def test_an_account_that_is_not_active_is_turned_away(
    client: Client, provider: LocalProvider
) -> None:
    sign_in(client)
    User.objects.update(is_active=False)
    again = Client()
    assert_refused(again, sign_in(again))


def test_nobody_is_led_to_another_site_afterwards(client: Client, provider: LocalProvider) -> None:
    assert sign_in(client, "/sso?next=https://evil.example/")["Location"] == "/"


@pytest.mark.parametrize("process", ["connect", "redirect"])
def test_the_address_cannot_ask_for_anything_but_a_sign_in(
    client: Client, provider: LocalProvider, process: str
) -> None:
    """An account here is never connected to one there, by whatever link somebody follows."""
    local = MembershipFactory.create().user
    client.force_login(local)
    sign_in(client, f"/sso?process={process}&scope=admin&auth_params=prompt%3Dnone&action=x")
    assert "prompt" not in provider.asked
    assert "admin" not in provider.asked["scope"]
    assert client.session["_auth_user_id"] != str(local.pk)


def test_no_other_page_of_the_package_is_reachable(provider: LocalProvider) -> None:
    names = {
        pattern.name
        for pattern in get_resolver().url_patterns
        if isinstance(pattern, URLPattern) and pattern.name
    }
    assert not {name for name in names if name.startswith(("account_", "socialaccount_"))}
    assert {path for path in routes() if "sso" in path} == {
        "sso",
        "sso/callback",
    }


def test_without_a_provider_there_is_no_such_page(client: Client) -> None:
    assert client.get("/sso").status_code == 404
    assert client.get("/sso/callback").status_code == 404
    assert "sso" not in client.get("/sign-in").content.decode()


def assert_refused(client: Client, answer: HttpResponse) -> None:
    assert (answer.status_code, answer["Location"]) == (302, "/sign-in")
    assert not is_signed_in(client)
