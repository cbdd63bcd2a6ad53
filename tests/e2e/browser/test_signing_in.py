"""Signing in and out, and an account's tokens, by hand."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from scripts.browsing import PASSWORD
from scripts.local_service import Organization
from tests.e2e.browser.conftest import MEMBER, Open

pytestmark = pytest.mark.system("chromium")


def test_a_wrong_password_is_told_and_the_right_one_leads_to_the_page_that_was_asked_for(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/repositories", username=None)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()

    page.locator("[name=username]").fill(MEMBER)
    page.locator("[name=password]").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()

    page.locator("[name=username]").fill(MEMBER)
    page.locator("[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile(f"/o/{examples.slug}/repositories$"))

    page.get_by_text(MEMBER, exact=False).first.click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_personal_token_is_shown_once_works_and_is_revoked(
    examples: Organization, open_page: Open
) -> None:
    page = open_page("/account")
    page.locator("[name=name]").fill("laptop")
    page.locator("select[name=organization]").select_option(label=examples.slug)
    page.get_by_role("button", name="Make the token").click()
    token = page.get_by_label("Token", exact=True).input_value()
    assert is_taken(examples, token)

    page.goto("/account")
    assert token not in page.content()
    page.get_by_role("button", name="Revoke laptop").click()
    expect(page.get_by_role("button", name="Revoke laptop")).to_have_count(0)
    assert not is_taken(examples, token)


def is_taken(acme: Organization, token: str) -> bool:
    answer = httpx.get(
        f"{acme.service.url}/api/v1/index/status",
        params={"org_id": acme.slug},
        headers={"Authorization": f"Bearer {token}"},
        timeout=30,
    )
    return answer.is_success
