"""What was written about code, from the keyboard to a node and on along its links."""

import pytest
from playwright.sync_api import expect

from scripts.local_service import Organization
from tests.e2e.browser.conftest import Open

pytestmark = pytest.mark.system("chromium")


def test_a_decision_is_found_by_keyboard_and_leads_to_its_code(
    open_page: Open, knowledge: Organization
) -> None:
    page = open_page(f"/o/{knowledge.slug}/")
    page.get_by_role("heading", level=1).click()  # out of the field
    page.keyboard.press("g")
    page.keyboard.press("k")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Knowledge of {knowledge.slug}")
    page.get_by_label("Id or title contains").fill("ADR-700")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("status")).to_have_text("1 document")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Retries wait longer")
    expect(page.get_by_text("Each waits *twice* as long")).to_be_visible()
    page.locator("a.node", has_text="retry.py").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("retry.py")
    page.get_by_role("link", name="Read it").click()
    about = page.get_by_role("region", name="Decisions, policies and memories")
    expect(about.get_by_text("violated here")).to_be_visible()
    about.get_by_role("link", name="line").first.click()
    expect(page.locator(".code-line:target")).to_contain_text("sleep(delay)")
