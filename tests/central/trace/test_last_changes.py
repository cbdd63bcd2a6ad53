"""When and by which commit the callers of a change last changed."""

from dataclasses import replace
from hashlib import sha1
from typing import Any

import pytest

from central.repositories.models import Repository
from central.trace import last_changes
from indexer.records.history import BLOB_DIGITS, Unread
from tests.central.commits import change, commit, identity, store_commits
from tests.central.protocol import Api
from tests.central.trace.corpus import pyproject, repository

CALLS = (
    "from acme_kit.tokens import verify\n\n\ndef run():\n    verify()\n\n\n"
    "def rest():\n    verify()\n\n\nverify()\n"
)
BEGIN = "@@ -0,0 +1,12 @@\n" + "".join(
    f"+{line}\n" for line in CALLS.replace("rest", "sleep").split("\n")[:-1]
)


def blob_of(text: str) -> str:
    """The first digits of a file's id in git."""
    data = text.encode()
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()[:BLOB_DIGITS]


@pytest.fixture
def shop(api: Api) -> Repository:
    """A shop that calls the kit in two functions and at the top level."""
    library = {"pyproject.toml": pyproject("acme-kit"), "acme_kit/__init__.py": ""}
    repository("kit", library | {"acme_kit/tokens.py": "def verify():\n    return 1\n"})
    asking = {"pyproject.toml": pyproject("acme-shop", "acme-kit"), "main.py": CALLS}
    repository("shop", asking)
    shop = Repository.objects.get(name="shop")
    Repository.objects.filter(pk=shop.pk).update(
        last_indexed_commit=identity("Rest"), web_url="https://forge.example/acme/shop"
    )
    return shop


def impact(api: Api) -> Any:
    body = {"org_id": "acme", "project": "kit", "symbols": ["verify"]}
    return api.request("POST", "/api/v1/trace/impact", body).json()


def changes(answer: Any) -> dict[str, Any]:
    [symbol] = answer["symbols"]
    [project] = symbol["projects"]
    return {row["caller"]["qualified_name"]: row["last_change"] for row in project["callers"]}


def store(shop: Repository) -> None:
    rest = change("main.py", hunks="@@ -8 +8 @@\n-def sleep():\n+def rest():\n")
    begun = change("app.py", status="A", hunks=BEGIN)
    store_commits(
        shop,
        "Rest",
        commit("Begin", at=86_400, changes=[begun]),
        commit("Move", "Begin", at=2 * 86_400, changes=[change("main.py", "app.py")]),
        commit("Rest", "Move", at=3 * 86_400, changes=[rest]),
    )


def test_each_caller_has_the_newest_commit_of_its_lines(api: Api, shop: Repository) -> None:
    store(shop)
    answer = impact(api)
    found = changes(answer)
    assert found["rest"] == {
        "commit": identity("Rest"),
        "committed_at": "1970-01-04T00:00:00Z",
        "subject": "Rest",
        "url": f"https://forge.example/acme/shop/commit/{identity('Rest')}",
    }
    assert found["run"]["subject"] == "Begin"
    assert found[""] is None, "the top level of a file is no definition"
    assert answer["last_changes_left_out"] == 0


def test_without_a_history_nothing_is_said(api: Api, shop: Repository) -> None:
    answer = impact(api)
    assert set(changes(answer).values()) == {None}
    assert answer["last_changes_left_out"] == 0


def test_what_would_take_too_long_is_counted(
    api: Api, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(shop)
    monkeypatch.setattr(last_changes, "LAST_CHANGE_SECONDS", -1.0)
    answer = impact(api)
    assert set(changes(answer).values()) == {None}
    assert answer["last_changes_left_out"] == 2
    monkeypatch.undo()
    monkeypatch.setattr(last_changes, "LAST_CHANGES", 1)
    assert impact(api)["last_changes_left_out"] == 1


def test_a_newer_commit_of_unknown_lines_leaves_the_last_change_unknown(
    api: Api, shop: Repository
) -> None:
    begin = BEGIN.replace("sleep", "rest").replace("def run()", "def go()")
    begun = change("main.py", status="A", hunks=begin.replace("verify()", "verify(1)", 1))
    before = CALLS.replace("verify()", "verify(1)", 1)
    called = change(
        "main.py",
        hunks="@@ -5 +5 @@\n-    verify(1)\n+    verify()\n",
        blob=blob_of(CALLS.replace("def run()", "def go()")),
    )
    named = replace(change("main.py", blob=blob_of(before)), unread=Unread.LARGE)
    merged = "@@@ -4,2 -4,2 +4,2 @@@\n- def go():\n+ def run():\n -    verify(1)\n +    verify()\n"
    store_commits(
        shop,
        "Rest",
        commit("Begin", at=1, changes=[begun]),
        commit("Call", "Begin", at=2, changes=[called]),
        commit("Name", "Begin", at=3, changes=[named]),
        commit("Rest", "Call", "Name", at=4, changes=[change("main.py", hunks=merged)]),
    )
    assert changes(impact(api))["run"] is None


@pytest.mark.parametrize("parents", [["Rest"], ["Other"], ["Other", "Rest"]])
@pytest.mark.parametrize("is_changed", [False, True])
def test_commits_that_precede_one_another_have_no_past(
    api: Api, shop: Repository, parents: list[str], *, is_changed: bool
) -> None:
    """As a client may send them: ids are not verified."""
    changed = [change("main.py", hunks="@@ -8 +8 @@\n-def rest():\n+def rest():\n")]
    store_commits(
        shop,
        "Rest",
        commit("Other", "Rest", at=1, changes=changed * is_changed),
        commit("Rest", *parents, at=2, changes=changed * (is_changed and len(parents) == 1)),
    )
    found = changes(impact(api))
    assert found["run"] is None
    assert (found["rest"] is not None) == (is_changed and len(parents) == 1)
