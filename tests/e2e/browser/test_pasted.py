"""Pasted into the search field: a stack trace, short or long, and a quoted text that is nowhere."""

import re

import pytest
from playwright.sync_api import Page, expect

from scripts.local_service import Organization
from tests.e2e.browser.conftest import Open

pytestmark = pytest.mark.system("chromium")

PASTE = """text => {
    document.getElementById("q").focus();
    document.execCommand("insertText", false, text);
}"""


def trace_of(frames: int) -> str:
    others = "".join(
        f'  File "/usr/lib/python3.11/site-packages/web/layer{n}.py", line {n}, in call{n}\n'
        f"    return await self.application{n}(scope, receive, send)\n"
        for n in range(1, frames)
    )
    return (
        f"Traceback (most recent call last):\n{others}"
        '  File "/srv/app/acme_auth/tokens.py", line 72, in verify_token\n'
        "    claims = decode(token)\nKeyError: 'sub'"
    )


def paste(page: Page, text: str) -> None:
    page.evaluate(PASTE, text)
    page.get_by_role("button", name="Search", exact=True).click()


@pytest.mark.parametrize("frames", [2, 60])
def test_a_pasted_trace_finds_its_lines_and_has_an_address_that_proxies_take(
    examples: Organization, open_page: Open, frames: int
) -> None:
    page = open_page(f"/o/{examples.slug}/")
    paste(page, trace_of(frames))
    expect(page.get_by_text("Read as a stack trace of Python")).to_be_visible()
    first = page.locator(".hit").first
    expect(first).to_contain_text("acme_auth/tokens.py")
    expect(first.locator(".is-match")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?q=Traceback"))
    assert len(page.url) < 6_000


def test_a_quoted_text_that_is_nowhere_has_results_by_its_words_below(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/")
    paste(page, '"verify the signature of a JSON web token"')
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    expect(page.get_by_role("heading", name="No line has this text. By its words:")).to_be_visible()
    assert page.locator(".instead .hit").count() > 0
