"""The page of a node: its text and its links, as a picture and a table."""

import re
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone

from central.knowledge.models import Document
from central.web import knowledge_drawing
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import ADR, created, linked
from tests.central.knowledge.test_policies import CALM, NO_PANIC, PANICS
from tests.central.protocol import Api, api_of
from tests.central.web.knowledge import FILE, START, ids, main, node_page, page

pytestmark = pytest.mark.django_db

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</pre><script>alert(1)</script>\u202egnp.exe\x1b[31m"


@pytest.fixture
def api() -> Api:
    return api_of()


def labels(html: str) -> list[str]:
    """Of the boxes of a picture."""
    found = re.search(r"<svg class=\"graph\".*?</svg>", html, re.DOTALL)
    assert found
    svg = ElementTree.fromstring(found[0])  # noqa: S314 # of our own making
    return sorted(one.text or "" for one in svg.iterfind(f".//{SVG}text[@class='node-name']"))


def test_a_decision_is_shown_with_its_text_and_its_links(api: Api, member: Client) -> None:
    index_files(api, {"src/main.rs": CALM})
    created(api, **ADR, status="accepted", author="Ada", properties={"deciders": ["Ada", "Bo"]})
    created(api, kind="memory", id="mem-1", title="Learnt while writing it")
    linked(api, START, "implements", "ADR-042", weight=0.5)
    linked(api, "ADR-042", "related_to", "mem-1")
    html = node_page(member, "ADR-42")
    text = main(html)
    for part in ("ADR-042 Use PostgreSQL", "accepted", "Author Ada", 'deciders ["Ada", "Bo"]'):
        assert part in text
    assert "Everything is *there*." in html
    assert "this related to mem-1 memory Learnt while writing it" in text
    assert "start definition shop/src/main.rs implements this" in text
    assert re.search("linked by token .*, weight 0.50", text)
    assert 'href="/o/acme/knowledge/code:shop/src/main.rs%23start"' in html
    assert labels(html) == ["ADR-042", "mem-1", "start"]


def test_a_policy_is_shown_with_its_rule_and_what_violates_it(api: Api, member: Client) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS})
    text = main(node_page(member, "POL-1"))
    for part in (
        "Severity error",
        "Message Return an error instead.",
        "Language rust",
        "Holds for every path",
        "But not for tests/",
        "rule: {pattern: 'panic!($$$)'}",
        'violates this the rule matches line 3: panic!("now")',
    ):
        assert part in text


def test_a_memory_without_links_says_so(api: Api, member: Client) -> None:
    created(api, kind="memory", id="mem-1", title="Alone")
    html = node_page(member, "mem-1")
    assert "Nothing is linked to this node yet." in html
    assert "<svg class=" not in html


def test_more_levels_are_links_and_kept(api: Api, member: Client) -> None:
    for name in ("mem-1", "mem-2", "mem-3"):
        created(api, kind="memory", id=name, title=name)
    linked(api, "mem-1", "related_to", "mem-2")
    linked(api, "mem-2", "related_to", "mem-3")
    assert labels(node_page(member, "mem-1")) == ["mem-1", "mem-2"]
    html = node_page(member, "mem-1", depth=2)
    assert labels(html) == ["mem-1", "mem-2", "mem-3"]
    assert 'href="/o/acme/knowledge/mem-2?depth=2"' in html
    node_page(member, "mem-1", 400, depth=6)


def test_a_file_leads_to_its_page_and_has_the_links_of_its_definitions(
    api: Api, member: Client
) -> None:
    index_files(api, {"src/main.rs": CALM})
    created(api, **ADR)
    linked(api, START, "implements", "ADR-042")
    html = node_page(member, FILE)
    assert 'href="/o/acme/r/shop/file/src/main.rs">Read it<' in html
    assert labels(html) == ["ADR-042", "main.rs", "start"]
    assert "start definition shop/src/main.rs implements ADR-042" in main(html)


def test_a_definition_leads_to_its_symbol(api: Api, member: Client) -> None:
    index_files(api, {"src/main.rs": CALM})
    html = node_page(member, f"{FILE}#L2-L3")
    assert 'href="/o/acme/r/shop/file/src/main.rs#L1"' in html
    assert "/o/acme/symbol?name=start&amp;project=shop&amp;file=src%2Fmain.rs&amp;line=1" in html


def test_a_directory_leads_to_a_search_below_it(api: Api, member: Client) -> None:
    index_files(api, {"src/main.rs": CALM})
    html = node_page(member, "code:shop/src")
    assert 'href="/o/acme/?project=shop&amp;path=src%2F"' in html
    assert "Read it" not in html


def test_code_that_is_gone_is_said_to_be_missing(api: Api, member: Client) -> None:
    index_files(api, {"src/main.rs": CALM})
    created(api, **ADR)
    linked(api, START, "implements", "ADR-042")
    index_files(api, {"other.rs": PANICS})
    assert "start definition missing" in main(node_page(member, "ADR-042"))
    html = node_page(member, START)
    assert "This code is no longer in the index." in html
    assert "Read it" not in html


def test_an_archived_decision_says_so_wherever_it_is_shown(api: Api, member: Client) -> None:
    created(api, **ADR)
    created(api, kind="memory", id="mem-1", title="Of it")
    linked(api, "mem-1", "derived_from", "ADR-042")
    Document.objects.filter(public_id="ADR-042").update(archived_at=timezone.now())
    assert "Archived. Its file was deleted" in main(node_page(member, "ADR-042"))
    assert "ADR-042 knowledge archived" in main(node_page(member, "mem-1"))
    assert "archived" in page(member, "knowledge", q="ADR")


def test_an_ambiguous_id_is_answered_with_all_that_it_may_mean(api: Api, member: Client) -> None:
    for project in ("shop", "billing"):
        api.index({"a.py": "x\n"}, project=project)
        created(api, **ADR, project=project)
    html = node_page(member, "ADR-42")
    assert "ADR-42 may mean 2 nodes" in main(html)
    assert ids(html) == ["billing/ADR-042", "shop/ADR-042"]
    code = node_page(member, "code:a.py")
    assert 'href="/o/acme/knowledge/code:billing/a.py"' in code


def test_an_unknown_id_is_not_found_and_near_ones_are_offered(api: Api, member: Client) -> None:
    created(api, **ADR)
    html = node_page(member, "ADR-99", 404)
    assert "There is no node ADR-99." in html
    assert 'href="/o/acme/knowledge/ADR-042"' in html
    node_page(member, "??", 400)


def test_hostile_text_is_text_and_turns_nothing_about(api: Api, member: Client) -> None:
    hostile = f"{HOSTILE}{'x' * 200}"
    created(
        api,
        kind="memory",
        id="mem-1",
        title=hostile,
        body=f"{hostile}\n\tsecond",
        status="<b>",
        author=HOSTILE[:60],
        properties={HOSTILE: [HOSTILE], "long": "y" * 9_000},
    )
    created(api, kind="memory", id="mem-2", title="Other")
    linked(api, "mem-1", "related_to", "mem-2", properties={"why": HOSTILE, "list": [1, "<i>"]})
    for html in (
        page(member, "knowledge"),
        node_page(member, "mem-1"),
        node_page(member, "mem-2"),
        node_page(member, HOSTILE, 400),
    ):
        assert "<script>alert" not in html
        assert not set(html) & {"\u202e", "\x1b"}
        assert not re.search(r"<(b|i)>", html)
    html = node_page(member, "mem-1")
    assert "\n\tsecond</pre>" in html
    assert html.count("y") < 2_000
    labels(html)  # well formed


def test_nothing_in_the_page_needs_inline_styles_or_scripts(api: Api, member: Client) -> None:
    created(api, **ADR)
    created(api, kind="memory", id="mem-1", title="Of it")
    linked(api, "mem-1", "derived_from", "ADR-042")
    html = node_page(member, "ADR-042")
    assert " style=" not in html
    assert not re.search(r"\son\w+=", html)
    assert not re.search(r"<script(?![^>]*\ssrc=)", html)


def test_of_very_many_links_the_nearest_are_shown_and_the_rest_is_counted(
    api: Api, member: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge_drawing, "_NODES", 8)
    created(api, **ADR)
    index_files(api, {f"src/{name}.rs": CALM for name in range(13)})
    for name in range(13):
        linked(api, f"code:shop/src/{name}.rs", "implements", "ADR-042")
    html = node_page(member, "ADR-042")
    assert len(labels(html)) == 8
    assert "the picture leaves out 6 nodes" in main(html)
    assert html.count("<tr>") > 13
