"""The panel on an identifier: what it means, its documentation, its uses by repository."""

import re
from textwrap import dedent

import pytest
from django.test import Client

from central.corpus.models import File
from central.repositories.models import Repository, Visibility
from central.tenancy.models import Membership
from central.web.name_panel import PANEL_LINKS, PANEL_PROJECTS
from tests.central.factories import MembershipFactory
from tests.central.trace.corpus import organization_of, repository

pytestmark = pytest.mark.django_db

KIT = dedent('''\
    def sign(text: str) -> str:
        """Sign a text.

        <b>Twice.</b>
        """
        return text
    ''')
MAIN = (
    "from acme_kit import sign\n\ndef main(other):\n    sign(1)\n    other.verify()\n    helper()\n"
)
PYPROJECT = '[project]\nname = "acme-kit"\nversion = "1"\n'
USER = '[project]\nname = "{name}"\nversion = "1"\ndependencies = ["acme-kit"]\n'


@pytest.fixture
def member(client: Client) -> Client:
    """A signed-in member of acme, whose repositories use a package of another one."""
    repository("kit", {"pyproject.toml": PYPROJECT, "acme_kit/__init__.py": KIT})
    for name in ("app", "web"):
        repository(name, {"pyproject.toml": USER.format(name=name), "main.py": MAIN})
    client.force_login(MembershipFactory.create(organization=organization_of()).user)
    return client


def panel(client: Client, place: str, *, project: str = "app", status: int = 200) -> str:
    response = client.get(f"/o/acme/r/{project}/name/{place}")
    assert response.status_code == status
    html = response.content.decode()
    assert html.startswith('<div class="panel-body" data-panel>')
    return html


def text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", "", html))


def test_a_reference_shows_signature_documentation_and_uses(member: Client) -> None:
    html = panel(member, "main.py/4/4")
    assert "def sign(text: str) -&gt; str" in text(html)
    assert "Sign a text.\n\n&lt;b&gt;Twice.&lt;/b&gt;" in html
    assert 'href="/o/acme/r/kit/file/acme_kit/__init__.py#L1"' in html
    assert "2 uses in 2 repositories" in text(html)
    projects = re.findall(r"<strong>(\w+)</strong> <span class=\"muted\">(\d+)", html)
    assert projects == [("app", "1"), ("web", "1")], "its own repository comes first"
    assert 'href="/o/acme/r/web/file/main.py#L4">main.py:4</a>' in html
    assert "in main" in text(html)


def test_a_definition_shows_itself(member: Client) -> None:
    html = panel(member, "acme_kit/__init__.py/1/4", project="kit")
    assert "sign defined here" in text(html)
    assert "2 uses in 2 repositories" in text(html)


def test_a_name_without_a_definition_says_why(member: Client) -> None:
    assert "neither defines nor imports “helper”" in panel(member, "main.py/6/4")
    assert "of which class the value is" in panel(member, "main.py/5/10")


@pytest.mark.parametrize("place", ["main.py/2/0", "main.py/99/0", "main.py/1/99", "no.py/1/1"])
def test_a_place_without_a_name_is_not_found_and_says_so(member: Client, place: str) -> None:
    html = panel(member, place, status=404)
    assert "Nothing is known of this name." in html
    assert "<a " not in html


def test_uses_in_a_hidden_repository_are_in_no_count(member: Client) -> None:
    Repository.objects.exclude(name="web").update(visibility=Visibility.PUBLIC)
    Repository.objects.filter(name="web").update(visibility=Visibility.PRIVATE)
    Membership.objects.update(visibilities=[Visibility.PUBLIC])
    html = panel(member, "main.py/4/4")
    assert "1 use in 1 repository" in text(html)
    assert "web" not in html
    panel(member, "main.py/4/4", project="web", status=404)


def test_a_popular_name_is_listed_in_part_and_counted_whole(member: Client) -> None:
    calls = "from acme_kit import sign\n" + "sign(1)\n" * (PANEL_LINKS + 3)
    for number in range(PANEL_PROJECTS):
        name = f"user{number}"
        repository(name, {"pyproject.toml": USER.format(name=name), "main.py": calls})
    html = panel(member, "main.py/4/4")
    count = 2 + PANEL_PROJECTS * (PANEL_LINKS + 3)
    assert f"{count} uses in {PANEL_PROJECTS + 2} repositories" in text(html)
    assert html.count("and 3 more</li>") == PANEL_PROJECTS - 1
    assert "and 2 more repositories" in html


def test_a_hostile_path_changes_nothing_but_its_text(member: Client) -> None:
    File.objects.filter(path="main.py").update(path='"><script>alert(1)<')
    html = panel(member, "%22%3E%3Cscript%3Ealert(1)%3C/4/4")
    assert "<script>" not in html


def test_the_page_of_a_file_names_where_its_panels_are(member: Client) -> None:
    html = member.get("/o/acme/r/app/file/main.py").content.decode()
    assert 'data-panels="/o/acme/r/app/name/main.py/"' in html
