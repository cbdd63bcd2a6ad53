"""The map's page: a picture of what the table says."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from django.test import Client

import central.web
from central.trace.stored.follower import CallEdges
from tests.central.factories import MembershipFactory
from tests.central.trace.corpus import organization_of, pyproject, repository

ADDRESS = "/o/acme/map"
VENDOR = Path(central.web.__file__).parent / "static" / "vendor"


@pytest.fixture
def member(client: Client, db: None) -> Client:
    """Somebody signed in; app calls lib, of which it asks for an older version."""
    organization = organization_of()
    client.force_login(MembershipFactory.create(organization=organization).user)
    manifest = pyproject("lib-py", version="2.0")
    repository("lib", {"pyproject.toml": manifest, "lib_py.py": "def run(): ..."})
    main = "from lib_py import run\nrun()\n"
    repository("app", {"pyproject.toml": pyproject("app-py", "lib-py==1.0"), "main.py": main})
    while CallEdges().update(organization.pk):
        pass
    return client


def page(client: Client, status: int = 200, **query: object) -> str:
    response = client.get(ADDRESS, query)
    assert response.status_code == status, response.content
    return response.content.decode()


def cells(html: str) -> list[str]:
    """The words of each row of the table."""
    rows = re.findall(r"<tr>\s*<th scope=\"row\">.*?</tr>", html, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]


def test_each_link_is_a_row_and_is_drawn(member: Client) -> None:
    html = page(member)
    assert cells(html) == ["app lib 1 1 lib-py 1.0 of 2.0 lags"]
    found = re.search(r"<script id=\"map-data\"[^>]*>(.*?)</script>", html)
    assert found
    drawn = json.loads(found[1])
    assert drawn["links"] == [
        {"source": "app", "target": "lib", "weight": 2, "cycle": False, "lags": True}
    ]
    assert [one["users"] for one in drawn["nodes"]] == [0, 1]


def test_packages_are_named_and_lead_to_their_project(member: Client) -> None:
    html = page(member, level="package", project="app")
    assert cells(html) == ["app-py lib-py 1 1 lib-py 1.0 of 2.0 lags"]
    assert 'href="?level=package&amp;project=lib"' in html


def test_a_project_without_links_says_so(member: Client) -> None:
    repository("own", {"own.py": "def run(): ...\n"})
    while CallEdges().update(organization_of().pk):
        pass
    assert "own uses nothing of other projects" in page(member, project="own")


def test_a_project_that_is_not_there_is_not_found(member: Client) -> None:
    assert "There is no such repository" in page(member, 404, project="nothing")


def test_more_links_are_shown_if_the_address_asks_for_them(member: Client) -> None:
    manifest = pyproject("more-py", "lib-py")
    repository("more", {"pyproject.toml": manifest, "more.py": "from lib_py import run\n"})
    while CallEdges().update(organization_of().pk):
        pass
    html = page(member, limit=1)
    assert len(cells(html)) == 1
    assert "1 more are not" in html
    assert len(cells(page(member, limit=2))) == 2


def test_until_edges_follow_the_page_says_when_to_come_again(member: Client) -> None:
    repository("new", {"new.py": "def run(): ...\n"})
    assert "ask again in a few seconds" in page(member, 503)


def test_each_library_is_the_release_that_the_decision_names() -> None:
    """Nobody edits it: a new release replaces it whole."""
    record = next(Path("docs/decisions").glob("0080-*")).read_text()
    libraries = list(VENDOR.glob("*/*.js"))
    assert len(libraries) == 2
    for library in libraries:
        content = library.read_bytes()
        assert hashlib.sha256(content).hexdigest() in record
        assert f"{len(content):,} bytes" in record
