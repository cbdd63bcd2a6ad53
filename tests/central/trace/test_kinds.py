"""`kind` chooses how a name is used; a name with its file is the one at the top of the file."""

import pytest

from tests.central.trace.conftest import Ask, Callers
from tests.central.trace.corpus import repository


@pytest.fixture
def shop() -> None:
    """Each kind of use of one class, and subclasses of subclasses."""
    repository(
        "shop",
        {
            "base.py": "class Store:\n    def get(self): ...\n\ndef get(): ...\n",
            "uses.py": """\
                from base import Store, get

                class Near(Store): ...
                class Far(Near): ...

                @Store
                def decorated(): ...

                def run():
                    Store()
                    print(Store)
                    Store().get()
                    get()
                """,
        },
    )


@pytest.mark.parametrize(
    ("kinds", "lines"),
    [
        ([], [3, 6, 10, 11, 12]),
        (["call"], [10, 12]),
        (["inherit"], [3]),
        (["decorate"], [6]),
        (["value"], [11]),
        (["decorate", "value"], [6, 11]),
        (["element"], []),
    ],
)
def test_callers_are_of_the_kinds_asked_for(
    shop: None, kinds: list[str], lines: list[int], ask: Ask
) -> None:
    answer = ask("callers", symbol="Store", kind=kinds).json()
    assert [link["line"] for link in answer["callers"]] == lines
    assert all(link["kind"] in kinds for link in answer["callers"] if kinds)


def test_levels_of_one_kind_are_a_hierarchy(shop: None, callers: Callers) -> None:
    assert callers("Store", kind="inherit", depth=3) == [
        "shop/uses.py:3 Near high",
        "shop/uses.py:4 Far high",
    ]


def test_callees_are_of_the_kinds_asked_for(shop: None, ask: Ask) -> None:
    def found(*kinds: str) -> list[str]:
        answer = ask("callees", symbol="run", kind=kinds).json()
        return [f"{link['kind']} {link['callee']['qualified_name']}" for link in answer["callees"]]

    assert found("value") == ["value Store"]
    assert found() == ["call Store", "value Store", "call Store", "call Store.get", "call get"]


def test_references_known_by_name_alone_are_of_the_kinds_too(callers: Callers) -> None:
    repository("loose", {"a.py": "def go(): ...\ndef run(x):\n    x.go()\n    print(x.go)\n"})
    assert callers("go", min_confidence="low", kind="call") == ["loose/a.py:3 run low"]
    assert callers("go", min_confidence="low", kind="inherit") == []


def test_receipt_counts_references_of_every_kind(shop: None, ask: Ask) -> None:
    receipts = [
        ask("callers", symbol="get", kind=kind).json()["receipt"] for kind in ([], ["inherit"])
    ]
    assert receipts[0]["unresolved"] == receipts[1]["unresolved"]
    assert receipts[0]["elsewhere"] == receipts[1]["elsewhere"]


def test_answer_that_the_kind_empties_says_so(shop: None, ask: Ask) -> None:
    answer = ask("callers", symbol="Store", kind="element").json()
    assert answer["hint"] == "kind leaves the other uses out."


def test_kind_that_does_not_exist_is_refused(shop: None, ask: Ask) -> None:
    for kind in ("types", "imports", "calls"):
        assert ask("callers", symbol="Store", kind=kind).status_code == 400


def test_next_page_is_of_the_same_kinds_only(shop: None, ask: Ask) -> None:
    page = ask("callers", symbol="Store", kind="call", limit=1).json()
    following = ask(
        "callers", symbol="Store", kind="call", limit=1, cursor=page["next_cursor"]
    ).json()
    assert [link["line"] for one in (page, following) for link in one["callers"]] == [10, 12]
    assert ask("callers", symbol="Store", cursor=page["next_cursor"]).status_code == 400


def test_name_with_its_file_is_no_method_of_that_name(shop: None, ask: Ask) -> None:
    def meant(**query: object) -> list[str]:
        found = ask("callers", symbol="get", **query).json()["definitions"]
        return [one["qualified_name"] for one in found]

    assert meant() == ["Store.get", "get"]
    assert meant(file="base.py") == ["get"]
    assert meant(file="base.py", line=2) == ["Store.get"]


def test_method_is_found_by_name_and_file_if_nothing_else_has_it(ask: Ask) -> None:
    repository("shop", {"base.py": "class Store:\n    def get(self): ...\n"})
    (one,) = ask("callers", symbol="get", file="base.py").json()["definitions"]
    assert one["qualified_name"] == "Store.get"


def test_too_many_definitions_name_the_form_that_chooses_one(ask: Ask) -> None:
    files = {f"m{number}.py": "def go(): ...\n" for number in range(201)}
    repository("many", files)
    (said,) = ask("callers", symbol="go").json()["receipt"]["cut"]
    assert "module:name" in said


def test_unknown_name_is_told_the_forms_of_a_name(shop: None, ask: Ask) -> None:
    problem = ask("callers", symbol="gett", file="base.py").json()
    assert "module:name" in problem["detail"]
