"""Traces on a branch: what an index of its files alone answers, with all others by default."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from central.repositories.models import Repository
from central.repositories.states import RunState
from central.trace.stored.follower import CallEdges
from indexer.records.files import FileRecord
from tests.central.branches import BRANCHES, MAIN, Files, Service
from tests.central.protocol import Api, api_of, blob_of
from tests.central.search.corpus import extracted
from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import add_scip, pyproject, repository
from tests.property_settings import examples

MANIFEST = '[project]\nname = "acme-shop"\nversion = "1.0"\n'
OTHER_MANIFEST = '[project]\nname = "acme-cart"\nversion = "2.0"\n'
USER: Files = {
    "pyproject.toml": '[project]\nname = "app"\ndependencies = ["acme-shop"]\n',
    "app.py": """\
import shop
from shop import charge
from shop.pay import Till


def order(till: Till):
    charge(1)
    till.put()
    shop.refund()
""",
}
CONTENTS = {
    "pyproject.toml": (MANIFEST, OTHER_MANIFEST),
    "shop/__init__.py": (
        "from shop.pay import charge\n",
        "from shop.till import charge, refund\n",
        "from .till import *\n",
    ),
    "shop/pay.py": (
        "from shop.till import put\n\n\nclass Till:\n    def put(self):\n        put()\n\n\n"
        "def charge(n):\n    Till().put()\n",
        "from shop.till import Base\n\n\nclass Till(Base):\n    pass\n\n\n"
        "def charge(n):\n    refund()\n\n\ndef refund():\n    charge(2)\n",
    ),
    "shop/till.py": (
        "from shop import pay\n\n\nclass Base:\n    def put(self):\n        pay.charge(3)\n\n\n"
        "def put():\n    pass\n",
        "def charge(n):\n    refund()\n\n\ndef refund():\n    pass\n\n\n"
        "def put():\n    charge(4)\n",
    ),
}
NAMES = ("charge", "refund", "put", "order", "Till", "Base")
OF_LINKS = ("project", "file", "line", "column", "kind", "rule", "confidence", "candidates")


def record_of(path: str, content: str) -> FileRecord:
    return replace(extracted(path, content.encode()), chunks=(), blob=blob_of(content))


def shop_of(api: Api) -> Service:
    type(api.organization).objects.update(branches=["release/*"])
    return Service(api, record=record_of)


def traced(ask: Ask, what: str, name: str, **query: object) -> Any:
    """What is asked, without what tells one commit and one index from another."""
    answer = ask(what, symbol=name, project="shop", **query)
    if answer.status_code != 200:
        return answer.json()["code"]
    found = answer.json()
    if what == "graph":
        return found["nodes"], found["edges"], found["receipt"]["unresolved"]["count"]
    return (
        [(row["project"], row["file"], row["line"]) for row in found["definitions"]],
        [
            ({name: link[name] for name in OF_LINKS}, link["caller"], link["callee"])
            for link in found[what]
        ],
        [found["receipt"][name] for name in ("unresolved", "elsewhere", "cut")],
    )


def all_traced(ask: Ask, **query: object) -> Mapping[tuple[str, str], Any]:
    return {
        (what, name): traced(ask, what, name, **query)
        for name in NAMES
        for what in ("callers", "callees", "graph")
    }


contents = st.fixed_dictionaries(
    {}, optional={path: st.sampled_from(texts) for path, texts in CONTENTS.items()}
)


@settings(examples(6))
@given(
    start=contents,
    pushes=st.lists(st.tuples(st.sampled_from(BRANCHES), contents), min_size=1, max_size=4),
)
def test_a_trace_on_a_branch_is_that_of_its_files_alone(
    api: Api, ask_live: Ask, start: Files, pushes: list[tuple[str, Files]]
) -> None:
    Repository.objects.all().delete()
    repository("app", USER)
    shop = shop_of(api)
    shop.push(MAIN, start)
    for branch, files in pushes:
        assert shop.push(branch, files) == [RunState.APPLIED]
    while CallEdges().update(api.organization.pk):
        pass
    answers = {
        branch: all_traced(ask_live, **({} if branch == MAIN else {"ref": branch}))
        for branch in shop.indexed
    }
    for branch, files in shop.indexed.items():
        Repository.objects.filter(name="shop").delete()
        shop_of(api).push(MAIN, files)
        assert answers[branch] == all_traced(ask_live), branch


@pytest.fixture
def shop(api: Api) -> Service:
    """On `release/1` another module has the function that `app` calls."""
    repository("app", USER)
    shop = shop_of(api)
    first = {path: texts[0] for path, texts in CONTENTS.items()}
    second = {path: texts[1] for path, texts in CONTENTS.items()}
    shop.push(MAIN, first)
    shop.push("release/1", {**second, "pyproject.toml": MANIFEST})
    while CallEdges().update(api.organization.pk):
        pass
    return shop


def callers_in_app(ask: Ask, **query: object) -> list[tuple[str, str]]:
    answer = ask("callers", project="shop", symbol="charge", **query).json()
    return [
        (link["callee"]["file"], link["caller"]["name"])
        for link in answer["callers"]
        if link["project"] == "app"
    ]


def test_callers_in_other_repositories_lead_to_the_definition_of_the_branch(
    shop: Service, ask_live: Ask
) -> None:
    assert callers_in_app(ask_live) == [("shop/pay.py", "order")]
    for ref in ("release/1", "refs/heads/release/1"):
        assert callers_in_app(ask_live, ref=ref) == [("shop/till.py", "order")]
    for ref in ("main", "HEAD"):
        assert callers_in_app(ask_live, ref=ref) == [("shop/pay.py", "order")]


def test_the_receipt_says_which_branch_was_read(shop: Service, ask_live: Ask) -> None:
    receipt = ask_live("callers", project="shop", symbol="charge", ref="release/1").json()[
        "receipt"
    ]
    read = {project["project"]: project["ref"] for project in receipt["projects"]}
    assert read == {"app": "main", "shop": "release/1"}
    assert receipt["branches"].startswith("shop was read by its branch release/1, all other")
    assert receipt["edges_behind"] is None
    default = ask_live("callers", project="shop", symbol="charge").json()["receipt"]
    assert (default["branches"], default["edges_behind"]) == ("", 0)


def test_a_branch_needs_its_project_and_an_index(shop: Service, ask_live: Ask) -> None:
    def code(**query: object) -> tuple[int, str]:
        answer = ask_live("callers", symbol="charge", **query)
        return answer.status_code, answer.json()["code"]

    assert code(ref="release/1") == (400, "ref_needs_project")
    assert code(ref="release/2", project="shop") == (404, "branch_not_found")
    assert code(ref="main", project="nothing") == (404, "repository_not_found")


def test_a_branch_of_a_hidden_repository_does_not_exist(shop: Service, ask_live: Ask) -> None:
    token = api_of(shop.api.organization, repositories=["app"]).token
    query = {"project": "shop", "symbol": "charge", "token": token}
    hidden = ask_live("callers", ref="release/1", **query)
    unknown = ask_live("callers", ref="nothing", **query)
    assert (hidden.status_code, hidden.json()) == (unknown.status_code, unknown.json())
    assert hidden.json()["code"] == "repository_not_found"


def test_a_cursor_of_one_branch_is_none_of_another(shop: Service, ask_live: Ask) -> None:
    query = {"project": "shop", "symbol": "put", "limit": 1}
    cursor = ask_live("callers", **query).json()["next_cursor"]
    assert cursor
    assert ask_live("callers", cursor=cursor, ref="release/1", **query).status_code == 400


def test_a_position_is_one_of_the_branch(shop: Service, ask_live: Ask) -> None:
    place = {"project": "shop", "file": "shop/pay.py", "line": 9, "column": 4}
    of_branch = ask_live("definition", ref="release/1", **place).json()
    assert of_branch["name"]["name"] == "refund"
    assert [found["line"] for found in of_branch["definitions"]] == [12]
    assert ask_live("references", ref="release/1", **place).json()["count"] == 1


LIB = {
    "pyproject.toml": pyproject("lib"),
    "lib/core.py": "class Box:\n    def go(self): ...\nclass Other:\n    def go(self): ...\n",
}
BOUND = {
    "pyproject.toml": pyproject("app", "lib"),
    "app/main.py": "def main(box):\n    box.go()\n",
}
OF_BOX = "scip-python python lib . `lib.core`/Box#go()."


def service_of(api: Api, name: str, files: Files) -> Service:
    service = replace(shop_of(api), project=name)
    service.push(MAIN, files)
    return service


def indexed_by_scip(api: Api) -> tuple[Service, Service]:
    """`app`, whose call an index binds to a method of `lib`; both have a branch."""
    lib, app = service_of(api, "lib", LIB), service_of(api, "app", BOUND)
    add_scip(Repository.objects.get(name="app"), {"app/main.py": {"box.|go": OF_BOX}})
    for service, files in ((lib, LIB), (app, BOUND)):
        service.push("release/1", {**files, "new.py": "def fresh(): ...\n"})
    return lib, app


def test_an_index_of_a_default_branch_says_nothing_of_another(api: Api, ask_live: Ask) -> None:
    indexed_by_scip(api)
    asked = {"project": "app", "symbol": "main"}
    assert [link["rule"] for link in ask_live("callees", **asked).json()["callees"]] == ["scip"]
    answer = ask_live("callees", ref="release/1", **asked).json()
    assert answer["callees"] == []
    assert answer["receipt"]["unresolved"]["count"] == 1
    assert answer["receipt"]["resolved_by"] == []


def test_an_index_of_another_repository_binds_to_what_the_branch_still_has(
    api: Api, ask_live: Ask
) -> None:
    lib, _ = indexed_by_scip(api)
    asked = {"project": "lib", "symbol": "Box.go"}
    found = ask_live("callers", ref="release/1", **asked).json()
    assert [(link["project"], link["rule"]) for link in found["callers"]] == [("app", "scip")]
    lib.push("release/1", {**LIB, "lib/core.py": LIB["lib/core.py"].replace("go", "stay")})
    answer = ask_live("callers", ref="release/1", **asked)
    assert answer.json()["code"] == "symbol_not_found"
    asked["symbol"] = "Box.stay"
    assert ask_live("callers", ref="release/1", **asked).json()["callers"] == []


def test_the_impact_of_a_change_on_a_branch_is_that_of_its_definitions(
    shop: Service, ask_live: Ask
) -> None:
    def impact(**members: object) -> Any:
        body = {"org_id": shop.api.organization.slug, "project": "shop", **members}
        return shop.api.request("POST", "/api/v1/trace/impact", body)

    files = [{"path": "shop/till.py", "lines": [[1, 2]]}]
    assert impact(files=files).json()["symbols"] == []
    [symbol] = impact(files=files, ref="release/1").json()["symbols"]
    assert symbol["definition"]["name"] == "charge"
    assert "app" in {project["project"] for project in symbol["projects"]}
    assert impact(files=files, ref="release/2").json()["code"] == "branch_not_found"
