"""The frame of every page: navigation, colours, and what a browser may do with it."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.central.factories import MembershipFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(client: Client) -> Client:
    """A signed-in member of acme."""
    membership = MembershipFactory(organization__slug="acme")
    client.force_login(membership.user)
    return client


def page(client: Client, address: str = "/o/acme/") -> str:
    response = client.get(address)
    assert response.status_code == 200, response.content
    return response.content.decode()


def test_a_page_may_load_its_own_scripts_and_styles_and_nothing_else(member: Client) -> None:
    policy = member.get("/o/acme/")["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'"} <= set(policy)
    assert not [directive for directive in policy if "unsafe" in directive]


def test_the_admin_alone_may_evaluate_expressions(client: Client) -> None:
    policy = client.get(reverse("admin:login"))["Content-Security-Policy"]
    assert "script-src 'self' 'unsafe-eval'" in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_chosen_colours_are_kept_and_said_by_the_server(member: Client, theme: str) -> None:
    response = member.post("/theme", {"theme": theme, "next": "/o/acme/?q=x"})
    assert response["Location"] == "/o/acme/?q=x"
    assert f'data-theme="{theme}"' in page(member)


def test_the_colours_of_the_system_come_back(member: Client) -> None:
    member.post("/theme", {"theme": "dark"})
    member.post("/theme", {"theme": ""})
    assert "data-theme" not in page(member)


def test_choosing_colours_leads_to_no_other_site(member: Client) -> None:
    response = member.post("/theme", {"theme": "dark", "next": "https://elsewhere.example/"})
    assert response["Location"] == "/"


def test_other_colours_than_ours_are_ignored(member: Client) -> None:
    member.cookies["theme"] = '"><script>'
    assert "data-theme" not in page(member)
