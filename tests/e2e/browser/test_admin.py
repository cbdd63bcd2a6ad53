"""The admin, as whoever administers the service sees it."""

import re

import pytest
from playwright.sync_api import expect

from scripts.browsing import PASSWORD
from tests.e2e.browser.conftest import ADMIN, Open

pytestmark = pytest.mark.system("chromium")


def test_signing_in_leads_to_its_front_page(open_page: Open) -> None:
    page = open_page("/admin/", username=None)
    page.locator("[name=username]").fill(ADMIN)
    page.locator("[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile("/admin/$"))
    expect(page.get_by_text("Repositories").first).to_be_visible()
