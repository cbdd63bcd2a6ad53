"""Click-through: from an identifier of a file to what it means."""

import re
from html import unescape
from textwrap import dedent
from urllib.parse import quote

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from central.corpus.models import File, Reference
from central.repositories.models import Visibility
from central.tenancy.models import Membership
from tests.central.factories import MembershipFactory
from tests.central.trace.corpus import organization_of, repository

pytestmark = pytest.mark.django_db

MAIN = dedent("""\
    from kit import sign

    def main(other):
        sign("<b>")
        other.verify()
        helper(sign)
    """)


@pytest.fixture
def member(client: Client) -> Client:
    """A signed-in member of acme, which has one repository."""
    kit = "def sign(text): ...\n\nclass Auth:\n    def verify(self): ...\n"
    repository(
        "app", {"kit.py": kit, "main.py": MAIN, "twice.py": "class B:\n    def verify(self): ...\n"}
    )
    client.force_login(MembershipFactory.create(organization=organization_of()).user)
    return client


def links(client: Client, path: str = "main.py") -> dict[str, str]:
    """Addresses of the identifiers of a file, by line and text."""
    html = client.get(f"/o/acme/r/app/file/{path}").content.decode()
    found = {}
    for number, line in re.findall(r'id="L(\d+)">(.*)', html):
        for address, text in re.findall(r'<a href="([^"]*)">(.*?)</a>', line):
            found[f"{number} {re.sub('<[^>]*>', '', text)}"] = unescape(address)
    return found


def test_each_identifier_leads_somewhere(member: Client) -> None:
    found = links(member)
    assert found == {
        "3 main": "/o/acme/symbol?project=app&file=main.py&name=main&line=3",
        "4 sign": "/o/acme/r/app/reference/main.py/4/4",
        "5 verify": "/o/acme/r/app/reference/main.py/5/10",
        "6 helper": "/o/acme/r/app/reference/main.py/6/4",
        "6 sign": "/o/acme/r/app/reference/main.py/6/11",
    }
    for address in found.values():
        assert member.get(address).status_code in (200, 302), address


def test_a_reference_with_one_meaning_leads_to_its_line(member: Client) -> None:
    response = member.get(links(member)["4 sign"])
    assert (response.status_code, response["Location"]) == (302, "/o/acme/r/app/file/kit.py#L1")


def test_one_with_several_shows_them_with_rule_and_confidence(member: Client) -> None:
    html = member.get(links(member)["5 verify"]).content.decode()
    assert "Definitions of that name" in html
    assert "found by its name only" in html
    assert "●○○" in html
    for place in ("kit.py#L4", "twice.py#L2"):
        assert f'<a href="/o/acme/r/app/file/{place}" data-result>' in html


def test_one_with_none_says_why(member: Client) -> None:
    html = member.get(links(member)["6 helper"]).content.decode()
    assert "No definition is known." in html
    assert "neither defines nor imports “helper”" in html


@pytest.mark.parametrize(
    "address", ["main.py/1/0", "main.py/99999999999999999999/0", "nothing.py/1/1", "a%00b/1/1"]
)
def test_a_place_without_a_reference_is_not_found(member: Client, address: str) -> None:
    response = member.get(f"/o/acme/r/app/reference/{address}")
    assert response.status_code == 404
    if address.startswith("main.py"):
        assert "Open the file again" in response.content.decode()
        assert 'href="/o/acme/r/app/file/main.py' in response.content.decode()


def test_a_reference_of_a_repository_that_is_not_in_sight_is_not_found(member: Client) -> None:
    address = links(member)["4 sign"]
    Membership.objects.update(visibilities=[Visibility.PUBLIC])
    response = member.get(address)
    assert response.status_code == 404
    assert "There is no such repository" in response.content.decode()


@pytest.mark.parametrize("path", ['"><script>alert(1)<', "a b/ü#?%41&/1/2", "line\nbreak"])
def test_links_of_a_file_with_a_hostile_name_work(member: Client, path: str) -> None:
    File.objects.filter(path="main.py").update(path=path)
    html = member.get("/o/acme/r/app/tree").content.decode()
    assert "<script>alert" not in html
    found = links(member, quote(path))
    assert len(found) == 5
    for address in found.values():
        response = member.get(address)
        assert response.status_code in (200, 302), address
        assert "<script>alert" not in response.content.decode()


def test_a_file_of_very_many_references_is_still_shown(
    member: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    file = File.objects.get(path="main.py")
    lines = 20_000
    file.content = "call(1)\n" * lines
    file.save()
    Reference.objects.filter(file=file).delete()
    Reference.objects.bulk_create(
        Reference(
            repository_id=file.repository_id, file=file, ecosystem="pypi", kind="call", name="call",
            binding="free", root="call", chain="", access="path", caller="", line=line, column=0,
        )
        for line in range(1, lines + 1)
    )  # fmt: skip
    member.get("/o/acme/r/app/file/main.py")  # the first answer asks for more
    with django_assert_max_num_queries(13):
        html = member.get("/o/acme/r/app/file/main.py").content.decode()
    assert html.count("/reference/main.py/") == lines
