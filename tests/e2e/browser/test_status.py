"""A repository's page, and a run's while it lasts."""

import httpx
import pytest
from playwright.sync_api import expect

from scripts.local_service import Organization
from tests.e2e.browser.conftest import ADMIN, Open, same_document

pytestmark = pytest.mark.system("chromium")


def test_a_repository_is_found_in_the_list_and_tells_its_state(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/repositories")
    page.get_by_role("link", name="auth-service").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("auth-service")
    expect(page.locator(".badge-ok").first).to_be_visible()
    page.locator("a[href*='/runs/']").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Run of auth-service")


def test_the_page_of_a_run_follows_it_without_being_loaded_again(
    workshop: Organization, open_page: Open
) -> None:
    run = workshop.post(
        "index/runs",
        project_id="tools",
        ref="refs/heads/main",
        commit_sha="2" * 40,
        extractor="none",
        default_branch="main",
    )["run_id"]
    page = open_page(f"/o/{workshop.slug}/runs/{run}", username=ADMIN)
    expect(page.locator("#progress")).to_be_visible()
    with same_document(page):
        httpx.delete(
            f"{workshop.service.url}/api/v1/index/runs/{run}",
            headers={"Authorization": f"Bearer {workshop.token}"},
            timeout=30,
        ).raise_for_status()
        expect(page.locator("#progress")).to_have_count(0)
        expect(page.locator("#run .badge").first).to_have_text("abandoned")
