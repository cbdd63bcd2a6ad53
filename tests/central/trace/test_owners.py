"""Whose files the callers are in: of each, counted over all pages, and for an impact."""

from typing import Any

import pytest

from tests.central.protocol import Api, api_of
from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import pyproject, repository

RULES = "* @acme/shops\n/web/ @acme/web jane@acme.example\n/tests/\n"
CALLS = "from acme_kit.tokens import verify\n\n\ndef run():\n    verify()\n    verify()\n"


@pytest.fixture(autouse=True)
def _kit(api: Api) -> None:
    library = {"pyproject.toml": pyproject("acme-kit"), "acme_kit/__init__.py": ""}
    repository("kit", library | {"acme_kit/tokens.py": "def verify():\n    return 1\n"})
    asking = {"pyproject.toml": pyproject("acme-shop", "acme-kit"), "CODEOWNERS": RULES}
    places = ("main.py", "web/app.py", "tests/test_app.py")
    repository("shop", asking | dict.fromkeys(places, CALLS))
    secret = {"CODEOWNERS": "* @acme/secret\n", "main.py": CALLS}
    repository("secret", {"pyproject.toml": pyproject("acme-s", "acme-kit"), **secret})


def counted(rows: list[dict[str, Any]]) -> dict[str | None, int]:
    assert all(one["known"] for one in rows)
    return {one["owner"]: one["count"] for one in rows}


def test_callers_have_the_owners_of_their_files_and_are_counted_by_owner(ask: Ask) -> None:
    answer = ask("callers", symbol="verify", limit=3).json()
    assert [(one["file"], one["owners"]) for one in answer["callers"]] == [
        ("main.py", ["@acme/secret"]),
        ("main.py", ["@acme/secret"]),
        ("main.py", ["@acme/shops"]),
    ]
    assert answer["next_cursor"]
    expected = {
        "@acme/shops": 2, "@acme/web": 2, "an e-mail address": 2, "@acme/secret": 2, None: 2
    }  # fmt: skip
    assert counted(answer["owners"]) == expected
    following = ask("callers", symbol="verify", limit=3, cursor=answer["next_cursor"]).json()
    assert following["owners"] == answer["owners"]
    one = ask("callers", symbol="verify", caller_projects="secret").json()
    assert counted(one["owners"]) == {"@acme/secret": 2}


def test_an_impact_counts_the_callers_of_each_definition_by_owner(api: Api) -> None:
    body = {"org_id": "acme", "project": "kit", "symbols": ["verify"], "limit": 1}
    [symbol] = api.request("POST", "/api/v1/trace/impact", body).json()["symbols"]
    assert counted(symbol["owners"])["@acme/web"] == 2
    assert sum(len(one["callers"]) for one in symbol["projects"]) == 1, "counts are of all callers"


def test_owners_of_hidden_repositories_are_in_no_count(ask_live: Ask) -> None:
    token = api_of(repositories=["kit", "shop"]).token
    answer = ask_live("callers", token=token, symbol="verify").json()
    assert counted(answer["owners"]).keys() == {
        "@acme/shops",
        "@acme/web",
        "an e-mail address",
        None,
    }
    assert "secret" not in str(answer)
