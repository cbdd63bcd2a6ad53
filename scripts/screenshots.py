"""Takes docs/images/*.webp: the pages as Chromium shows them, over the example organisation.

.venv/bin/python -m scripts.screenshots [NAME …]
"""

import base64
import re
import shutil
import sys
from collections.abc import Collection
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from scripts.browsing import create_person, signed_in
from scripts.examples import example_repositories, index_all, load_knowledge
from scripts.local_git import commit_all, git
from scripts.local_service import ROOT, Organization, running_service, temporary_workspace

IMAGES = ROOT / "docs" / "images"
QUALITY = 60
PERSON = "ada"
_RETRY = "src/acme_common/retry.py"
_COMMITS = (
    (
        "attempts: int = 5",
        "attempts: int = 8",
        "Try eight times: the bank is away for a minute at night",
    ),
    ("cap_seconds: float = 10.0", "cap_seconds: float = 20.0", "Wait up to 20 seconds"),
)
PAGES = (
    ("search", "/o/acme/?q=validate+a+JWT", "light"),
    ("exact", "/o/acme/?q=lang%3Apython+%22retry_call%22+-file%3Atest", "light"),
    ("tree", "/o/acme/r/payments-api/tree/payments", "light"),
    ("file", "/o/acme/r/common-utils/file/src/acme_common/retry.py#L10-L20", "light"),
    ("diff", "/o/acme/?q=type%3Adiff+%22attempts%22", "light"),
    ("history", f"/o/acme/r/common-utils/history/{_RETRY}", "light"),
    ("blame", f"/o/acme/r/common-utils/file/{_RETRY}?blame=1#L25-L45", "light"),
    ("symbol", "/o/acme/symbol?name=AuthMiddleware", "light"),
    ("graph", "/o/acme/graph?name=retry_call", "dark"),
    ("status", "/o/acme/repositories", "light"),
    ("settings", "/o/acme/settings", "light"),
    ("repository", "/o/acme/r/auth-service", "light"),
    ("knowledge", "/o/acme/knowledge/payments-api%2FADR-0042", "light"),
    ("admin", "/admin/", "light"),
)


def main(names: Collection[str]) -> None:
    """Index the examples, sign in and take those of that name; without names, all."""
    with (
        temporary_workspace("aeterna-screenshots-") as workspace,
        running_service(workspace / "data") as service,
        sync_playwright() as playwright,
    ):
        acme = service.organization("acme")
        repositories = example_repositories(workspace / "git")
        index_all(acme, repositories)
        change_retries(repositories["common-utils"])
        acme.index(repositories["common-utils"], "common-utils")
        load_knowledge(acme)
        create_person(service, PERSON, "--superuser")
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        take(chromium, acme, names)
        chromium.close()


def change_retries(repository: Path) -> None:
    """Commit twice on a branch, and merge it."""
    file = repository / _RETRY
    for number, (old, new, subject) in enumerate(_COMMITS):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(old, new), encoding="utf-8")
        if not number:
            git(repository, "checkout", "--quiet", "-b", "patient")
        commit_all(repository, subject)
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--quiet", "--no-ff", "--message", "Merge branch 'patient'", "patient")


def take(browser: Browser, acme: Organization, names: Collection[str]) -> None:
    """One file for each page, overwritten."""
    IMAGES.mkdir(exist_ok=True)
    with signed_in(acme.service, PERSON) as client:
        cookies = [(one.name, one.value or "") for one in client.cookies.jar]
        listed = client.get("/o/acme/r/auth-service").text
    run = re.findall("/o/acme/runs/[0-9a-f-]+", listed)[0]
    for name, address, scheme in (*PAGES, ("run", run, "light")):
        if names and name not in names:
            continue
        context = browser.new_context(
            base_url=acme.service.url,
            color_scheme="dark" if scheme == "dark" else "light",
            viewport={"width": 1280, "height": 800},
        )
        context.add_cookies(
            [{"name": key, "value": value, "url": acme.service.url} for key, value in cookies]
        )
        (IMAGES / f"{name}.webp").write_bytes(picture(context, address))
        context.close()


def picture(context: BrowserContext, address: str) -> bytes:
    """What the window shows of a page, as WebP."""
    page = context.new_page()
    page.goto(address, wait_until="networkidle")
    session = context.new_cdp_session(page)
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    return base64.b64decode(taken["data"])


if __name__ == "__main__":
    main(sys.argv[1:])
