"""One Chromium, one service with the examples, and people with sessions, for every page."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)

from scripts.browsing import create_person, signed_in
from scripts.local_git import commit_all, new_repository
from scripts.local_service import Organization
from tests.e2e.conftest import write_files
from tests.e2e.graphs import add_node
from tests.e2e.indexing import index_here
from tests.waiting import wait_until

MEMBER, ADMIN = "ada", "grace"
OWN = "carpentry"  # an organisation, of no other module, whose repositories a test may change
ARGUMENTS = (
    "--no-sandbox",  # a container's root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
RETRY = "code:common-utils/src/acme_common/retry.py"
Open = Callable[..., Page]


@dataclass
class Watch:
    """What no page may do: complain, ask another host, fail to load what it names."""

    host: str
    troubles: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()

    def follow(self, context: BrowserContext) -> None:
        context.on("console", self._said)
        context.on("weberror", lambda error: self.troubles.append(f"error: {error.error}"))
        context.on("request", self._asked)
        context.on("requestfailed", self._failed)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.troubles.append(f"console: {message.text}")

    def _asked(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != self.host:
            self.troubles.append(f"another host: {request.url}")

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left
            self.troubles.append(f"failed: {request.url}: {request.failure}")

    def unexpected(self) -> list[str]:
        return [one for one in self.troubles if not any(part in one for part in self.expected)]


@pytest.fixture(scope="package")  # not longer: its event loop is in the way of other tests' own
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(ARGUMENTS)
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def workshop(examples: Organization, tmp_path_factory: pytest.TempPathFactory) -> Organization:
    """An organisation of the same service, with one repository: change what you like."""
    organization = examples.service.organization(OWN)
    repository = new_repository(tmp_path_factory.mktemp("browser") / "tools")
    write_files(repository, {"src/saw.py": "def cut(board):\n    return board.halves()\n"})
    commit_all(repository, "First commit")
    index_here(organization, repository, "tools")
    return organization


@pytest.fixture(scope="package")
def knowledge(examples: Organization) -> Organization:
    """The examples with a decision, a policy that is violated, and a memory of retry.py."""
    if examples.get("graph/nodes", query="ADR-700")["count"]:
        return examples  # the package was left and is entered again
    add_node(
        examples,
        kind="knowledge",
        id="ADR-700",
        title="Retries wait longer each time, and not all alike",
        body="# Retries\n\nEach waits *twice* as long as the one before.",
        status="accepted",
    )
    add_node(
        examples,
        kind="policy",
        id="POL-700",
        title="Code does not sleep",
        policy={
            "rule": "rule: {pattern: sleep($$$)}",
            "language": "python",
            "severity": "error",
            "message": "Wait for what you wait for.",
        },
    )
    add_node(examples, kind="memory", id="mem-700", title="Jitter keeps callers apart")
    for source, kind, target in (
        (RETRY, "implements", "ADR-700"),
        ("mem-700", "derived_from", f"{RETRY}#RetryPolicy"),
        ("mem-700", "related_to", "ADR-700"),
    ):
        examples.post("graph/links", **{"from": source, "type": kind, "to": target})
    wait_until(lambda: bool(examples.get("graph/violations", project="common-utils")["count"]))
    return examples


@pytest.fixture(scope="package")
def people(examples: Organization) -> dict[str, list[dict[str, Any]]]:
    """The cookies of a member of the examples, and of who administers the service."""
    service = examples.service
    create_person(service, MEMBER, "--organization", examples.slug)
    create_person(service, ADMIN, "--superuser")
    return {name: cookies_of(examples, name) for name in (MEMBER, ADMIN)}


def cookies_of(acme: Organization, username: str) -> list[dict[str, Any]]:
    with signed_in(acme.service, username) as client:
        return [
            {"name": one.name, "value": one.value or "", "url": acme.service.url}
            for one in client.cookies.jar
        ]


@pytest.fixture
def watch(examples: Organization) -> Iterator[Watch]:
    """Notes what the pages of a test must not do; fails at its end where one did."""
    seen = Watch(urlsplit(examples.service.url).netloc)
    yield seen
    assert seen.unexpected() == []


@pytest.fixture
def open_page(
    browser: Browser,
    examples: Organization,
    people: dict[str, list[dict[str, Any]]],
    watch: Watch,
) -> Iterator[Open]:
    """Opens a page of the service as somebody, with the options of a browser's context."""
    contexts: list[BrowserContext] = []

    def open_as(path: str, username: str | None = MEMBER, **options: Any) -> Page:
        context = browser.new_context(base_url=examples.service.url, **options)
        contexts.append(context)
        context.set_default_timeout(30_000)
        watch.follow(context)
        if username:
            context.add_cookies(people[username])  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(path)
        return page

    yield open_as
    for context in contexts:
        context.close()


@contextmanager
def same_document(page: Page) -> Iterator[None]:
    """What happens within replaces no document: it is not loaded anew."""
    page.evaluate("window.isTheSame = true")
    yield
    assert page.evaluate("window.isTheSame"), "the document was loaded anew"
