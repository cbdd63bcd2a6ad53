"""What the routes take and refuse, how symbols are named, and pages."""

from typing import Any

import pytest

from tests.central.protocol import Api
from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import organization_of, pyproject, repository


@pytest.fixture
def kit() -> None:
    """A library with two things of one name, and a service that calls one of them six times."""
    repository(
        "kit",
        {
            "pyproject.toml": pyproject("acme-kit"),
            "acme_kit/__init__.py": "from .auth import Auth\n",
            "acme_kit/auth.py": """\
                class Auth:
                    def verify(self):
                        return sign()

                def sign(): ...
                """,
            "acme_kit/mail.py": "def verify(): ...\n",
        },
    )
    repository(
        "app",
        {
            "pyproject.toml": pyproject("acme-app", "acme-kit"),
            "app/main.py": "from acme_kit.mail import verify\n\n" + "verify()\n" * 6,
        },
    )


def definitions(answer: Any) -> list[str]:
    return [f"{one['file']}:{one['qualified_name']}" for one in answer.json()["definitions"]]


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("verify", ["acme_kit/auth.py:Auth.verify", "acme_kit/mail.py:verify"]),
        ("Auth.verify", ["acme_kit/auth.py:Auth.verify"]),
        ("Auth::verify()", ["acme_kit/auth.py:Auth.verify"]),
        ("acme_kit.mail:verify", ["acme_kit/mail.py:verify"]),
        ("acme_kit:Auth.verify", ["acme_kit/auth.py:Auth.verify"]),
        ("acme_kit.auth.Auth", ["acme_kit/auth.py:Auth"]),
    ],
)
def test_a_symbol_may_be_bare_qualified_or_with_its_module(
    kit: None, ask: Ask, symbol: str, expected: list[str]
) -> None:
    assert definitions(ask("callers", symbol=symbol)) == expected


def test_project_file_and_line_choose_the_definition(kit: None, ask: Ask) -> None:
    mail = ["acme_kit/mail.py:verify"]
    assert definitions(ask("callers", symbol="verify", file="acme_kit/mail.py")) == mail
    assert definitions(ask("callers", symbol="verify", project="kit", line=1)) == mail


def test_an_unknown_symbol_is_answered_with_names_that_are_like_it(kit: None, ask: Ask) -> None:
    response = ask("callers", symbol="verfy")
    assert response.status_code == 404
    assert response.json()["code"] == "symbol_not_found"
    assert response.json()["near"] == ["verify"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"project": "nowhere"}, "repository_not_found"),
        ({"file": "nowhere.py"}, "file_not_found"),
        ({"project": "app"}, "symbol_not_found"),
    ],
)
def test_what_is_not_there_is_told_apart(
    kit: None, ask: Ask, query: dict[str, str], code: str
) -> None:
    response = ask("callers", symbol="verify", **query)
    assert (response.status_code, response.json()["code"]) == (404, code)


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"symbol": ""},
        {"symbol": "a\0b"},
        {"symbol": "verify", "depth": 0},
        {"symbol": "verify", "depth": 6},
        {"symbol": "verify", "limit": 201},
        {"symbol": "verify", "limit": "many"},
        {"symbol": "verify", "line": -1},
        {"symbol": "verify", "min_confidence": "certain"},
        {"symbol": "verify", "cursor": "made-up"},
        {"symbol": "verify", "min_confidense": "low"},
    ],
)
def test_parameters_are_refused_never_clamped(
    kit: None, ask: Ask, query: dict[str, object]
) -> None:
    response = ask("callers", **query)
    assert (response.status_code, response.json()["code"]) == (400, "invalid")


def test_pages_follow_one_another_without_gap_or_repetition(kit: None, ask: Ask) -> None:
    lines, cursor = [], ""
    for _ in range(3):
        more = {"cursor": cursor} if cursor else {}
        answer = ask("callers", symbol="acme_kit.mail:verify", limit=2, **more).json()
        lines += [link["line"] for link in answer["callers"]]
        cursor = answer["next_cursor"]
    assert lines == [3, 4, 5, 6, 7, 8]
    assert cursor is None


def test_what_is_indexed_between_pages_moves_nothing(kit: None, ask: Ask) -> None:
    first = ask("callers", symbol="verify", limit=2).json()
    repository(
        "aaa",
        {
            "pyproject.toml": pyproject("aaa", "acme-kit"),
            "aaa.py": "from acme_kit.mail import verify\n\nverify()\n",
        },
    )
    repository("app", {"app/main.py": "from acme_kit.mail import verify\n\n" + "verify()\n" * 7})
    second = ask("callers", symbol="verify", limit=200, cursor=first["next_cursor"]).json()
    assert [link["line"] for link in first["callers"]] == [3, 4]
    assert [link["line"] for link in second["callers"]] == [5, 6, 7, 8, 9]


def test_pages_may_end_within_what_one_reference_may_mean(ask: Ask) -> None:
    text = """\
        class Base:
            def run(self): ...

        class First(Base):
            def run(self): ...

        class Second(Base):
            def run(self): ...

        def use(one: Base):
            one.run()
        """
    repository("kit", {"pyproject.toml": pyproject("acme-kit"), "acme_kit/__init__.py": text})
    names, cursor = [], {}
    for _ in range(3):
        answer = ask("callees", symbol="use", limit=1, **cursor).json()
        names += [link["callee"]["qualified_name"] for link in answer["callees"]]
        cursor = {"cursor": answer["next_cursor"]}
    assert names == ["Base.run", "First.run", "Second.run"]


def test_a_cursor_of_another_request_is_refused(kit: None, ask: Ask) -> None:
    cursor = ask("callers", symbol="verify", limit=2).json()["next_cursor"]
    assert ask("callers", symbol="Auth", cursor=cursor).status_code == 400
    assert ask("callees", symbol="verify", cursor=cursor).status_code == 400


def test_callers_may_be_asked_of_some_projects_only(kit: None, ask: Ask) -> None:
    answer = ask("callers", symbol="verify", caller_projects=["kit", "nowhere"]).json()
    assert answer["callers"] == []
    assert answer["receipt"]["missing"] == [
        {"project": "nowhere", "reason": "unknown_project", "since": None}
    ]
    assert "caller_projects" in answer["hint"]


def test_callees_are_what_a_definition_uses(kit: None, ask: Ask) -> None:
    (link,) = ask("callees", symbol="Auth.verify").json()["callees"]
    assert (link["caller"]["qualified_name"], link["callee"]["qualified_name"]) == (
        "Auth.verify",
        "sign",
    )
    assert (link["rule"], link["confidence"], link["line"]) == ("same_file", "high", 3)


def impact(api: Api, **members: object) -> Any:
    body = {"org_id": organization_of().slug, "project": "kit"} | members
    return api.request("POST", "/api/v1/trace/impact", body)


def test_impact_goes_from_changed_lines_to_callers_by_project(kit: None, api: Api) -> None:
    files = [
        {"path": "acme_kit/mail.py"},
        {"path": "acme_kit/auth.py", "lines": [[3, 3]]},
        {"path": "new.py"},
    ]
    answer = impact(api, files=files).json()
    assert {
        one["definition"]["qualified_name"]: {
            project["project"]: project["count"] for project in one["projects"]
        }
        for one in answer["symbols"]
    } == {"verify": {"app": 6}, "Auth.verify": {}}
    assert answer["unknown"] == ["new.py"]
    assert answer["count"] == 6


def test_other_projects_callers_are_shown_before_a_projects_own(kit: None, api: Api) -> None:
    calls = "from acme_kit.mail import verify\n\n" + "verify()\n" * 9
    repository("kit", {"acme_kit/own.py": calls})
    repository("zoo", {"pyproject.toml": pyproject("zoo", "acme-kit"), "zoo.py": calls})
    (verify,) = impact(api, files=[{"path": "acme_kit/mail.py"}], limit=17).json()["symbols"]
    shown = {one["project"]: (one["count"], len(one["callers"])) for one in verify["projects"]}
    assert shown == {"app": (6, 6), "kit": (9, 2), "zoo": (9, 9)}


def test_impact_of_symbols_needs_a_known_project(kit: None, api: Api) -> None:
    assert impact(api, symbols=["sign"]).json()["count"] == 1
    assert impact(api, symbols=["sign"], project="nowhere").status_code == 404
    assert impact(api).status_code == 400
    assert impact(api, symbols=["sign"], files=[{"path": "a"}]).status_code == 400
    for lines in ([3, 2], [3], [1, 2, 3], []):
        assert impact(api, files=[{"path": "a", "lines": [lines]}]).status_code == 400, lines


@pytest.fixture
def calls() -> None:
    """`h` → `f` → `g`, and `y` → `x`, which calls `left` and `right`."""
    text = """\
        def g(): ...

        def f():
            g()

        def h():
            f()

        def left(): ...

        def right(): ...

        def x():
            left()
            right()

        def y():
            x()
        """
    repository("kit", {"pyproject.toml": pyproject("acme-kit"), "acme_kit/__init__.py": text})


@pytest.mark.parametrize(
    ("symbols", "expected"),
    [
        (["g"], {"g": ["f", "h"]}),
        (["g", "f"], {"g": ["f", "h"], "f": ["h"]}),
        (["left", "right"], {"left": ["x", "y"], "right": ["x", "y"]}),
    ],
)
def test_each_changed_symbol_has_all_of_its_own_callers(
    calls: None, api: Api, symbols: list[str], expected: dict[str, list[str]]
) -> None:
    answer = impact(api, symbols=symbols, depth=2).json()
    assert {
        one["definition"]["name"]: [
            link["caller"]["name"] for project in one["projects"] for link in project["callers"]
        ]
        for one in answer["symbols"]
    } == expected


def test_a_file_without_definitions_is_indexed_and_what_is_unknown_is_told_once(
    kit: None, api: Api
) -> None:
    repository("kit", {"run.py": "print(1)\n"})
    files = [{"path": "run.py"}, {"path": "new.py"}, {"path": "new.py", "lines": [[1, 2]]}]
    assert impact(api, files=files).json()["unknown"] == ["new.py"]


def methods(count: int) -> str:
    """Classes with a method `get` each, which is declared three times."""
    body = "    @overload\n    def get(self): ...\n" * 2 + "    def get(self): ...\n"
    return "".join(f"class C{number:03}:\n{body}" for number in range(count))


def test_overloads_count_as_one_definition(ask: Ask) -> None:
    repository("kit", {"kit.py": methods(150)})
    answer = ask("callers", symbol="get").json()
    assert len(answer["definitions"]) == 150
    assert answer["receipt"]["complete"]


def test_a_change_of_the_last_overload_is_one_of_the_definition(api: Api) -> None:
    repository("kit", {"kit.py": methods(1), "use.py": "from kit import C000\n\nC000().get()\n"})
    (symbol,) = impact(api, files=[{"path": "kit.py", "lines": [[6, 6]]}]).json()["symbols"]
    assert (symbol["definition"]["qualified_name"], symbol["count"]) == ("C000.get", 1)
    assert symbol["definition"]["line"] == 6
    whole = impact(api, files=[{"path": "kit.py"}]).json()["symbols"]
    assert [one["definition"]["qualified_name"] for one in whole] == ["C000", "C000.get"]


def test_more_definitions_than_are_traced_are_told_as_cut(ask: Ask, api: Api) -> None:
    repository("kit", {"kit.py": methods(201)})
    answers = [
        ask("callers", symbol="get").json(),
        ask("callees", symbol="get").json(),
        ask("graph", symbol="get", limit=500).json(),
        impact(api, symbols=["get"]).json(),
    ]
    for answer in answers:
        assert not answer["receipt"]["complete"]
        (cut,) = answer["receipt"]["cut"]
        assert "200 definitions" in cut
    assert answers[2]["truncated_reason"] == answers[2]["receipt"]["cut"][0]


def test_an_empty_graph_or_impact_explains_itself(ask: Ask, api: Api) -> None:
    text = "def alone(): ...\n\ndef other(it):\n    it.alone()\n"
    repository("kit", {"kit.py": text})
    assert "min_confidence=low" in ask("graph", symbol="alone").json()["hint"]
    assert "min_confidence=low" in impact(api, symbols=["alone"]).json()["hint"]
    assert "Nothing in the index is defined" in impact(api, symbols=["nothing"]).json()["hint"]
    assert impact(api, symbols=["alone"], min_confidence="low").json()["hint"] is None


def test_callees_of_a_function_are_those_of_the_functions_in_it_and_of_no_other(ask: Ask) -> None:
    """`_` stands for itself: `a_b` is not `axb`."""
    repository(
        "shop",
        {
            "pay.py": """\
                def one(): ...

                def two(): ...

                def a_b():
                    def inner():
                        one()

                def axb():
                    def inner():
                        two()
                """
        },
    )
    answer = ask("callees", symbol="a_b").json()
    assert [link["callee"]["name"] for link in answer["callees"]] == ["one"]
