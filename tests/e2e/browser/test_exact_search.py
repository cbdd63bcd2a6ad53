"""Exact search: lines among those around them, the rest of a file's, errors, and the help."""

import re

import pytest
from playwright.sync_api import Page, expect

from scripts.local_service import Organization
from tests.e2e.browser.conftest import Open, Watch, same_document

pytestmark = pytest.mark.system("chromium")

MANY = 'file:retry.py repo:common-utils "retry"'  # more lines than are shown at first


def search_for(page: Page, words: str) -> None:
    page.get_by_label("Search for").fill(words)
    page.get_by_role("button", name="Search", exact=True).click()


def test_a_line_that_matches_leads_to_it_in_the_file_at_the_commit(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/")
    search_for(page, '"def retry_call"')
    expect(page.get_by_role("status").filter(has_text="match")).to_be_visible()
    line = page.locator(".code-line.is-match").first
    expect(line.locator("mark")).to_have_text("def retry_call")
    assert page.locator(".code-line:not(.is-match)").count() > 0
    line.locator("a.code-number").click()
    expect(page).to_have_url(re.compile(r"/file/.+\?commit=[0-9a-f]{40}#L\d+$"))
    expect(page.locator(".code-line.is-marked")).to_contain_text("def retry_call")


def test_the_rest_of_a_file_s_lines_opens_in_its_place(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/")
    search_for(page, MANY)
    hit = page.locator(".hit").filter(has_text="src/acme_common/retry.py")
    shown = hit.locator(".is-match")
    expect(shown.first).to_be_visible()
    first = shown.count()
    address = page.url
    with same_document(page):
        hit.get_by_role("link", name="more in this file").click()
        expect(hit.get_by_role("link", name="more in this file")).to_have_count(0)
    assert shown.count() > first
    assert page.url == address


def test_without_javascript_it_is_the_search_of_that_file(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/", java_script_enabled=False)
    search_for(page, MANY)
    hit = page.locator(".hit").filter(has_text="src/acme_common/retry.py")
    hit.get_by_role("link", name="more in this file").click()
    expect(page.get_by_label("Search for")).to_have_value(re.compile(r"file:/\^src\\/"))
    expect(page.locator(".hit")).to_have_count(1)
    assert page.locator(".is-match").count() > 5


def test_an_error_is_pointed_at_and_leads_to_the_help(
    examples: Organization, open_page: Open, watch: Watch
) -> None:
    watch.expected = ("400 (Bad Request)",)
    page = open_page(f"/o/{examples.slug}/")
    search_for(page, "トークン lang:pyhton")
    expect(page.locator("#q-error")).to_contain_text("Near names: python")
    caret, wrong = page.evaluate(
        """() => {
            const [written, before] = document.querySelector(".pointed").childNodes;
            const range = document.createRange();
            range.setStart(written, 5);
            range.setEnd(written, 6);
            return [before.getBoundingClientRect().right, range.getBoundingClientRect().left];
        }"""
    )
    assert abs(caret - wrong) < 1  # wide characters before it, too
    page.get_by_role("link", name="How to write a query").first.click()
    expect(page.get_by_role("heading", name="How to write a query")).to_be_visible()


def test_the_help_is_reached_from_the_keys_and_leads_to_searches(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/repositories")
    page.keyboard.press("?")
    page.get_by_role("dialog").get_by_role("link", name="How to write a query").click()
    expect(page.get_by_role("heading", name="Filters")).to_be_visible()
    page.get_by_role("link", name='lang:py "import"').click()
    expect(page.get_by_label("Search for")).to_have_value('lang:py "import"')
    expect(page.locator(".is-match").first).to_be_visible()
    page.locator("body").evaluate("body => document.activeElement.blur()")
    for key in ("g", "h"):
        page.keyboard.press(key)
    expect(page.get_by_role("heading", name="How to write a query")).to_be_visible()


def test_an_empty_answer_leads_to_one_that_is_not(examples: Organization, open_page: Open) -> None:
    page = open_page(f"/o/{examples.slug}/")
    search_for(page, '"DEF RETRY_CALL"')
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    page.get_by_role("link", name="case:no").click()
    expect(page.locator(".is-match mark").first).to_have_text("def retry_call")
