"""Every page: room for it on a phone, and nothing that axe calls serious in either colours."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from scripts.local_service import Organization
from tests.e2e.browser.conftest import ADMIN, MEMBER, Open, Watch
from tests.npm import installed_packages

pytestmark = pytest.mark.system("chromium")

PAGES = (
    "/sign-in",
    "/account",
    "/account/password",
    "/o/acme/",
    "/o/acme/?q=validate+a+JWT",
    "/o/acme/?q=token&path=no/such/folder",
    "/o/acme/?q=token&project=nothing",
    "/o/acme/?q=%22retry%22",
    "/o/acme/?q=file%3Aretry.py+%22retry%22&lines=all",
    "/o/acme/?q=type%3Acommit+the+first+commit",
    "/o/acme/?q=type%3Acommit+%22First%22+before%3A1h",
    "/o/acme/?q=type%3Adiff+retry",
    "/o/acme/?q=type%3Adiff+before%3Asoon",
    "/o/acme/?q=%22NO_SUCH.%2A%22+lang%3Ago",
    "/o/acme/?q=token+lang%3Apyhton",
    "/o/acme/query",
    "/o/acme/searches",
    "/o/acme/repositories",
    "/o/acme/r/auth-service",
    "/o/acme/r/common-utils/file/src/acme_common/retry.py",
    "/o/acme/r/common-utils/tree",
    "/o/acme/r/common-utils/tree/src/acme_common",
    "/o/acme/r/common-utils/find?q=retry",
    "/o/acme/r/common-utils/history",
    "/o/acme/r/common-utils/history/src/acme_common/retry.py",
    "/o/acme/r/common-utils/file/src/acme_common/retry.py?commit=abcdef0123",
    "/o/acme/symbol",
    "/o/acme/symbol?name=AuthMiddleware",
    "/o/acme/graph?name=retry_call",
    "/o/acme/map",
    "/o/acme/map?project=common-utils&level=package",
    "/o/acme/r/common-utils/consumers",
    "/o/acme/unused",
    "/o/acme/unused?project=common-utils&doubts=published",
    "/o/acme/knowledge",
    "/o/acme/knowledge?q=nothing+of+that+name",
    "/o/acme/knowledge/ADR-700",
    "/o/acme/knowledge/POL-700",
    "/o/acme/knowledge/mem-700?depth=2",
    "/o/acme/knowledge/code:common-utils/src/acme_common/retry.py",
    "/o/acme/knowledge/code:src/acme_common/retry.py%23RetryPolicy",
    "/o/acme/r/common-utils",
    "/o/acme/r/common-utils/violations",
    "/o/acme/r/go-kit/violations",
    "/o/acme/symbol?name=RetryPolicy",
)
SETTINGS_PAGES = (  # of an organisation's admins
    "/invitation",
    "/o/acme/settings",
    "/o/acme/settings/members",
    "/o/acme/settings/invitations",
    "/o/acme/settings/tokens",
    "/o/acme/settings/repositories",
    "/o/acme/settings/repositories/common-utils",
    "/o/acme/settings/repositories/common-utils/remove",
    "/o/acme/settings/backfills",
    "/o/acme/settings/keyless",
    "/o/acme/settings/alerts",
    "/o/acme/settings/keyless/remove?patterns=events&pattern=push",
)
ADMIN_PAGES = (
    *SETTINGS_PAGES,
    "/admin/",
    "/admin/repositories/repository/",
    "/admin/ingest/indexrun/",
    "/admin/tenancy/apitoken/",
    "/admin/auth/user/add/",
    "/admin/tenancy/auditentry/",
)
REFUSED = ("400 (Bad Request)",)  # of a query with an error
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 720}
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
# Not .select2-selection: Django's own field that completes what is typed gives it no name.
SERIOUS = """async options => (
    await axe.run({exclude: [[".select2-selection"]]}, options)
  ).violations
  .filter(one => ["serious", "critical"].includes(one.impact))
  .map(({id, nodes}) => id + ": " + nodes.slice(0, 3).map(one => one.html).join(" | "))
"""


@pytest.mark.system("chromium", "npm")
@pytest.mark.parametrize("username", [MEMBER, ADMIN])
def test_no_page_is_wider_than_a_phone_and_axe_finds_nothing_serious(
    username: str, open_page: Open, knowledge: Organization, watch: Watch
) -> None:
    """Each is loaded once, on a phone and in the light; then the same is on a desk, and dark."""
    watch.expected = REFUSED
    axe = axe_source()
    pages = PAGES if username == MEMBER else ADMIN_PAGES
    page = open_page(pages[0], username=username, color_scheme="light", bypass_csp=True)
    assert {path: found for path in pages if (found := troubles(page, path, axe))} == {}


def axe_source() -> str:
    """The script, from npm by its hash."""
    package = installed_packages(Path(__file__).parent)
    return (package / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


def troubles(page: Page, path: str, axe: str) -> list[str]:
    """What does not fit, and what axe calls serious or critical, with the elements."""
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.emulate_media(color_scheme="light")
    page.goto(path)
    width: int = page.evaluate("document.documentElement.scrollWidth")
    is_wide = width > PHONE["width"] and not path.startswith("/admin/")  # which is Django's
    page.set_viewport_size(DESK)  # type: ignore[arg-type]
    page.evaluate(axe)
    found: list[str] = page.evaluate(SERIOUS, {})
    page.emulate_media(color_scheme="dark")
    in_the_dark: list[str] = page.evaluate(SERIOUS, COLOURS)
    return [f"{width} wide"] * is_wide + found + [f"in the dark: {one}" for one in in_the_dark]


def test_dark_colours_are_the_systems_or_the_persons(open_page: Open) -> None:
    page = open_page("/account", color_scheme="dark")
    assert lightness(page) < 90
    page.locator("summary", has_text=MEMBER).click()
    page.get_by_role("button", name="Light", exact=True).click()
    page.goto("/o/acme/")
    assert lightness(page) > 200


def lightness(page: Page) -> float:
    """Of the page's ground, from 0 to 255."""
    colour: str = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    red, green, blue = (float(part) for part in colour.strip("rgba()").split(",")[:3])
    return (red + green + blue) / 3
