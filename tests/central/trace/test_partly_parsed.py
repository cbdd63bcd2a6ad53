"""Answers about files that their grammars understand only in part."""

import pytest

from central.repositories.models import Repository
from indexer.resolution import unparsed
from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import change_files, pyproject, repository

FILES = {
    "pyproject.toml": pyproject("acme-shop"),
    "acme/shop.py": """\
        def score(x):
            return x


        def plain(x):
            return score(x)
        """,
    "acme/broken.py": """\
        from acme.shop import plain


        def fine():
            return plain(2)


        def broken():
            def = score(1)
            return 1
        """,
    "acme/other.go": """\
        package acme

        func other() { var func = plain(1) }
        """,
}


@pytest.fixture
def shop() -> Repository:
    return repository("shop", FILES)


def test_callers_of_a_name_that_is_not_understood_are_incomplete(
    shop: Repository, ask: Ask
) -> None:
    answer = ask("callers", symbol="score").json()
    receipt = answer["receipt"]
    assert [one["line"] for one in answer["callers"]] == [6]
    assert receipt["unresolved"]["count"] == 1
    assert not receipt["complete"]
    assert receipt["partly_parsed"]["relevant"] == [{"project": "shop", "file": "acme/broken.py"}]
    low = ask("callers", symbol="score", min_confidence="low").json()
    assert [(one["file"], one["line"]) for one in low["callers"]] == [
        ("acme/broken.py", 9),
        ("acme/shop.py", 6),
    ]


def test_other_partly_parsed_files_are_counted_alone(shop: Repository, ask: Ask) -> None:
    receipt = ask("callers", symbol="plain").json()["receipt"]
    assert receipt["complete"]
    assert receipt["partly_parsed"] == {
        "count": 2,
        "sample": [
            {"project": "shop", "file": "acme/broken.py"},
            {"project": "shop", "file": "acme/other.go"},
        ],
        "relevant": [],
    }


def test_callees_are_incomplete_if_the_definition_is_not_understood(
    shop: Repository, ask: Ask
) -> None:
    assert ask("callees", symbol="fine").json()["receipt"]["complete"]
    assert not ask("callees", symbol="broken").json()["receipt"]["complete"]
    assert not ask("graph", symbol="broken").json()["receipt"]["complete"]


def test_a_file_with_more_names_than_are_kept_may_have_any(
    shop: Repository, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unparsed, "UNPARSED_NAMES", 0)
    change_files(shop, {"acme/broken.py": FILES["acme/broken.py"] + "\n"})  # another text
    assert not ask("callers", symbol="plain").json()["receipt"]["complete"]


def test_a_file_that_is_parsed_again_is_partly_parsed_no_more(shop: Repository, ask: Ask) -> None:
    change_files(shop, {"acme/broken.py": "x = 1\n"}, removed=("acme/other.go",))
    receipt = ask("callers", symbol="score").json()["receipt"]
    assert receipt["complete"]
    assert receipt["partly_parsed"]["count"] == 0


def test_callers_of_a_caller_whose_name_is_not_understood_are_incomplete(ask: Ask) -> None:
    base = "def base(x):\n    return x\n\n\n"
    score = "def score(x):\n    return base(x)\n"
    repository("shop", FILES | {"acme/shop.py": base + score})
    assert ask("callers", symbol="base", depth=1).json()["receipt"]["complete"]
    assert ask("graph", symbol="base", depth=1).json()["receipt"]["complete"]
    assert not ask("graph", symbol="base", depth=2).json()["receipt"]["complete"]
    receipt = ask("callers", symbol="base", depth=2).json()["receipt"]
    assert not receipt["complete"]
    assert receipt["partly_parsed"]["relevant"] == [{"project": "shop", "file": "acme/broken.py"}]
