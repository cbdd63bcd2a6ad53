"""A name at a position, followed: to its definition, to several, or to the reason for none."""

from textwrap import dedent

import pytest

from aeterna_code_search.contract.trace import FilePosition, Meaning
from central.corpus.models import File, Reference
from central.errors import NotFoundError
from central.tenancy.credentials import Credential
from central.trace.position import definition_at
from tests.central.protocol import api_of
from tests.central.trace.conftest import Ask, short
from tests.central.trace.corpus import (
    COMMIT,
    add_scip,
    organization_of,
    pyproject,
    repository,
)

KIT = {
    "pyproject.toml": pyproject("acme-kit"),
    "acme_kit/__init__.py": "from .auth import Auth\n",
    "acme_kit/auth.py": """\
        class Auth:
            def verify(self): ...

        class Strict(Auth):
            def verify(self): ...

        def sign(): ...
        """,
}
MAIN = dedent("""\
    from acme_kit import Auth
    from acme_kit.auth import sign
    import requests

    def main(one: Auth, other):
        sign()
        one.verify()
        other.verify()
        requests.get()
        helper(sign)
        other.nowhere_at_all()
    """)


@pytest.fixture
def app() -> None:
    """A library, and a program that uses it."""
    repository("kit", KIT)
    repository("app", {"pyproject.toml": pyproject("acme-app", "acme-kit"), "main.py": MAIN})


def credential(repositories: frozenset[str] | None = None) -> Credential:
    return Credential(organization_of(), frozenset({"search"}), repositories, None)


def followed(text: str, repositories: frozenset[str] | None = None) -> Meaning:
    """What stands first at `text` of the program."""
    [(line, column)] = [
        (number, one.index(text)) for number, one in enumerate(MAIN.split("\n"), 1) if text in one
    ][:1]
    position = FilePosition("app", "main.py", line, column)
    return definition_at(credential=credential(repositories), position=position)


def ends(found: Meaning) -> list[tuple[str, str, str]]:
    return [(one.qualified_name, one.rule, one.confidence) for one in found.definitions]


@pytest.mark.usefixtures("app")
def test_a_reference_that_is_clear_has_a_target() -> None:
    found = followed("sign()")
    assert found.target is not None
    assert (found.target.file, found.target.line) == ("acme_kit/auth.py", 7)
    assert ends(found) == [("sign", "import", "high")]
    assert found.hint is None


@pytest.mark.usefixtures("app")
def test_a_member_that_is_overridden_may_be_each_of_them_the_surest_first() -> None:
    found = followed("verify()")
    assert found.target is None
    assert ends(found) == [
        ("Auth.verify", "receiver_type", "high"),
        ("Strict.verify", "receiver_type", "medium"),
    ]


@pytest.mark.usefixtures("app")
def test_of_an_unknown_value_definitions_of_that_name_are_offered_and_none_is_the_target() -> None:
    line = MAIN.split("\n").index("    other.verify()") + 1
    position = FilePosition("app", "main.py", line, 10)
    found = definition_at(credential=credential(), position=position)
    assert found.target is None
    assert {one.rule for one in found.definitions} == {"name_only"}
    assert [one.qualified_name for one in found.definitions] == [
        "Auth.verify",
        "Strict.verify",
    ]
    assert "does not say of which class" in found.hint


@pytest.mark.usefixtures("app")
def test_what_leads_nowhere_says_why() -> None:
    found = followed("get()")
    assert found.definitions == []
    assert "imports “requests" in found.hint
    assert "“helper”" in followed("helper(").hint
    assert followed("nowhere_at_all").definitions == []


@pytest.mark.usefixtures("app")
def test_what_the_credential_does_not_see_is_no_target() -> None:
    found = followed("sign()", repositories=frozenset({"app"}))
    assert found.definitions == []
    assert "no repository that you may see" in found.hint
    unknown = followed("nowhere_at_all", repositories=frozenset({"app"}))
    assert unknown.definitions == []


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(
    ("position", "code"),
    [
        (FilePosition("nothing", "main.py", 1, 0), "repository_not_found"),
        (FilePosition("app", "nothing.py", 1, 0), "file_not_found"),
        (FilePosition("app", "main.py", 1, 0), "reference_not_found"),
        (FilePosition("app", "main.py", 5, 1), "reference_not_found"),  # def
        (FilePosition("app", "main.py", 6, 8), "reference_not_found"),  # behind the name
        (FilePosition("app", "a\0b", 1, 0), "file_not_found"),
    ],
)
def test_a_place_without_a_name_is_not_found(position: FilePosition, code: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        definition_at(credential=credential(), position=position)
    assert caught.value.code == code


@pytest.mark.usefixtures("app")
def test_every_stored_reference_can_be_followed() -> None:
    """From any column of its name."""
    sites = Reference.objects.exclude(kind="type").values_list(
        "repository__name", "file__path", "line", "column", "name"
    )
    assert len(sites) > 5
    columns = [(*one, at) for one in sites for at in range(one[3], one[3] + len(one[4]))]
    for project, path, line, _, name, column in columns:
        position = FilePosition(project, path, line, column)
        found = definition_at(credential=credential(), position=position)
        assert found.name.name == name
        assert found.definitions or found.hint


@pytest.mark.usefixtures("app")
def test_a_position_behind_the_end_of_the_file_or_the_line_is_refused(ask: Ask) -> None:
    place = {"project": "app", "file": "main.py"}
    for wrong in (
        {"line": 12, "column": 0},
        {"line": 6, "column": 11},
        {"line": 6, "column": -1},
        {"line": 6, "column": 4, "encoding": "utf-7"},
    ):
        refused = ask("definition", **place, **wrong)
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid"), wrong
    assert ask("definition", **place, line=6, column=10).status_code == 404  # the end of the line


@pytest.mark.usefixtures("app")
def test_of_a_skipped_file_the_reason_is_told(ask: Ask) -> None:
    File.objects.filter(path="main.py").update(skipped="too_large", content="")
    refused = ask("definition", project="app", file="main.py", line=6, column=4)
    assert (refused.status_code, refused.json()["code"]) == (404, "reference_not_found")
    assert "So the index knows no name in it" in refused.json()["detail"]


@pytest.mark.usefixtures("app")
def test_a_definition_is_named_with_all_that_says_why(ask: Ask) -> None:
    answer = ask("definition", project="app", file="main.py", line=6, column=7).json()
    assert answer["name"] == {
        "name": "sign",
        "use": "call",
        "project": "app",
        "commit": COMMIT,
        "file": "main.py",
        "line": 6,
        "column": 4,
        "end_column": 8,
        "url": f"https://forge.example/acme/app/blob/{COMMIT}/main.py#L6",
    }
    (found,) = answer["definitions"]
    assert (found["project"], found["commit"], found["file"]) == ("kit", COMMIT, "acme_kit/auth.py")
    assert (found["line"], found["end_line"], found["signature"]) == (7, 7, "def sign()")
    assert (found["rule"], found["confidence"]) == ("import", "high")
    assert found["evidence"].startswith("from acme_kit.auth import sign (line 2)")
    assert answer["hint"] is None


def meant(ask: Ask, path: str, line: int, column: int, **query: object) -> list[str]:
    """`use name: definition@line …` of a position of the repository `shop`."""
    answer = ask("definition", project="shop", file=path, line=line, column=column, **query)
    if answer.status_code != 200:
        return [answer.json()["code"]]
    found = answer.json()
    named = f"{found['name']['use']} {found['name']['name']}"
    return [named, *(f"{one['qualified_name']}@{one['line']}" for one in found["definitions"])]


def test_a_definitions_own_name_is_that_definition(ask: Ask) -> None:
    """Not what mentions it before: a decorator, a comment, a string, a recursive call."""
    text = """\
        @register("sell")
        # sell
        def sell(seller, sell_by="sell"):
            return sell(seller)
        """
    repository("shop", {"shop.py": text})
    assert meant(ask, "shop.py", 3, 4) == ["definition sell", "sell@3"]
    assert meant(ask, "shop.py", 3, 7) == ["definition sell", "sell@3"]
    assert meant(ask, "shop.py", 4, 13) == ["call sell", "sell@3"]
    for line, column in ((1, 11), (2, 3), (3, 0), (3, 10), (3, 17), (3, 26)):
        assert meant(ask, "shop.py", line, column) == ["reference_not_found"]


def test_a_class_and_its_constructor_are_two_definitions(ask: Ask) -> None:
    text = """\
        package shop;

        class Till {
            Till() { open(); }
            void open() {}
        }
        """
    repository("shop", {"Till.java": text})
    assert meant(ask, "Till.java", 3, 6) == ["definition Till", "Till@3"]
    assert meant(ask, "Till.java", 4, 5) == ["definition Till", "Till.Till@4"]
    assert meant(ask, "Till.java", 4, 14) == ["call open", "Till.open@5"]


def test_of_names_in_one_chain_each_has_its_own_meaning(ask: Ask) -> None:
    text = """\
        class Box:
            def item(self) -> "Box": ...

        def box() -> Box: ...

        box().item().item()
        """
    repository("shop", {"shop.py": text})
    assert meant(ask, "shop.py", 6, 0) == ["call box", "box@4"]
    assert meant(ask, "shop.py", 6, 9) == ["call item", "Box.item@2"]
    assert meant(ask, "shop.py", 6, 3) == ["reference_not_found"]


def test_a_name_in_an_import_is_what_it_imports(ask: Ask) -> None:
    """Not a variable of that name elsewhere, and a module has no definition."""
    text = """\
        from kit import (
            sell,
            buy as purchase,  # sell
        )
        import kit

        def main(sell): return kit
        """
    repository("shop", {"kit.py": "def sell(): ...\n\ndef buy(): ...\n", "shop.py": text})
    assert meant(ask, "shop.py", 2, 5) == ["import sell", "sell@1"]
    assert meant(ask, "shop.py", 3, 4) == ["import buy", "buy@3"]
    assert meant(ask, "shop.py", 3, 11) == ["import purchase", "buy@3"]
    assert meant(ask, "shop.py", 7, 9) == ["reference_not_found"]
    place = {"project": "shop", "file": "shop.py", "line": 5, "column": 7}
    module = ask("definition", **place).json()
    assert (module["definitions"], module["hint"]) == (
        [],
        "“kit” is a module; ask for a name that is used of it.",
    )


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 15), ("utf-16", 12), ("utf-32", 11)])
def test_columns_count_in_the_encoding_that_is_asked_for(
    ask: Ask, encoding: str, column: int
) -> None:
    """Before the call are `é` (two bytes, one unit of UTF-16) and an emoji (four and two)."""
    repository("shop", {"shop.py": "def sell(x): ...\n\n'é', '😀', sell('x')\n"})
    place = {"project": "shop", "file": "shop.py", "line": 3, "encoding": encoding}
    for at in range(column - 1, column + 3):
        name = ask("definition", **place, column=at).json()["name"]
        assert (name["column"], name["end_column"]) == (column - 1, column + 3)
    assert ask("definition", **place, column=column - 2).status_code == 404
    inside = {"utf-8": 2, "utf-16": 7, "utf-32": None}[encoding]
    if inside:
        refused = ask("definition", **place, column=inside)
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
        assert "inside of a character" in refused.json()["errors"]["column"][0]


def test_columns_of_a_file_in_another_encoding_count_in_its_text(ask: Ask) -> None:
    latin = "# -*- coding: latin-1 -*-\ndef sell(): ...\n\n'é', sell()\n".encode("latin-1")
    repository("shop", {"shop.py": latin})
    assert meant(ask, "shop.py", 4, 6, encoding="utf-8") == ["call sell", "sell@2"]
    assert meant(ask, "shop.py", 4, 5) == ["call sell", "sell@2"]


def test_a_type_is_what_a_compiler_says_and_nothing_without_one(ask: Ask) -> None:
    text = "class Till:\n    def __init__(self): ...\n\ndef main(till: Till): ...\n\nmain(Till())\n"
    shop = repository("shop", {"shop.py": text})
    assert meant(ask, "shop.py", 4, 17) == ["reference_not_found"]
    add_scip(shop, {"shop.py": {"till: |Till": "scip-python python shop . `shop`/Till#"}})
    assert meant(ask, "shop.py", 4, 17) == ["type Till", "Till@1"]


def references(ask: Ask, **query: object) -> list[str]:
    """The references in short, of a name of `kit`."""
    answer = ask("references", project="kit", file="acme_kit/auth.py", **query)
    assert answer.status_code == 200, answer.content
    return [short(link) for link in answer.json()["references"]]


@pytest.mark.usefixtures("app")
def test_references_are_those_of_the_definition_in_every_repository(ask: Ask) -> None:
    """Not of another function of that name; imports only if they are asked for."""
    repository("other", {"other.py": "def sign(): ...\n\nsign()\n"})
    called = ["app/main.py:6 main high", "app/main.py:10 main high"]
    assert references(ask, line=7, column=5) == called
    imported = ["app/main.py:2 <module> high", *called]
    assert references(ask, line=7, column=5, kind=["import", "call", "value"]) == imported
    assert references(ask, line=7, column=5, caller_projects=["other"]) == []
    answer = ask("references", project="app", file="main.py", line=10, column=12).json()
    assert [short(link) for link in answer["references"]] == called
    assert [one["qualified_name"] for one in answer["definitions"]] == ["sign"]
    assert answer["definitions"][0]["rule"] == "import"


@pytest.mark.usefixtures("app")
def test_references_come_in_pages_that_belong_to_their_position(ask: Ask) -> None:
    place = {"project": "kit", "file": "acme_kit/auth.py", "line": 7}
    first = ask("references", **place, column=5, limit=1).json()
    assert [one["line"] for one in first["references"]] == [6]
    second = ask("references", **place, column=5, limit=1, cursor=first["next_cursor"]).json()
    assert [one["line"] for one in second["references"]] == [10]
    assert second["next_cursor"] is None
    other = ask("references", **place, column=6, limit=1, cursor=first["next_cursor"])
    assert (other.status_code, list(other.json()["errors"])) == (400, ["cursor"])


@pytest.mark.usefixtures("app")
def test_references_of_what_is_not_known_say_why_there_is_none(ask: Ask) -> None:
    """`other.verify()`: nothing but the name is the same, which only low confidence follows."""
    place = {"project": "app", "file": "main.py", "line": 8, "column": 12}
    answer = ask("references", **place).json()
    assert (answer["definitions"], answer["references"]) == ([], [])
    assert "does not say of which class" in answer["hint"]
    low = ask("references", **place, min_confidence="low").json()
    assert [one["qualified_name"] for one in low["definitions"]] == ["Auth.verify", "Strict.verify"]
    assert {(one["line"], one["confidence"]) for one in low["references"]} >= {
        (7, "high"),
        (8, "low"),
    }


@pytest.mark.usefixtures("app")
def test_a_limited_token_sees_no_reference_of_a_hidden_repository(ask_live: Ask) -> None:
    token = api_of(organization_of(), repositories=["kit"]).token
    place = {"project": "kit", "file": "acme_kit/auth.py", "line": 7, "column": 5}
    answer = ask_live("references", token=token, **place).json()
    assert (answer["references"], answer["receipt"]["elsewhere"]["count"]) == ([], 0)
    assert [one["project"] for one in answer["receipt"]["projects"]] == ["kit"]
    hidden = {"project": "app", "file": "main.py", "line": 6, "column": 4}
    assert ask_live("definition", token=token, **hidden).json()["code"] == "repository_not_found"
