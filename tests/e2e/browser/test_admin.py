"""The admin, as whoever administers the service sees it."""

import re

import pytest
from playwright.sync_api import expect

from scripts.browsing import PASSWORD
from scripts.local_service import Organization
from tests.e2e.browser.conftest import ADMIN, Open

pytestmark = pytest.mark.system("chromium")


def test_signing_in_leads_to_its_front_page(open_page: Open) -> None:
    page = open_page("/admin/", username=None)
    page.locator("[name=username]").fill(ADMIN)
    page.locator("[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile("/admin/$"))
    expect(page.get_by_text("Repositories").first).to_be_visible()


def test_a_repository_is_paused_and_goes_on(workshop: Organization, open_page: Open) -> None:
    page = open_page("/admin/repositories/repository/?q=tools", username=ADMIN)
    for action, told in (("pause", "is paused now"), ("resume", "goes on")):
        row = page.get_by_role("row").filter(has_text=workshop.slug)
        row.locator("input.action-select").check()
        page.locator("select[name=action]").select_option(action)
        page.get_by_role("button", name="Run", exact=False).first.click()
        expect(page.get_by_text(f"1 repository {told}")).to_be_visible()


def test_a_token_is_shown_once(workshop: Organization, open_page: Open) -> None:
    page = open_page("/admin/tenancy/apitoken/add/", username=ADMIN)
    page.locator("[name=name]").fill("ci")
    page.get_by_role("combobox").filter(has=page.locator("[id*=organization]")).click()
    page.locator(".select2-search__field").last.fill(workshop.slug)
    page.get_by_role("option", name=workshop.slug).click()
    page.locator("[name=scopes][value=search]").check()
    page.locator("[name=_save]").click()
    token = page.locator("#token").inner_text().strip()
    assert token.startswith("aet_")
    page.goto("/admin/tenancy/apitoken/")
    assert token not in page.content()
