"""Code links, panels and pages of symbols on a branch: they are of it, and lead back to it."""

import re
from html import unescape

import pytest
from django.test import Client

from tests.central.admin import signed_in
from tests.central.branches import Service
from tests.central.factories import MembershipFactory
from tests.central.search.branches.pushed import service_of

pytestmark = pytest.mark.django_db

MAIN = {"pay.py": "def charge():\n    return 1\n"}
RELEASE = {
    "old/pay.py": "def refund():\n    '''Give it back.'''\n    return 1\n\n\n"
    "def charge():\n    return refund()\n"
}
ON = "?ref=release%2F1"
OF = "/o/acme/r/shop"


@pytest.fixture
def service() -> Service:
    """A repository whose release branch has a function of its own."""
    made = service_of()
    made.push("main", MAIN)
    made.push("release/1", RELEASE)
    return made


@pytest.fixture
def member(service: Service) -> Client:
    """A member of acme."""
    return signed_in(MembershipFactory.create(organization=service.api.organization).user)


def page(member: Client, address: str) -> str:
    answer = member.get(address)
    assert answer.status_code == 200, answer.content
    return unescape(answer.content.decode())


def test_names_of_a_file_lead_to_what_they_mean_on_the_branch(member: Client) -> None:
    html = page(member, f"{OF}/file/old/pay.py{ON}")
    assert f'data-panels-query="{ON}"' in html
    [reference] = re.findall(rf'href="({OF}/reference/[^"]*)"', html)
    assert reference.endswith(f"/7/11{ON}")
    answer = member.get(reference)
    assert (answer.status_code, answer["Location"]) == (302, f"{OF}/file/old/pay.py{ON}#L1")
    assert member.get(reference.removesuffix(ON)).status_code == 404


def test_the_panel_of_a_name_is_of_the_branch(member: Client) -> None:
    panel = page(member, f"{OF}/name/old/pay.py/7/11{ON}")
    assert "Give it back." in panel
    assert f"{OF}/file/old/pay.py{ON}#L7" in panel
    assert member.get(f"{OF}/name/old/pay.py/7/11").status_code == 404


def test_callers_and_the_graph_of_a_definition_are_of_the_branch(member: Client) -> None:
    named = "?name=refund&project=shop&ref=release/1"
    html = page(member, f"/o/acme/symbol{named}")
    assert f"{OF}/file/old/pay.py{ON}#L7" in html
    assert "/o/acme/symbol?name=charge&project=shop&file=old%2Fpay.py&ref=release%2F1" in html
    assert 'value="release/1"' in html
    assert f"{OF}/file/old/pay.py{ON}#L7" in page(member, f"/o/acme/graph{named}")
    assert member.get("/o/acme/symbol?name=refund&project=shop").status_code == 404
    assert member.get("/o/acme/symbol?name=refund&ref=release/1").status_code == 400
