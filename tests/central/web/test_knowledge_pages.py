"""Documents in a list, violations of a project, and what files and symbols say of both."""

import re
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from central.knowledge.models import Document, PolicyCheck
from central.knowledge.services.catch_up import KnowledgeGraph
from tests.central.factories import MembershipFactory
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import ADR, created, linked
from tests.central.knowledge.test_policies import CALM, NO_PANIC, PANICS
from tests.central.protocol import Api, api_of
from tests.central.web.knowledge import FILE, START, ids, main, node_page, page

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    return api_of()


@pytest.fixture
def limited(api: Api) -> Client:
    """Somebody of acme who sees the repository billing alone."""
    membership = MembershipFactory.create(organization=api.organization, repositories=["billing"])
    client = Client()
    client.force_login(membership.user)
    return client


# --- The list ----------------------------------------------------------------------------------


def test_documents_are_listed_by_id_and_lead_to_their_pages(api: Api, member: Client) -> None:
    created(api, kind="memory", id="mem-1", title="Sign-in is retried twice")
    created(api, **ADR, status="accepted")
    html = page(member, "knowledge")
    assert ids(html) == ["ADR-042", "mem-1"]
    assert 'href="/o/acme/knowledge/ADR-042"' in html
    assert "Use PostgreSQL" in html
    assert "accepted" in html


def test_a_list_is_narrowed_by_its_address(
    api: Api, member: Client, subtests: pytest.Subtests
) -> None:
    api.index({"a.py": "x\n"})
    created(api, **ADR)
    created(api, kind="knowledge", id="ADR-1", title="Local", project="shop")
    created(api, kind="memory", id="mem-1", title="Something")
    Document.objects.filter(public_id="mem-1").update(archived_at=timezone.now())
    everything = ["shop/ADR-1", "ADR-042", "mem-1"]
    cases: tuple[tuple[dict[str, str], list[str]], ...] = (
        ({"kind": "memory"}, ["mem-1"]),
        ({"q": "postgres"}, ["ADR-042"]),
        ({"q": "MEM-"}, ["mem-1"]),
        ({"project": "shop"}, ["shop/ADR-1"]),
        ({"archived": "true"}, ["mem-1"]),
        ({"archived": "false"}, ["shop/ADR-1", "ADR-042"]),
        ({"kind": "", "q": " ", "project": "", "archived": ""}, everything),
        ({"kind": "policy"}, []),
    )
    for query, expected in cases:
        with subtests.test(query=query):
            html = page(member, "knowledge", **query)
            assert ids(html) == expected
            assert ("No matches" in html) is not bool(expected)


def test_a_long_list_has_further_pages_that_keep_the_filters(api: Api, member: Client) -> None:
    for number in range(51):
        created(api, kind="memory", id=f"mem-{number + 100}", title=f"Memory {number}")
    html = page(member, "knowledge", kind="memory")
    assert len(ids(html)) == 50
    (following,) = re.findall(r'href="([^"]*)" rel="next"', html)
    assert "kind=memory" in following
    rest = member.get(f"/o/acme/knowledge{unescape(following)}").content.decode()
    assert ids(rest) == ["mem-150"]
    assert 'href="?kind=memory">First page</a>' in rest


@pytest.mark.parametrize("query", [{"cursor": "x"}, {"kind": "code_file"}, {"archived": "maybe"}])
def test_a_list_that_cannot_be_asked_for_is_refused(member: Client, query: dict[str, str]) -> None:
    page(member, "knowledge", 400, **query)


def test_a_list_of_an_unknown_repository_is_not_found(member: Client) -> None:
    assert "There is no such repository for you" in page(member, "knowledge", 404, project="nope")


def test_an_empty_list_says_where_documents_come_from(member: Client, limited: Client) -> None:
    html = page(member, "knowledge")
    assert "No documents yet" in html
    assert "docs/adr" in html
    assert "Documents without a repository" not in html
    assert "Documents without a repository" in page(limited, "knowledge")


def test_a_limited_member_sees_what_belongs_to_the_own_repositories(
    api: Api, limited: Client
) -> None:
    index_files(api, {"src/main.rs": PANICS})
    index_files(api, {"src/main.rs": PANICS}, project="billing")
    created(api, **ADR)
    created(api, kind="memory", id="mem-1", title="Secret", project="shop")
    created(api, kind="memory", id="mem-2", title="Of billing", project="billing")
    linked(api, "billing/mem-2", "related_to", START)
    assert ids(page(limited, "knowledge")) == ["billing/mem-2"]
    for hidden in ("ADR-042", "shop/mem-1", START):
        assert "Secret" not in node_page(limited, hidden, 404)
    html = node_page(limited, "billing/mem-2")
    assert "Nothing is linked to this node yet" in html
    assert "shop" not in html
    page(limited, "r/shop/violations", 404)


# --- Violations --------------------------------------------------------------------------------


def test_violations_have_lines_and_text_and_lead_to_them(api: Api, member: Client) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS})
    html = page(member, "r/shop/violations")
    text = main(html)
    assert "start src/main.rs POL-1 No panic!() in production code" in text
    assert 'error line 3 panic!("now")' in text
    assert 'href="/o/acme/r/shop/file/src/main.rs#L3"' in html
    assert 'href="/o/acme/knowledge/POL-1"' in html
    assert "complete" in text
    assert 'href="/o/acme/r/shop/violations">Policies</a>' in page(member, "r/shop")


def test_many_violations_have_further_pages(api: Api, member: Client) -> None:
    created(api, **NO_PANIC)
    index_files(api, {f"src/{number:03}.rs": PANICS for number in range(51)})
    html = page(member, "r/shop/violations")
    assert len(re.findall(r"data-result", html)) == 50
    (following,) = re.findall(r'href="([^"]*)" rel="next"', html)
    rest = member.get(f"/o/acme/r/shop/violations{unescape(following)}").content.decode()
    assert "src/050.rs" in rest
    assert "First page" in rest


def test_without_violations_it_is_said_why(api: Api, member: Client) -> None:
    index_files(api, {"src/main.rs": CALM})
    assert "There are no policies yet." in page(member, "r/shop/violations")
    created(api, **NO_PANIC)
    KnowledgeGraph().follow()
    html = page(member, "r/shop/violations")
    assert "No code of this project violates the policy for its languages." in html


def test_files_that_took_too_much_are_counted(api: Api, member: Client) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": CALM})
    PolicyCheck.objects.update(over_limit=["a.rs", "b.rs"])
    assert "2 files took too much time or memory" in page(member, "r/shop/violations")


def test_a_policy_that_is_not_run_is_named_with_the_reason(api: Api, member: Client) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": CALM})
    assert "not run" not in main(page(member, "r/shop")) + main(node_page(member, "POL-1"))
    PolicyCheck.objects.update(not_run="It has too many values. Shorten it.")
    assert "Not run in shop. It has too many values. Shorten it." in main(
        node_page(member, "POL-1")
    )
    assert "POL-1 No panic!() in production code is not run. It has too many values." in main(
        page(member, "r/shop/violations")
    )
    assert "1 policy is not run here : POL-1." in main(page(member, "r/shop"))


def test_what_is_not_linked_yet_is_said_in_words(api: Api, member: Client) -> None:
    api.index({"a.py": "x\n"})
    assert "not linked yet" in main(page(member, "r/shop/violations"))


def test_violations_of_an_unknown_project_are_not_found(member: Client) -> None:
    assert "There is no such repository for you" in page(member, "r/nope/violations", 404)


# --- Files and symbols -------------------------------------------------------------------------


def section(html: str) -> str:
    found = re.search(r'<section class="card about".*?</section>', html, re.DOTALL)
    return main(f"<main>{found[0]}</main>") if found else ""


def test_a_file_s_page_says_what_was_written_about_it(api: Api, member: Client) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS, "src/calm.rs": CALM})
    created(api, **ADR, status="accepted")
    created(api, kind="memory", id="mem-1", title="Of all of it")
    created(api, kind="memory", id="mem-2", title="Of another file")
    linked(api, START, "implements", "ADR-042")
    linked(api, "mem-1", "derived_from", "code:shop/src")
    linked(api, "mem-2", "derived_from", "code:shop/src/calm.rs")
    html = page(member, "r/shop/file/src/main.rs")
    text = section(html)
    assert "knowledge ADR-042 Use PostgreSQL implements, accepted" in text
    assert "memory mem-1 Of all of it derived from" in text
    assert "mem-2" not in text
    assert "violated here POL-1 No panic!() in production code policy, error : line 3" in text
    assert "Return an error instead." in text
    assert 'href="/o/acme/r/shop/file/src/main.rs#L3"' in html
    calm = section(page(member, "r/shop/file/src/calm.rs"))
    assert "holds here POL-1" in calm
    assert "ADR-042" not in calm


def test_a_symbol_s_page_says_what_was_written_about_it(api: Api, member: Client) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS + "fn other() {}\n"})
    created(api, **ADR)
    created(api, kind="memory", id="mem-1", title="Of the other")
    linked(api, FILE, "implements", "ADR-042")
    linked(api, "mem-1", "derived_from", f"{FILE}#other")
    start = section(page(member, "symbol", name="start"))
    assert "ADR-042" in start
    assert "violated here POL-1" in start
    assert "mem-1" not in start
    other = section(page(member, "symbol", name="other"))
    assert "mem-1" in other
    assert "holds here POL-1" in other


def test_where_nothing_is_linked_it_is_said_and_without_knowledge_nothing_is(
    api: Api, member: Client
) -> None:
    index_files(api, {"src/main.rs": CALM})
    assert section(page(member, "r/shop/file/src/main.rs")) == ""
    assert section(page(member, "symbol", name="start")) == ""
    created(api, kind="memory", id="mem-1", title="Of something else")
    assert "Nothing is linked here" in section(page(member, "r/shop/file/src/main.rs"))


def test_sections_show_a_limited_member_nothing_of_others(api: Api, limited: Client) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS}, project="billing")
    index_files(api, {"src/main.rs": PANICS})
    created(api, kind="memory", id="mem-1", title="Secret", project="shop")
    linked(api, "shop/mem-1", "derived_from", "code:billing/src/main.rs")
    assert section(page(limited, "r/billing/file/src/main.rs")) == ""
    created(api, kind="memory", id="mem-2", title="Own", project="billing")
    text = section(page(limited, "r/billing/file/src/main.rs"))
    assert "Nothing is linked here" in text


def test_what_is_not_linked_yet_is_said_in_a_section(api: Api, member: Client) -> None:
    created(api, kind="memory", id="mem-1", title="Something")
    api.index({"a.py": "x\n"})
    assert "not linked yet" in section(page(member, "r/shop/file/a.py"))
    KnowledgeGraph().follow()
    assert "not linked yet" not in section(page(member, "r/shop/file/a.py"))


def test_queries_are_bounded(
    api: Api, member: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    created(api, **NO_PANIC)
    index_files(api, {f"src/{number}.rs": PANICS for number in range(10)})
    created(api, **ADR)
    for number in range(10):
        linked(api, f"code:shop/src/{number}.rs", "implements", "ADR-042")
    page(member, "knowledge")  # the session notes the organisation
    with django_assert_max_num_queries(8):
        page(member, "knowledge")
    with django_assert_max_num_queries(21):
        node_page(member, "ADR-042", depth=2)
    with django_assert_max_num_queries(14):
        page(member, "r/shop/violations")
    with django_assert_max_num_queries(21):
        page(member, "r/shop/file/src/1.rs")
