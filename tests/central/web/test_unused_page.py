"""The page of definitions without callers."""

import re

import pytest
from django.test import Client

from central.trace.stored.follower import CallEdges
from tests.central.factories import MembershipFactory
from tests.central.trace.corpus import organization_of, repository

ADDRESS = "/o/acme/unused"


@pytest.fixture
def member(client: Client, db: None) -> Client:
    """Somebody signed in; app has a function that nothing calls, and an entry point."""
    organization = organization_of()
    client.force_login(MembershipFactory.create(organization=organization).user)
    text = "def run(): ...\ndef rest(): ...\ndef main(x):\n    run()\n    x.rest()\n"
    repository("app", {"app.py": text})
    while CallEdges().update(organization.pk):
        pass
    return client


def rows(client: Client, **query: object) -> list[str]:
    """The words of each row of the table."""
    response = client.get(ADDRESS, query)
    assert response.status_code == 200, response.content
    found = re.findall(r"<tr>\s*<th scope=\"row\">.*?</tr>", response.content.decode(), re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in found]


def test_each_definition_has_its_place_and_its_doubts(member: Client) -> None:
    assert rows(member) == [
        "rest function app/app.py:2 unresolved uses 1",
        "main function app/app.py:3 entry point name in text",
    ]


def test_an_empty_page_says_why(member: Client) -> None:
    assert rows(member, project="app", doubts="none") == []
    page = member.get(ADDRESS, {"kind": "trait"}).content.decode()
    assert "There is no public definition of these kinds" in page


def test_the_next_page_has_the_same_filters(member: Client) -> None:
    page = member.get(ADDRESS, {"limit": "1", "kind": "function"}).content.decode()
    address = re.search(r'href="(\?[^"]*cursor=[^"]*)" rel="next"', page)
    assert address
    assert "kind=function" in address[1]
