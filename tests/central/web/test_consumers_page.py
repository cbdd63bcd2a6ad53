"""The page of a repository's consumers."""

import re

import pytest
from django.test import Client

from central.trace.stored.follower import CallEdges
from tests.central.factories import MembershipFactory
from tests.central.trace.corpus import organization_of, pyproject, repository

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(client: Client) -> Client:
    """Somebody signed in, a library, a consumer that lags, and one that does not."""
    client.force_login(MembershipFactory.create(organization=organization_of()).user)
    core = "def run(): ...\ndef rest(): ..."
    calls = "from lib.core import run\nrun()"
    repository("lib", {"pyproject.toml": pyproject("lib", version="2.0"), "lib/core.py": core})
    rules = "* @acme/apps jane@acme.example"
    files = {"pyproject.toml": pyproject("app", "lib==1.5"), "app.py": calls, "CODEOWNERS": rules}
    repository("app", files)
    repository("job", {"pyproject.toml": pyproject("job", "lib==2.0"), "job.py": "import lib.core"})
    while CallEdges().update(organization_of().pk):
        pass
    return client


def page(client: Client, address: str) -> str:
    response = client.get(f"/o/acme/r/{address}")
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def rows(html: str) -> list[str]:
    """The text of each row of the page's tables behind the receipt's, without their heads."""
    found = [part.partition("</tr>")[0] for part in html.partition("</details>")[2].split("<tr>")]
    texts = [re.sub(r"<[^>]+>", " ", one) for one in found if '<th scope="row">' in one]
    return [re.sub(r"\s+", " ", one).strip() for one in texts]


def test_consumers_are_listed_with_versions_above_what_they_use_most(member: Client) -> None:
    html = page(member, "lib/consumers")
    assert rows(html) == [
        "app lib 1.5 indexed 2.0 lags 1 1 run 1 @acme/apps , jane@acme.example",
        "job lib 2.0 indexed 2.0 0 1 no owner",
        "run lib/core.py:1 1 1 app 1",
    ]
    assert 'href="/o/acme/symbol?name=run&amp;project=lib&amp;file=lib%2Fcore.py"' in html


def test_a_link_leaves_only_those_with_an_older_version(member: Client) -> None:
    html = page(member, "lib/consumers")
    assert '<a href="?lags_only=true">1 with an older version</a>' in html
    assert rows(page(member, "lib/consumers?lags_only=true"))[0].startswith("app")
    assert "job" not in rows(page(member, "lib/consumers?lags_only=true"))[1]


def test_without_consumers_the_page_says_so(member: Client) -> None:
    html = page(member, "app/consumers")
    assert "No other repository that you may see uses it, or asks for it." in html


def test_the_page_of_a_repository_leads_there(member: Client) -> None:
    assert 'href="/o/acme/r/lib/consumers">Consumers</a>' in page(member, "lib")
