"""Commits and changed lines on the search page."""

import re
from html import unescape

import pytest
from django.test import Client

from central.corpus.authors import set_author_policy
from indexer.records.authors import AuthorPolicy
from tests.central.commits import change, commit, identity, store_commits
from tests.central.factories import MembershipFactory
from tests.central.search.corpus import index_repository, organization_of

HUNKS = "@@ -3,1 +3,2 @@\n-    return <old>\n+    for _ in range(3):\n+        retry()\n"

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(client: Client) -> Client:
    acme = organization_of("acme")
    set_author_policy(acme, AuthorPolicy.PLAIN, actor="test")
    auth = index_repository(acme, "auth", {"src/client.py": "def send():\n    pass\n"})
    store_commits(
        auth,
        "Merge retries",
        commit("Begin", at=1_793_491_200),
        commit(
            "Retry <b>requests</b>",
            "Begin",
            at=1_793_577_600,
            author="ann@acme.example",
            changes=[change("src/client.py", hunks=HUNKS)],
            body="They are idempotent.",
        ),
        commit("Merge retries", "Begin", "Retry <b>requests</b>", at=1_793_664_000),
    )
    client.force_login(MembershipFactory(organization=acme).user)
    return client


def hits(client: Client, query: str) -> list[str]:
    response = client.get("/o/acme/", {"q": query})
    assert response.status_code == 200
    return re.findall(r'<article class="hit".*?</article>', response.content.decode(), re.DOTALL)


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).split())


def test_a_changed_line_has_its_sign_its_commit_and_the_merge(member: Client) -> None:
    [hit] = hits(member, "type:diff retry author:ann")
    shown = text_of(hit)
    assert "Retry <b>requests</b>" in shown
    assert "committed 2026-11-02 by ann@acme.example" in shown
    assert f"in merge {identity('Merge retries')[:10]}" in shown
    assert '<span class="code-number">4</span>+ ' in hit
    assert 'class="code-line is-added"' in hit
    assert "<mark>retry</mark>" in hit
    assert 'href="/o/acme/r/auth/history/src/client.py"' in hit
    assert (
        f'href="https://forge.example/acme/auth/commit/{identity("Retry <b>requests</b>")}"' in hit
    )
    assert "data-result" in hit
    page = text_of(member.get("/o/acme/", {"q": "type:diff retry"}).content.decode())
    assert "1 match in 1 changed file" in page
    page = text_of(member.get("/o/acme/", {"q": "type:commit"}).content.decode())
    assert "3 commits" in page
    [removed] = hits(member, 'type:diff "<old>"')
    assert "&minus; " in removed
    assert "&lt;old&gt;" in removed


def test_commits_by_words_lead_to_the_history_of_their_repository(member: Client) -> None:
    first, *_ = hits(member, "type:commit retry requests")
    assert "Retry <b>requests</b>" in text_of(first)
    assert "1 path" in text_of(first)
    assert "Message of" in text_of(first)
    assert "They are idempotent." in first
    [other] = hits(member, "type:commit before:2026-11-02")
    assert "Message" not in other


def test_a_bad_date_is_pointed_at(member: Client) -> None:
    response = member.get("/o/acme/", {"q": "type:commit before:soon"})
    assert response.status_code == 400
    assert "is no date" in unescape(response.content.decode())
