"""Errors of pages are pages, with what to do next; programs get problem documents."""

from collections.abc import Callable

import pytest
from django.db import OperationalError
from django.test import Client

from indexer.errors import StoreUnavailableError
from tests.central.factories import MembershipFactory

pytestmark = pytest.mark.django_db

VIEW = "central.web.views_search.render"


@pytest.fixture
def member() -> Client:
    """A signed-in member of acme, whose browser shows what fails."""
    client = Client(raise_request_exception=False)
    client.force_login(MembershipFactory(organization__slug="acme").user)
    return client


def failing(exc: Exception) -> Callable[..., None]:
    def fails(*arguments: object, **options: object) -> None:
        raise exc

    return fails


def test_the_page_of_another_organisation_is_not_found(member: Client) -> None:
    response = member.get("/o/elsewhere/")
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")
    assert "There is no such organisation for you." in response.content.decode()
    assert 'href="/o/elsewhere/' not in response.content.decode()


def test_an_unknown_page_is_a_page_and_an_unknown_route_of_the_api_a_document(
    member: Client,
) -> None:
    page = member.get("/nowhere")
    assert (page.status_code, page["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "<h1>There is no such page</h1>" in page.content.decode()
    for path in ("/api/v1/nowhere", "/internal/nowhere"):
        assert member.get(path).json()["code"] == "not_found"


def test_whoever_is_not_signed_in_gets_a_page_too() -> None:
    assert "There is no such page" in Client().get("/nowhere").content.decode()


def test_a_dependency_that_is_away_says_so_and_when_to_come_back(
    member: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VIEW, failing(StoreUnavailableError("store at host:1 is away")))
    response = member.get("/o/acme/")
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    text = response.content.decode()
    assert "The vector store does not answer." in text
    assert "vector_store_unavailable" in text
    assert "host:1" not in text


def test_the_page_of_a_failure_names_the_request_and_asks_no_database(
    member: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VIEW, failing(ZeroDivisionError("secret detail")))
    monkeypatch.setattr(
        "django.contrib.sessions.backends.db.SessionStore.save", failing(OperationalError())
    )
    response = member.get("/o/acme/", headers={"x-request-id": "the-id-of-it"})
    assert response.status_code == 500
    text = response.content.decode()
    assert "the-id-of-it" in text
    assert "secret detail" not in text


def test_the_database_being_away_is_said_on_a_page_without_it(
    member: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "django.contrib.sessions.backends.db.SessionStore.load", failing(OperationalError())
    )
    response = member.get("/o/acme/")
    assert response.status_code == 503
    assert "database_unavailable" in response.content.decode()


def test_a_form_of_another_site_is_refused_on_a_page() -> None:
    response = Client(enforce_csrf_checks=True).post("/theme", {"theme": "dark"})
    assert response.status_code == 403
    assert "Load the page again" in response.content.decode()


@pytest.mark.parametrize(
    ("exc", "status"),
    [(StoreUnavailableError("away"), 503), (OperationalError(), 503), (ZeroDivisionError(), 500)],
)
def test_what_htmx_asks_for_again_stays_as_it_is_while_something_is_away(
    member: Client, monkeypatch: pytest.MonkeyPatch, exc: Exception, status: int
) -> None:
    monkeypatch.setattr(VIEW, failing(exc))
    response = member.get("/o/acme/", headers={"HX-Request": "true"})
    assert (response.status_code, response["HX-Reswap"]) == (status, "none")


def test_what_htmx_asks_for_in_vain_makes_it_load_the_page_which_says_so(member: Client) -> None:
    response = member.get("/o/elsewhere/", headers={"HX-Request": "true"})
    assert (response.status_code, response["HX-Refresh"]) == (404, "true")


def test_a_link_that_htmx_follows_leads_to_the_page_of_the_error(
    member: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VIEW, failing(StoreUnavailableError("away")))
    response = member.get("/o/acme/", headers={"HX-Request": "true", "HX-Boosted": "true"})
    assert "The vector store does not answer." in response.content.decode()
    assert "HX-Reswap" not in response.headers
