"""The settings of an organisation by hand: an invitation, a member, a token and what to paste."""

import itertools
import re

import pytest
from playwright.sync_api import Page, expect

from scripts.browsing import create_person
from scripts.local_service import Organization
from tests.e2e.browser.conftest import ADMIN, Open, Watch

pytestmark = pytest.mark.system("chromium")

PASSWORD = "seven wonders of the sea"
_NUMBERS = itertools.count(1)


@pytest.fixture
def settings(workshop: Organization) -> str:
    return f"/o/{workshop.slug}/settings"


def invite(open_page: Open, settings: str) -> str:
    """Make an invitation; its link."""
    page = open_page(f"{settings}/invitations", username=ADMIN)
    page.get_by_label("Who it is for").fill("a new colleague")
    page.get_by_role("button", name="Make the link").click()
    link = page.get_by_label("Link", exact=True).input_value()
    page.goto(f"{settings}/invitations")
    assert link.partition("#")[2] not in page.content()
    return link


def join(page: Page) -> str:
    """Make an account on the page of an invitation; its name."""
    name = f"colleague-{next(_NUMBERS)}"
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The password again").fill(PASSWORD)
    page.get_by_role("button", name="Make the account and join").click()
    expect(page.get_by_text("Welcome: you are a member of")).to_be_visible()
    return name


def test_the_code_of_a_link_reaches_the_service_by_the_form_alone(
    open_page: Open, settings: str, workshop: Organization
) -> None:
    link = invite(open_page, settings)
    code = link.partition("#")[2]
    page = open_page("/sign-in", username=None)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.url} {request.headers}"))
    page.goto(link)
    expect(page.get_by_role("heading", name=f"Join {workshop.slug}")).to_be_visible()
    expect(page).to_have_url(re.compile("/invitation/accept$"))
    assert [one for one in asked if code in one] == []
    page.go_back()
    assert code not in page.url
    assert code not in workshop.service.log.read_text()


def test_a_new_colleague_joins_and_is_made_an_admin_and_removed(
    open_page: Open, settings: str, workshop: Organization, watch: Watch
) -> None:
    watch.expected = ("404 (Not Found)",)  # where the colleague ends
    other = ("--organization", workshop.slug, "--role", "admin")  # the last one would stay
    create_person(workshop.service, "henry", *other)
    link = invite(open_page, settings)
    theirs = open_page("/invitation", username=None)
    theirs.goto(link)  # the page is open already
    name = join(theirs)

    admin = open_page(f"{settings}/members", username=ADMIN)
    admin.get_by_role("link", name=name, exact=True).click()
    admin.get_by_role("combobox", name="Role").select_option("admin")
    admin.get_by_role("button", name="Save the role").click()
    expect(admin.get_by_text(f"{name} is an admin of {workshop.slug} now.")).to_be_visible()
    theirs.goto(f"{settings}/members")
    expect(theirs.get_by_text("(you)")).to_be_visible()

    admin.get_by_role("link", name=name, exact=True).click()
    admin.get_by_role("link", name=f"Remove {name}…").click()
    admin.get_by_role("button", name=f"Remove {name}", exact=True).click()
    expect(admin.get_by_text(f"{name} is no longer a member")).to_be_visible()
    theirs.goto(f"{settings}/members")
    expect(theirs.get_by_role("heading", name="There is no such page")).to_be_visible()


def test_without_javascript_the_link_is_pasted(
    open_page: Open, settings: str, workshop: Organization
) -> None:
    link = invite(open_page, settings)
    page = open_page("/invitation", username=None, java_script_enabled=False)
    expect(page.get_by_text("Paste the link that you were sent.")).to_be_visible()
    page.get_by_label("Link or code of the invitation").fill(link)
    page.get_by_role("button", name="Continue").click()
    join(page)


def test_a_new_token_is_copied_with_what_belongs_into_an_agent(
    open_page: Open, settings: str
) -> None:
    page = open_page(
        f"{settings}/tokens", username=ADMIN, permissions=["clipboard-read", "clipboard-write"]
    )
    page.get_by_label("What it is for").fill("agents")
    page.get_by_role("button", name="Make the token").click()
    token = page.get_by_label("Token", exact=True).input_value()
    page.get_by_role("button", name="Copy the token").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == token

    page.get_by_text("Claude Code", exact=True).click()
    page.get_by_role("button", name="Copy: Claude Code").click()
    expect(page.locator("button", has_text="Copied").last).to_be_visible()
    assert "mcpServers" in page.evaluate("navigator.clipboard.readText()")
