"""Pages of a branch: what they show, that their links stay on it, and what is refused."""

import re
from html import unescape

import pytest
from django.test import Client

from central.repositories.models import Branch, Repository
from tests.central.admin import signed_in
from tests.central.branches import Service
from tests.central.factories import MembershipFactory
from tests.central.protocol import api_of, commit_of

pytestmark = pytest.mark.django_db

POLICY = 'branches = ["release/*"]\n'
MAIN = {".codesearch.toml": POLICY, "a.py": "one\n", "kit/b.py": "two\n"}
RELEASE = {".codesearch.toml": POLICY, "a.py": "three\n", "old/c.py": "one\n"}
COMMIT = commit_of({**RELEASE, "of": "release/1"})[:10]
ON = "?ref=release%2F1"
OF = "/o/acme/r/shop"
_LINK = re.compile(r'href="(/o/acme/r/shop[^"]*|\?[^"]*)"')


@pytest.fixture
def service() -> Service:
    """A repository with a release branch that differs from main."""
    made = Service(api_of())
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
    return answer.content.decode()


def links(html: str) -> set[str]:
    return set(map(unescape, _LINK.findall(html)))


def test_a_file_of_a_branch_is_shown_with_its_commit(member: Client) -> None:
    html = page(member, f"{OF}/file/a.py{ON}")
    assert "three" in html
    assert COMMIT in html
    assert "of release/1, indexed" in html
    assert "three" not in page(member, f"{OF}/file/a.py")


@pytest.mark.parametrize("address", ["", "/tree", "/tree/old", "/file/old/c.py", "/find"])
def test_links_of_a_branch_stay_on_it_but_for_those_to_another(
    member: Client, address: str
) -> None:
    found = links(page(member, f"{OF}{address}{ON}"))
    off = {link for link in found if "ref=release%2F1" not in link}
    assert off == {"?"}  # to the default branch
    assert not [link for link in found if "/history" in link or "blame" in link]


def test_each_page_leads_to_the_same_page_of_each_branch(member: Client) -> None:
    for address in ("", "/tree", "/file/a.py", "/find?q=a"):
        found = links(page(member, f"{OF}{address}"))
        assert [link for link in found if "ref=release%2F1" in link], address
    assert "?q=a&ref=release%2F1" in links(page(member, f"{OF}/find?q=a"))
    assert 'aria-current="true">release/1' in page(member, f"{OF}/tree{ON}")


def test_directories_the_finder_and_raw_text_are_of_the_branch(member: Client) -> None:
    html = page(member, f"{OF}/tree{ON}")
    assert "old/" in html
    assert "kit/" not in html
    assert "old/c.py" in page(member, f"{OF}/find{ON}&q=c.py")
    assert member.get(f"{OF}/raw/a.py{ON}").content == b"three\n"


def test_the_page_of_a_repository_lists_its_branches(member: Client) -> None:
    Branch.objects.update(trouble="failed", trouble_detail="No <disk>.")
    html = page(member, OF)
    assert html.count('<span class="muted mono">release/1</span>') == 1  # of its run
    assert "No &lt;disk&gt;." in html
    assert COMMIT in html
    Repository.objects.update(generation=9)
    html = page(member, OF)
    assert "not indexed until its next run" in html
    assert "ref=release" not in html


@pytest.mark.parametrize(
    ("address", "status"),
    [
        (f"{OF}/file/kit/b.py{ON}", 404),
        (f"{OF}/file/a.py?ref=release/2", 404),
        (f"{OF}/tree?ref=release/*", 404),
        (f"{OF}/tree?ref=%00", 404),
        (f"{OF}?ref={'x' * 5000}", 404),
        (f"{OF}/file/a.py{ON}&blame=1", 400),
        (f"{OF}/history{ON}", 400),
        (f"/o/acme/r/other{ON}", 404),
        ("/o/acme/r/%00?ref=release/1", 404),
    ],
)
def test_what_a_branch_does_not_have_is_refused(member: Client, address: str, status: int) -> None:
    assert member.get(address).status_code == status


def test_a_permalink_of_a_branch_is_of_its_commit(member: Client) -> None:
    assert "three" in page(member, f"{OF}/file/a.py{ON}&commit={COMMIT}")
    moved = page(member, f"{OF}/file/a.py{ON}&commit={'0' * 40}")
    assert f"{OF}/file/a.py{ON}" in moved
    assert "not the indexed one" in page(member, f"{OF}/file/a.py?commit={COMMIT}")


def test_a_search_on_branches_leads_to_the_files_of_them(member: Client) -> None:
    html = page(member, '/o/acme/?q="three"&ref=release/1')
    assert f'href="{OF}/file/a.py{ON}#L1' in html
    assert "&amp;commit=" in html
    assert 'value="release/1"' in html
    assert "No line" not in html
    assert "/file/a.py" not in page(member, '/o/acme/?q="three"')
    assert "?project=shop&ref=release%2F1" in unescape(page(member, f"{OF}/tree{ON}")).replace(
        "release/1", "release%2F1"
    )


def test_a_repository_without_branches_says_nothing_of_them(member: Client) -> None:
    Branch.objects.all().delete()
    for address in ("", "/tree", "/file/a.py", "/find"):
        assert "Branches" not in page(member, f"{OF}{address}")
