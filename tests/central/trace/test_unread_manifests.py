"""Answers that depend on a manifest which could not be read whole."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.central.protocol import api_of
from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import organization_of, pyproject, repository

BROKEN = "[project\n"
TOKENS = {
    "pyproject.toml": pyproject("acme-security"),
    "auth/__init__.py": "from auth.tokens import verify\n",
    "auth/tokens.py": "def verify(x):\n    return x\n\n\ndef get(x):\n    return x\n",
}
USES = "from auth import verify\n\n\ndef shop():\n    return verify(1)\n"


def receipt(ask: Ask, what: str = "callers", **query: object) -> Any:
    return ask(what, **{"symbol": "verify", **query}).json()["receipt"]


def unread(project: str, file: str, problem: str = "invalid") -> dict[str, str]:
    return {"project": project, "file": file, "problem": problem}


def test_a_consumer_whose_manifest_is_unread_may_be_a_caller(ask: Ask) -> None:
    repository("auth", TOKENS)
    repository("shop", {"pyproject.toml": BROKEN, "shop.py": USES})
    answer = ask("callers", symbol="verify").json()
    assert answer["receipt"]["unread_manifests"] == [unread("shop", "pyproject.toml")]
    assert not answer["receipt"]["complete"]
    assert "could not be read whole may hide some" in answer["hint"]
    for what in ("graph", "callees"):
        found = receipt(ask, what, symbol="shop" if what == "callees" else "verify")
        assert found["unread_manifests"] == [unread("shop", "pyproject.toml")]
        assert not found["complete"]


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": pyproject("shop", "acme-security"), "shop.py": USES},  # a caller
        {"pyproject.toml": pyproject("shop"), "shop.py": USES},  # it is read, and says no
        {"pyproject.toml": BROKEN, "shop.py": "x = 1\n"},  # it uses no such name
        {"pyproject.toml": BROKEN, "shop.py": USES.replace("from auth", "from requests")},
        {"web/package.json": "{", "shop.py": USES},  # of another ecosystem
        {"tools/pyproject.toml": BROKEN, "shop.py": USES},  # of other files
    ],
)
def test_an_unread_manifest_that_decides_nothing_leaves_the_answer_complete(
    ask: Ask, files: Mapping[str, str]
) -> None:
    repository("auth", TOKENS)
    repository("shop", files)
    found = receipt(ask)
    assert found["unread_manifests"] == []
    assert found["complete"]


def test_what_a_broken_package_json_calls_its_dependencies_is_unknown(ask: Ask) -> None:
    repository(
        "log",
        {
            "package.json": '{"name": "@acme/log", "main": "index.js"}',
            "index.js": "export function info(x) { return x }\n",
        },
    )
    uses = 'import { info } from "log"\n\nexport function go() { return info(1) }\n'
    repository("web", {"package.json": "{", "app.js": uses})
    repository("other", {"package.json": '{"name": "other"}', "app.js": uses})
    assert receipt(ask, symbol="info")["unread_manifests"] == [unread("web", "package.json")]


def test_the_public_name_of_a_package_is_unknown_if_its_own_manifest_is(ask: Ask) -> None:
    module = "export function info(x) { return x }\n"
    repository("kit", {"package.json": "{", "index.js": module})
    uses = 'import { info } from "@acme/log"\n\nexport function go() { return info(1) }\n'
    repository("shop", {"package.json": '{"name": "shop"}', "app.js": uses})
    found = receipt(ask, symbol="info")
    assert found["unread_manifests"] == [unread("kit", "package.json")]
    assert not found["complete"]


def test_a_package_of_python_is_known_by_its_directories(ask: Ask) -> None:
    repository("auth", TOKENS | {"pyproject.toml": BROKEN})
    repository("shop", {"pyproject.toml": pyproject("shop"), "shop.py": USES})
    uses = "import requests\n\n\ndef go():\n    return requests.get(1)\n"
    repository("cart", {"pyproject.toml": pyproject("cart"), "cart.py": uses})
    assert receipt(ask, symbol="get")["complete"]


def test_nothing_is_said_of_what_the_credential_does_not_see() -> None:
    repository("auth", TOKENS)
    repository("shop", {"pyproject.toml": BROKEN, "shop.py": USES})
    api = api_of(organization_of(), repositories=["auth"])
    answer = api.request("GET", "/api/v1/trace/callers?org_id=acme&symbol=verify").json()
    assert answer["receipt"]["unread_manifests"] == []
    assert answer["receipt"]["complete"]


def test_many_unread_manifests_take_no_more_queries(ask_live: Ask) -> None:
    repository("auth", TOKENS)
    files = {"pyproject.toml": BROKEN, "shop.py": USES}
    repository("shop-1", files)
    _queries_of(ask_live)  # the first notes that the token is used
    before = _queries_of(ask_live)
    for number in range(2, 25):
        repository(f"shop-{number}", files)
    assert _queries_of(ask_live) == before
    assert len(receipt(ask_live)["unread_manifests"]) == 20


def _queries_of(ask: Ask) -> int:
    with CaptureQueriesContext(connection) as queries:
        ask("callers", symbol="verify")
    return len(queries)
