"""Every page that a page links to: no error, no complaint of the browser, nothing from elsewhere.

`watch` fails a test whose pages complain (a violated content policy is a console error), ask
another host or fail to load what they name.
"""

import re
from collections import deque
from urllib.parse import parse_qsl, urljoin, urlsplit

import pytest
from playwright.sync_api import Page, Response

from scripts.local_service import Organization
from tests.e2e.browser.conftest import ADMIN, MEMBER, Open

pytestmark = pytest.mark.system("chromium")

PAGES = 170  # what a crawl may come to: more patterns than that are not collapsed as they should be
DOCUMENTED = ("/api/v1/search", "/api/v1/trace/callers", "/api/v1/index/runs")
DOWNLOAD = "/api/v1/schema"  # which the page of the API links to once its script has drawn it
_LINKS = "links => links.map(link => link.getAttribute('href'))"
_NAMES = (
    (re.compile(r"^/o/[^/]+/r/[^/]+/file/.+"), "/o/_/r/_/file/_"),
    (re.compile(r"^/o/[^/]+/r/[^/]+/tree/.+"), "/o/_/r/_/tree/_"),
    (re.compile(r"^/o/[^/]+/r/[^/]+/raw/.+"), "/o/_/r/_/raw/_"),
    (re.compile(r"^/o/[^/]+/r/[^/]+/history/.+"), "/o/_/r/_/history/_"),
    (re.compile(r"^/o/[^/]+/r/[^/]+/reference/.+"), "/o/_/r/_/reference/_"),
    (re.compile(r"^/o/[^/]+/r/[^/]+/(tree|find|history)$"), r"/o/_/r/_/\1"),
    (re.compile(r"^/o/[^/]+/r/[^/]+$"), "/o/_/r/_"),
    (re.compile(r"^/o/[^/]+/r/[^/]+/violations$"), "/o/_/r/_/violations"),
    (re.compile(r"^/o/[^/]+/knowledge/.+"), "/o/_/knowledge/_"),
    (re.compile(r"^/o/[^/]+/runs/[^/]+"), "/o/_/runs/_"),
    (
        re.compile(r"^/o/[^/]+/settings/(members|tokens|repositories|backfills)/[^/]+"),
        r"/o/_/settings/\1/_",
    ),
    (re.compile(r"^/o/[^/]+"), "/o/_"),
    (re.compile(r"^(/admin/\w+/\w+/)[^/]+(/(?:change|history|delete|password)/)"), r"\1_\2"),
)


@pytest.mark.parametrize("username", [MEMBER, ADMIN])
def test_every_page_that_is_linked_to_is_shown_without_a_complaint(
    examples: Organization, open_page: Open, username: str
) -> None:
    page = open_page("/", username=username)
    wrong: set[tuple[int, str]] = set()

    def note(response: Response) -> None:
        if response.status >= 400:
            wrong.add((response.status, response.url))

    page.on("response", note)
    opened = crawl(page, "/")
    assert len(opened) > 10
    assert wrong == set()
    wanted = {"/o/_/", "/o/_/r/_", "/account"}
    if username == ADMIN:
        wanted |= {"/o/_/settings", "/o/_/settings/members", "/o/_/settings/repositories/_"}
        wanted |= {"/admin/", "/admin/auth/user/_/change/"}
    assert wanted <= {kind.partition("?")[0] for kind in opened}


def crawl(page: Page, start: str) -> set[str]:
    """Open `start` and what is linked to from there on, one of each pattern: the patterns."""
    waiting = deque([start])
    kinds: set[str] = set()
    known = {start}
    while waiting:
        address = waiting.popleft()
        kind = pattern_of(address)
        if kind in kinds:
            continue
        kinds.add(kind)
        assert len(kinds) <= PAGES, sorted(kinds)
        page.goto(address, wait_until="load")
        for href in page.locator("a[href]").evaluate_all(_LINKS):
            found = own(page.url, href)
            if found and found not in known and not found.startswith(DOWNLOAD):
                known.add(found)
                waiting.append(found)
    return kinds


def own(base: str, href: str) -> str:
    """The address without its fragment if it is one of this service, else ""."""
    parts, here = urlsplit(urljoin(base, href)), urlsplit(base)
    if parts.netloc != here.netloc or parts.scheme != here.scheme:
        return ""
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def pattern_of(address: str) -> str:
    """The page, and which fields its address has: whatever they hold. Of a list in the admin,
    whose filters and columns multiply, only whether it has any.
    """
    parts = urlsplit(address)
    path = parts.path
    for name, shown in _NAMES:
        path, count = name.subn(shown, path, count=1)
        if count:
            break
    fields = {"…"} if path.startswith("/admin/") else {name for name, _ in parse_qsl(parts.query)}
    return f"{path}?{','.join(sorted(fields))}" if parts.query else path


def test_the_page_of_the_api_shows_its_operations(open_page: Open) -> None:
    page = open_page("/api/v1/docs")
    page.locator(".opblock-summary-path").first.wait_for()
    shown = {
        text.replace("\u200b", "")
        for text in page.locator(".opblock-summary-path").all_inner_texts()
    }
    assert shown >= set(DOCUMENTED)
    page.locator(".opblock-summary-control", has_text="callers").first.click()
    page.get_by_text("Parameters").first.wait_for()
