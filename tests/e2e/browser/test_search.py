"""Searching, reading a file and following its lines, by hand and by keyboard."""

import re

import pytest
from playwright.sync_api import Page, expect

from scripts.local_service import Organization
from tests.e2e.browser.conftest import Open, same_document

pytestmark = pytest.mark.system("chromium")


def search_for(page: Page, words: str) -> None:
    page.get_by_label("Search for").fill(words)
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="result")).to_be_visible()


def test_results_are_grouped_and_filters_are_in_the_address_and_go_back(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/")
    with same_document(page):
        search_for(page, "validate a JWT")
        assert page.locator("section.group").count() > 1
        assert page.locator("[data-result]").count() > 1

        page.locator("summary", has_text="Filters").click()
        page.get_by_label("Language", exact=True).select_option("go")
        page.get_by_role("button", name="Search", exact=True).click()
        expect(page).to_have_url(re.compile("language=go"))
        expect(page.locator("[data-result]").first).to_contain_text(".go")

    page.go_back()
    expect(page).not_to_have_url(re.compile("language=go"))
    assert page.get_by_label("Search for").input_value() == "validate a JWT"
    expect(page.locator("[data-result]").filter(has_text=".py").first).to_be_visible()


def test_it_is_done_by_keyboard_alone(examples: Organization, open_page: Open) -> None:
    page = open_page(f"/o/{examples.slug}/")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_label("Search for")).to_be_focused()
    page.keyboard.type("retry with backoff")
    page.keyboard.press("Enter")
    results = page.locator("[data-result]")
    expect(results.nth(1)).to_be_visible()

    page.keyboard.press("Escape")
    page.locator("body").evaluate("body => document.activeElement.blur()")
    for key, at in (("j", 0), ("j", 1), ("k", 0), ("ArrowDown", 1)):
        page.keyboard.press(key)
        expect(results.nth(at)).to_be_focused()
    file = results.nth(1).inner_text().split(":")[0]
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=file)).to_be_visible()

    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_an_empty_answer_says_why_and_what_would_widen_it(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/?q=token&path=no/such/folder")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    page.locator(".empty").get_by_role("link").first.click()
    expect(page.locator("[data-result]").first).to_be_visible()


def test_lines_of_a_file_are_linked_and_marked(examples: Organization, open_page: Open) -> None:
    page = open_page(f"/o/{examples.slug}/?q=retry_call&project=common-utils")
    page.locator("[data-result]").first.click()
    expect(page).to_have_url(re.compile(r"/file/.+#L\d+-L\d+$"))
    expect(page.locator("#L1")).to_have_count(1)
    page.goto(page.url.split("#")[0] + "#L3")
    expect(page.locator("#L3")).to_be_in_viewport()


def test_without_javascript_a_search_leads_to_a_file_and_to_a_symbol(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/", java_script_enabled=False)
    search_for(page, "retry_call")
    page.locator("[data-result]").filter(has_text="retry.py").first.click()
    page.get_by_label("Symbols of this file").get_by_role("link", name="uses").first.click()
    expect(page.get_by_role("heading", name="Definition")).to_be_visible()


def test_recent_searches_stay_in_the_browser_until_they_are_forgotten(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/")
    recent = page.get_by_role("region", name="Recent searches")
    expect(recent).to_be_hidden()
    search_for(page, "validate a JWT")
    search_for(page, "<i>retry</i>")
    expect(page).to_have_url(re.compile("retry"))
    page.goto(f"/o/{examples.slug}/r/go-kit")
    page.goto(f"/o/{examples.slug}/")
    expect(recent.get_by_role("link")).to_have_text(["<i>retry</i>", "validate a JWT"])
    repositories = page.get_by_role("region", name="Repositories")
    expect(repositories.get_by_role("link").first).to_have_text("go-kit")

    recent.get_by_role("link", name="validate a JWT").click()
    expect(page.get_by_label("Search for")).to_have_value("validate a JWT")
    page.goto(f"/o/{examples.slug}/")
    recent.get_by_role("button", name="Forget them").click()
    expect(recent).to_be_hidden()
    assert "validate" not in page.evaluate("JSON.stringify(localStorage)")


def test_a_count_narrows_the_results_and_a_second_click_widens_them_again(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/?q=retry+with+backoff")
    narrow = page.get_by_role("navigation", name="Narrow the results")
    with same_document(page):
        narrow.get_by_role("link", name=re.compile(r"^Only go\s")).click()
        expect(page.get_by_label("Search for")).to_have_value("lang:go retry with backoff")
        expect(page.locator("[data-result]").first).to_contain_text(".go")
        narrow.get_by_role("link", name="Not only go").click()
        expect(page.get_by_label("Search for")).to_have_value("retry with backoff")


def test_a_search_is_saved_from_its_results_and_found_on_the_start_page(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/")
    page.get_by_label("Search for").fill('"retry_call" lang:go')
    page.get_by_role("button", name="Search", exact=True).click()
    page.locator("summary", has_text="Save this search").click()
    page.get_by_label("Name", exact=True).fill("Retries of Go")
    page.get_by_label("Watched").check()
    page.get_by_role("button", name="Save", exact=True).click()
    saved = page.get_by_role("region", name="Yours")
    expect(saved).to_contain_text("watched")

    page.goto(f"/o/{examples.slug}/")
    page.get_by_role("link", name="Retries of Go").click()
    expect(page.get_by_label("Search for")).to_have_value('"retry_call" lang:go')

    page.goto(f"/o/{examples.slug}/searches")
    saved.locator("summary", has_text="Change").click()
    saved.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete the search").click()
    expect(saved).to_contain_text("None yet.")
