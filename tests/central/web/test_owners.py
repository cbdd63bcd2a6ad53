"""Owners on pages: of a file, of hits, of callers, and what a repository's page says of them."""

from html import unescape

import pytest
from django.test import Client

from central.corpus.models import File
from central.tenancy.models import Membership
from tests.central.factories import MembershipFactory
from tests.central.search.corpus import index_repository

pytestmark = pytest.mark.django_db

RULES = """\
* @acme/platform
/src/web/ @acme/web jane@acme.example
/tests/
!ab @acme/x
"""
FILES = {
    "CODEOWNERS": RULES,
    "src/jar.py": "def open_jar():\n    return 1\n",
    "src/web/page.py": "from src.jar import open_jar\n\n\ndef page():\n    return open_jar()\n",
    "tests/test_jar.py": "from src.jar import open_jar\n\n\ndef test_jar():\n    open_jar()\n",
}


@pytest.fixture
def member(client: Client) -> Client:
    """Signed in to an organisation with two repositories."""
    membership: Membership = MembershipFactory.create(organization__slug="acme")
    client.force_login(membership.user)
    index_repository(membership.organization, "shop", FILES)
    index_repository(membership.organization, "bare", {"a.py": "a = 1\n"})
    return client


def page(client: Client, address: str) -> str:
    response = client.get(f"/o/acme/{address}")
    assert response.status_code == 200
    return " ".join(unescape(response.content.decode()).split())


def test_the_page_of_a_file_names_its_owners_or_says_that_it_has_none(member: Client) -> None:
    html = page(member, "r/shop/file/src/web/page.py")
    assert 'owned by <a href="/o/acme/?q=owner:%40acme%2Fweb">@acme/web</a>' in html
    assert ">jane@acme.example</a>" in html
    assert ">no owner</span>" in page(member, "r/shop/file/tests/test_jar.py")
    assert ">no owner</span>" in page(member, "r/bare/file/a.py")


def test_a_hit_names_its_owners(member: Client) -> None:
    html = page(member, '?q="open_jar" owner:web')
    assert html.count("owned by") == 1
    assert ">@acme/web</a>" in html


def test_the_page_of_a_repository_says_what_its_codeowners_says(member: Client) -> None:
    html = page(member, "r/shop")
    assert '<a class="mono" href="/o/acme/r/shop/file/CODEOWNERS">CODEOWNERS</a> at' in html
    assert "<dt>Rules</dt><dd>3, read as GitHub reads them</dd>" in html
    assert "1 of 4 indexed files (25 %)" in html
    assert '@acme/platform</a></th><td class="number">2</td>' in html
    assert (
        'CODEOWNERS#L4">Line 4</a>: A pattern cannot begin with !: GitHub has no exclusions.'
        in html
    )
    assert "There is no CODEOWNERS: these files have no owner." in page(member, "r/bare")


def test_a_codeowners_that_is_not_followed_says_why(member: Client) -> None:
    File.objects.filter(path="CODEOWNERS").update(skipped="too_large")
    html = page(member, "r/shop")
    assert "<dt>Not followed</dt>" in html
    assert "The index has no content of the file." in html
    assert ">owner not known</span>" in page(member, "r/shop/file/src/jar.py")


def test_callers_are_counted_and_grouped_by_owner(member: Client) -> None:
    html = page(member, "symbol?name=open_jar&direction=callers")
    counts = html[html.index("By owner:") : html.index("Group by owner")]
    for owner in ("@acme/web", "jane@acme.example", "no owner"):
        assert f'{owner} <span class="muted">1</span>' in counts
    grouped = page(member, "symbol?name=open_jar&direction=callers&by=owner")
    assert "<h3>@acme/web</h3>" in grouped
    assert "<h3>No owner</h3>" in grouped
    assert "Group by repository" in grouped
