"""The commits of lines on a file's page, and the history of a definition."""

import re

import pytest
from django.test import Client

from central.corpus.models import File, Symbol
from central.repositories.models import Repository
from tests.central.commits import change, commit, identity, store_commits
from tests.central.factories import FileFactory, MembershipFactory, RepositoryFactory

CODE = "def first():\n    return 10\n\n\ndef second():\n    return 2\n"
HOSTILE = '"><script>alert(1)</script>'

pytestmark = pytest.mark.django_db


@pytest.fixture
def repository() -> Repository:
    """A file of three commits, of which the lines of the oldest are not stored."""
    repository = RepositoryFactory.create(
        organization__slug="acme",
        name="kit",
        generation=1,
        last_indexed_commit=identity("Second"),
        web_url="https://forge.example/acme/kit",
    )
    file: File = FileFactory.create(repository=repository, path="a b.py", content=CODE)
    for name, line in (("first", 1), ("second", 5)):
        Symbol.objects.create(
            repository=repository, file=file, name=name, qualified_name=name, kind="function",
            start_line=line, end_line=line + 1, signature="", exported=True, parts=[name],
        )  # fmt: skip
    ten = change("a b.py", hunks="@@ -2 +2 @@\n-    return 1\n+    return 10\n")
    second = change("a b.py", hunks="@@ -5,0 +5,2 @@\n+def second():\n+    return 2\n")
    store_commits(
        repository,
        "Second",
        commit(HOSTILE, "Begin", at=86_400, changes=[ten]),
        commit("Second", HOSTILE, at=2 * 86_400, changes=[second]),
    )
    return repository


@pytest.fixture
def member(client: Client, repository: Repository) -> Client:
    """A signed-in member of acme."""
    client.force_login(MembershipFactory(organization=repository.organization).user)
    return client


def page(client: Client, address: str) -> str:
    response = client.get(f"/o/acme/r/kit/{address}")
    assert response.status_code == 200
    return response.content.decode()


def test_lines_have_their_commits_if_asked_for(member: Client) -> None:
    plain = page(member, "file/a%20b.py")
    assert 'class="blame"' not in plain
    assert 'href="?blame=1"' in plain
    html = page(member, "file/a%20b.py?blame=1")
    begin = r'<span class="code-line" id="L\d">(.*?)<a class="code-number"'
    rows = re.findall(begin, html, re.DOTALL)
    assert [re.sub("<[^>]*>", "", row) for row in rows] == [
        "not known",
        f"{identity(HOSTILE)[:10]} 1970-01-02",
        "not known",
        "",
        f"{identity('Second')[:10]} 1970-01-03",
        "",
    ]
    assert f'href="https://forge.example/acme/kit/commit/{identity("Second")}"' in rows[4]
    assert 'title="Second\n' in html
    assert "<script>alert" not in html
    assert "older than the commits that are stored" in html


def test_a_definition_has_a_page_of_its_commits(member: Client) -> None:
    html = page(member, "history/a%20b.py?symbol=second")
    assert re.findall(r"<h2><a[^>]*><bdi>(.*?)</bdi>", html) == ["Second"]
    assert "All commits of the file" in html
    symbol = member.get("/o/acme/symbol?name=second").content.decode()
    assert 'href="/o/acme/r/kit/history/a%20b.py?symbol=second"' in symbol
    refused = member.get("/o/acme/r/kit/history/a%20b.py?symbol=third")
    assert refused.status_code == 404
    assert "it defines first, second" in refused.content.decode()
