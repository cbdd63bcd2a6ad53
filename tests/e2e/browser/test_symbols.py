"""Who uses a symbol, as lists and as a picture that can be walked."""

import re
from itertools import combinations
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from playwright.sync_api import expect

from scripts.browsing import create_person
from scripts.local_git import commit_all, new_repository
from scripts.local_service import Organization
from tests.e2e.browser.conftest import Open, cookies_of
from tests.e2e.conftest import write_files
from tests.e2e.indexing import index_here

pytestmark = pytest.mark.system("chromium")


def test_callers_are_listed_by_project_with_their_confidence(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/symbol")
    page.get_by_label("Name of a function", exact=False).fill("AuthMiddleware")
    page.get_by_role("button", name="Trace").click()
    callers = page.get_by_role("region", name="Callers", exact=False)
    expect(callers.get_by_role("heading", level=3).nth(1)).to_be_visible()
    expect(callers.get_by_text("high").first).to_be_visible()
    callers.get_by_role("rowheader").get_by_role("link", name="create_app").first.click()
    expect(page.get_by_role("heading", name="Definition")).to_be_visible()


def test_a_node_of_the_graph_lights_up_what_it_is_joined_to(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/graph?name=retry_call")
    nodes, lit = page.locator("a.node"), page.locator("a.node.is-lit")
    assert nodes.count() > 2
    boxes = nodes.evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().toJSON())")
    assert not any(
        box["left"] < other["right"] and other["left"] < box["right"]
        and box["top"] < other["bottom"] and other["top"] < box["bottom"]
        for box, other in combinations(boxes, 2)
    )  # fmt: skip
    lefts = [box["left"] for box in boxes]
    assert lefts == sorted(lefts)  # from the callers to the callees
    page.locator("a.node-root").focus()
    expect(lit).not_to_have_count(0)
    expect(page.locator(".edge.is-lit").first).to_be_attached()
    page.locator("a.node-root").evaluate("node => node.blur()")
    expect(lit.first).not_to_be_attached()
    page.locator("a.node-root").hover(force=True)
    expect(lit.first).to_be_attached()


def test_the_graph_is_zoomed_and_walked_by_keyboard(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/graph?name=retry_call")
    picture = page.locator("[data-graph]")
    before = picture.get_attribute("viewBox")
    page.get_by_role("button", name="Larger").click()
    assert picture.get_attribute("viewBox") != before

    page.locator("a.node-root").focus()
    for key in ("ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
        if page.evaluate("!document.activeElement.classList.contains('node-root')"):
            break
    assert page.evaluate("document.activeElement.classList.contains('node')")
    assert page.evaluate("!document.activeElement.classList.contains('node-root')")
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(re.compile("name=retry_call"))
    expect(page.locator("a.node-root")).to_be_visible()


def test_a_box_of_many_definitions_opens_and_closes(
    examples: Organization,
    people: dict[str, list[dict[str, Any]]],
    open_page: Open,
    tmp_path: Path,
) -> None:
    own = f"crowd-{token_hex(4)}"  # again if the test is tried again
    organization = examples.service.organization(own)
    create_person(examples.service, own, "--organization", organization.slug)
    people[own] = cookies_of(examples, own)
    repository = new_repository(tmp_path / "crowd")
    calls = "from pump import push\n\n" + "".join(
        f"def {{0}}_{number}():\n    push()\n\n\n" for number in range(25)
    )
    files = {f"{name}.py": calls.format(name) for name in ("early", "late")}
    write_files(repository, {"pump.py": "def push(): ...\n", **files})
    commit_all(repository, "First commit")
    index_here(organization, repository, "crowd")
    page = open_page(f"/o/{organization.slug}/graph?name=push&project=crowd", own)
    expect(page.locator("a.node")).to_have_count(3)
    page.get_by_role("link", name="crowd/early.py: 25 definitions, open").press("Enter")
    expect(page.locator("a.node")).to_have_count(27)
    page.get_by_role("link", name="Close crowd/early.py").click()
    expect(page.locator("a.node")).to_have_count(3)


def test_the_map_is_a_picture_that_zooms_and_its_table_leads_to_maps_of_repositories(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(f"/o/{examples.slug}/map")
    canvas = page.locator("[data-map] canvas").first
    expect(canvas).to_be_visible()
    page.get_by_role("button", name="Larger").click()
    page.get_by_role("button", name="All of it").click()
    page.get_by_role("rowheader").get_by_role("link", name="auth-service").first.click()
    expect(page.get_by_role("heading", name="Map of auth-service")).to_be_visible()
    expect(canvas).to_be_visible()


def test_on_a_phone_two_fingers_zoom_the_graph_and_its_table_has_no_hidden_column(
    examples: Organization, open_page: Open
) -> None:
    page = open_page(
        f"/o/{examples.slug}/graph?name=retry_call",
        has_touch=True,
        viewport={"width": 390, "height": 844},
    )
    picture = page.locator("[data-graph]")
    expect(page.get_by_text("One finger moves it sideways")).to_be_visible()
    before = float((picture.get_attribute("viewBox") or "").split()[2])
    box = picture.bounding_box()
    assert box
    touches = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 20), ("touchMove", 60), ("touchMove", 90)):
        fingers = [
            {"x": box["x"] + 180 + side * apart, "y": box["y"] + 200, "id": side}
            for side in (-1, 1)
        ]
        touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert float((picture.get_attribute("viewBox") or "").split()[2]) < before / 2

    row = page.get_by_role("region", name="The same as a table").locator("tbody tr").first
    assert row.evaluate(
        "row => [...row.cells].every(one => one.getBoundingClientRect().right < 390)"
    )
    assert row.locator("td").nth(3).get_attribute("data-label") == "Confidence"
