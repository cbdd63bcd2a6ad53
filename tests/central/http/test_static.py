"""The page of the API and the admin come with what they need."""

import re
from html import unescape

import pytest
from django.test import Client
from pytest_django import Settings

from tests.central.factories import MembershipFactory, UserFactory


@pytest.fixture(autouse=True)
def listed_at_the_start(settings: Settings) -> None:
    """As a service does; other tests do not ask for these files."""
    settings.WHITENOISE_AUTOREFRESH = False


@pytest.mark.parametrize("page", ["/api/v1/docs", "/sign-in", "/admin/"])
@pytest.mark.django_db
def test_page_loads_only_files_that_are_served_here(page: str) -> None:
    client = Client()
    if page == "/admin/":
        client.force_login(UserFactory.create(is_superuser=True, is_staff=True))
    answer = client.get(page)
    assert answer.status_code == 200
    linked = re.findall(
        r"""<(?:link|script|img)[^>]+(?:href|src)=["']([^"']+)""", answer.content.decode()
    )
    assert linked
    for address in linked:
        assert address.startswith(("/static/", f"{page}?")), address  # a script of the page's own
        file = client.get(unescape(address))
        assert (file.status_code, file.streaming) == (200, False), address
        assert len(file.content) == int(file["Content-Length"])


@pytest.mark.django_db
def test_the_page_of_the_api_is_shown_after_a_page_of_an_organisation() -> None:
    client = Client()
    membership = MembershipFactory.create()
    client.force_login(membership.user)
    assert client.get(f"/o/{membership.organization.slug}/").status_code == 200
    assert client.get("/api/v1/docs").status_code == 200


def test_static_file_is_not_sent_twice_nor_for_another_address() -> None:
    client = Client()
    first = client.get("/static/admin/css/base.css")
    assert first["Content-Type"].startswith("text/css")
    again = client.get(
        "/static/admin/css/base.css", headers={"If-Modified-Since": first["Last-Modified"]}
    )
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/static/admin/css/../css/none.css").status_code == 404
