"""Reading code: the tree, the finder, and from an identifier to what it means."""

import re

import pytest
from playwright.sync_api import expect

from scripts.local_service import Organization
from tests.e2e.browser.conftest import Open, same_document

pytestmark = pytest.mark.system("chromium")

FILE = "src/acme_common/retry.py"


def test_a_file_is_reached_by_directories_and_left_by_its_parts(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/r/common-utils")
    page.get_by_role("link", name="Files", exact=True).click()
    for name in ("src/", "acme_common/", "retry.py"):
        page.locator("[data-result]").get_by_text(name, exact=True).click()
    expect(page.get_by_role("heading", name=FILE)).to_be_visible()
    page.locator(".crumbs").get_by_role("link", name="acme_common").click()
    expect(page).to_have_url(re.compile("/tree/src/acme_common$"))
    page.keyboard.press("j")
    expect(page.locator("[data-result]").first).to_be_focused()


def test_a_file_is_found_by_some_characters_and_the_keyboard_alone(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/r/common-utils/tree")
    page.keyboard.press("t")
    expect(page.locator("#find")).to_be_focused()
    with same_document(page):
        page.keyboard.type("rtry")
        expect(page.locator("#found[data-query=rtry] [data-result]").first).to_have_text(FILE)
        page.keyboard.press("ArrowDown")
        expect(page.locator("[data-result]").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=FILE)).to_be_visible()

    page.keyboard.press("t")
    page.locator("#find").fill("retry.py")
    expect(page.locator("#found[data-query='retry.py']")).to_be_attached()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=FILE)).to_be_visible()

    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("find a file of this repository")


def test_a_definition_leads_to_its_callers_and_a_reference_to_its_definition(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/r/common-utils/file/{FILE}")
    code = page.locator("pre.code")
    code.get_by_role("link", name="retry_call", exact=True).first.click()
    expect(page.get_by_role("heading", name="Callers")).to_be_visible()

    page.get_by_role("region", name="Callers", exact=False).locator("td a.mono").first.click()
    expect(page).to_have_url(re.compile(r"/file/.+#L\d+$"))
    page.locator(".code-line.is-marked").get_by_role("link", name="retry_call").click()
    expect(page).to_have_url(re.compile(rf"/r/common-utils/file/{FILE}#L\d+$"))
    expect(page.locator(".code-line.is-marked")).to_contain_text("def retry_call")


def test_lines_are_in_the_permalink_and_the_text_is_copied(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(
        f"/o/{examples.slug}/r/common-utils/file/{FILE}#L3",
        permissions=["clipboard-read", "clipboard-write"],
    )
    page.get_by_role("button", name="Copy text").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("link", name="Permalink").click()
    expect(page).to_have_url(re.compile(r"\?commit=[0-9a-f]{40}#L3$"))
    expect(page.locator("#L3.is-marked")).to_be_visible()
    page.get_by_role("link", name="Raw").click()
    assert page.locator("body").inner_text().strip() == copied.strip()


def test_without_javascript_files_are_found_and_references_followed(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/r/common-utils", java_script_enabled=False)
    page.get_by_role("link", name="Find a file").click()
    page.get_by_label("Characters of its path").fill("retry")
    page.get_by_role("button", name="Find").click()
    page.locator("[data-result]").get_by_text(FILE, exact=True).click()
    page.locator("pre.code").get_by_role("link", name="retry_call", exact=True).first.click()
    expect(page.get_by_role("heading", name="Definition")).to_be_visible()


def test_an_identifier_tells_what_it_means_without_leaving_the_file(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/r/common-utils/file/{FILE}")
    link = page.locator("pre.code").get_by_role("link", name="backoff_delays").last
    panel = page.get_by_role("dialog", name="backoff_delays")
    with same_document(page):
        link.hover()
        expect(panel).to_contain_text("the waits in seconds")
        expect(panel).to_contain_text("uses in")
        page.mouse.move(1, 1)
        expect(panel).to_be_hidden()

        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        link.focus()
        page.keyboard.press("Enter")
        expect(panel.get_by_role("link", name="function backoff_delays")).to_be_focused()
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        expect(link).to_be_focused()
        assert asked == [], "a panel that was shown is asked for once"
    link.click()
    expect(page).to_have_url(re.compile(rf"/file/{FILE}#L\d+$"))


def test_a_tap_opens_the_panel_and_a_refusal_is_explained(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(
        f"/o/{examples.slug}/r/common-utils/file/{FILE}",
        has_touch=True,
        viewport={"width": 390, "height": 844},
    )
    names = page.locator("pre.code").get_by_role("link", name="retry_call", exact=True)
    with same_document(page):
        names.first.tap()
        panel = page.get_by_role("dialog", name="retry_call")
        expect(panel).to_contain_text("uses in")
        page.get_by_role("heading", name=FILE).tap()
        expect(panel).to_be_hidden()

        page.context.clear_cookies()
        page.locator("pre.code").get_by_role("link", name="RetryPolicy").first.tap()
        expect(page.get_by_role("dialog")).to_contain_text("You are no longer signed in.")


def test_path_and_definition_stay_in_sight(examples: Organization, open_page: Open) -> None:
    page = open_page(f"/o/{examples.slug}/r/common-utils/file/{FILE}")
    where = page.locator("[data-where]")
    expect(where).to_be_hidden()
    page.goto(f"/o/{examples.slug}/r/common-utils/file/{FILE}#L75-L76")
    expect(where).to_have_text(f"{FILE}retry_call")
    expect(page.locator(".outline .is-here")).to_contain_text("retry_call")
    page.mouse.wheel(0, -10_000)
    expect(where).to_be_hidden()
