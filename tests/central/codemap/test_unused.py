"""Public definitions without a caller in any visible repository, and the doubts about each."""

from collections.abc import Callable
from typing import Any

import pytest

from central.corpus.trigrams.upkeep import build_portion
from central.repositories.models import Repository
from tests.central.codemap.conftest import Ask
from tests.central.protocol import Api, api_of
from tests.central.trace.corpus import pyproject, repository

Unused = Callable[..., list[str]]


@pytest.fixture
def unused(ask: Ask) -> Unused:
    """The answer, `file: name [doubts]` for each; the text of all repositories is indexed."""

    def unused(**query: object) -> list[str]:
        return shown(unused_answer(ask, **query))

    return unused


def unused_answer(ask: Ask, **query: object) -> Any:
    for key in Repository.objects.values_list("pk", flat=True):
        while not build_portion(key):
            pass
    answer = ask("map/unused", **query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def shown(body: Any) -> list[str]:
    return [
        f"{one['file']}: {one['qualified_name']}"
        + "".join(f" {doubt['code']}" for doubt in one["doubts"])
        for one in body["definitions"]
    ]


def app(**files: str) -> None:
    """An application that requires lib and is no package, by the name of its modules."""
    modules = {f"{name}.py": text for name, text in files.items()}
    repository("app", {"requirements.txt": "lib", **modules})


def test_what_only_itself_calls_is_unused_and_what_another_repository_calls_is_not(
    unused: Unused,
) -> None:
    core = """
        def run(): ...
        def again(n): again(n - 1)
        def called_here(): ...
        def _private(): ...
        called_here()
    """
    repository("lib", {"pyproject.toml": pyproject("lib"), "lib/core.py": core})
    app(main="from lib.core import run\nrun()")
    assert unused() == ["lib/core.py: again published"]


def test_what_is_imported_named_as_a_type_or_inherited_from_is_used(unused: Unused) -> None:
    app(
        shapes="""
            class Base:
                def draw(self): ...
                def erase(self): ...
            class Round(Base):
                def draw(self): ...
            class Size: ...
            def imported(): ...
            class Color:
                RED = 1
        """,
        use="""
            from shapes import Base, Color, Round, imported
            def paint(base: Base, size: "Size"):
                base.draw()
            paint(Round(), None)
        """,
    )
    assert unused() == ["shapes.py: Base.erase", "shapes.py: Size name_in_text"]


def test_an_override_is_reached_through_the_member_that_it_overrides(unused: Unused) -> None:
    app(
        base="class Job:\n    def work(self): ...\n    def rest(self): ...",
        slow="""
            from base import Job
            class Slow(Job):
                def work(self): ...
                def rest(self): ...
                def sleep(self): ...
            def start(job: Job): job.work()
            start(Slow())
        """,
    )
    assert unused() == ["base.py: Job.rest", "slow.py: Slow.rest", "slow.py: Slow.sleep"]


def test_what_something_else_than_code_may_call_is_doubted(unused: Unused) -> None:
    app(
        entry="""
            import flask
            site = flask.Flask("x")
            def main(): ...
            @site.route("/")
            def home(): ...
            @staticmethod
            def plain(): ...
            class Page(flask.View):
                def render(self): ...
            def by_name(): ...
            def dynamic(): ...
            def start(x):
                getattr(x, "by_name")()
                x.dynamic()
            start(1)
            Page()
        """,
        __init__="from entry import plain",
    )
    assert unused() == [
        "entry.py: main entry_point",
        "entry.py: home entry_point",
        "entry.py: plain reexported",
        "entry.py: Page.render outside_base",
        "entry.py: by_name name_in_text",
        "entry.py: dynamic unresolved_uses",
    ]


def test_a_name_in_text_is_no_doubt_where_a_definition_or_another_binding_explains_it(
    unused: Unused,
) -> None:
    app(
        a="class A:\n    def close(self): ...",
        b="class B:\n    def close(self): ...\nB().close()\n# close",
        c="from os import close\nclose(1)",
    )
    repository("docs", {"README.md": "Call `close`."})
    assert unused(kind="method") == ["a.py: A.close"]


def test_doubts_are_left_out_and_tests_are_looked_at_if_they_are_asked_for(ask: Ask) -> None:
    app(entry="def main(): ...\ndef one(): ...", test_x="def test_it(): ...")
    body = unused_answer(ask, doubts="none")
    assert (shown(body), body["looked_at"]) == (["entry.py: one"], 2)
    assert shown(unused_answer(ask, include="tests"))[-1] == "test_x.py: test_it entry_point"


@pytest.mark.parametrize("portion", [1, 2, 200])
def test_pages_have_each_definition_once(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    monkeypatch.setattr("central.codemap.unused._PORTION", portion)
    app(a="def one(): ...\ndef two(): ...\ndef main(): ...", b="def three(): ...")
    repository("lib", {"c.py": "def four(): ..."})
    found, cursor, looked_at = [], "", 0
    while cursor is not None:
        query = {"cursor": cursor} if cursor else {}
        body = unused_answer(ask, doubts="none", limit=1, **query)
        found += shown(body)
        looked_at += body["looked_at"]
        cursor = body["next_cursor"]
    assert found == ["a.py: one", "a.py: two", "b.py: three", "c.py: four"]
    assert looked_at == 5
    first = unused_answer(ask, doubts="none", limit=1)["next_cursor"]
    refused = ask("map/unused", limit=1, cursor=first)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")


def test_a_caller_in_a_hidden_repository_is_as_if_it_were_not_there(ask: Ask, api: Api) -> None:
    repository("lib", {"pyproject.toml": pyproject("lib"), "lib.py": "def run(): ..."})
    app(main="from lib import run\nrun()")
    assert shown(unused_answer(ask)) == []
    partial = api_of(api.organization, repositories=["lib"]).token
    body = unused_answer(ask, token=partial)
    assert shown(body) == ["lib.py: run published"]
    assert "app" not in str(body)


def test_an_empty_page_says_why(ask: Ask) -> None:
    app(main="def run(): ...\nrun()")
    assert unused_answer(ask)["hint"].startswith("Something visible leads to each")
    assert unused_answer(ask, kind="trait")["hint"].startswith("There is no public definition")
