"""Functions as values: who may call what is passed, returned, or put into a table or a field."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import pyproject, repository


def _app(**files: str) -> None:
    written = {f"app/{name}.py": text for name, text in files.items()}
    repository("app", {"pyproject.toml": pyproject("app"), **written})


def test_a_function_that_is_passed_may_be_called_by_what_takes_it(callers: Callers) -> None:
    _app(
        lib="""
        def apply(first, then):
            then()

        def other(then):
            then()
        """,
        main="""
        from app.lib import apply

        def sent(): ...
        def unsent(): ...

        apply(unsent, then=sent)
        """,
    )
    assert callers("sent", kind="call") == ["app/app/lib.py:3 apply medium"]
    assert callers("unsent", kind="call") == []  # the parameter is not called


def test_what_a_function_returns_may_be_called(callers: Callers) -> None:
    _app(
        lib="""
        def made(): ...
        def unmade(): ...

        def make():
            return made
        """,
        main="""
        from app.lib import make

        def run():
            make()()
            again = make()
            again()
        """,
    )
    assert callers("made", kind="call") == [
        "app/app/main.py:5 run medium",
        "app/app/main.py:7 run medium",
    ]
    assert callers("unmade") == []


def test_an_item_of_a_table_is_called_by_its_key(callers: Callers) -> None:
    _app(
        lib="""
        def old(): ...
        def new(): ...
        def stop(): ...

        TABLE = {"start": old, "stop": stop}
        TABLE["start"] = new
        """,
        main="""
        from app.lib import TABLE

        def run(key):
            TABLE["start"]()
            TABLE[key]()
        """,
    )
    assert callers("new", kind="call") == [
        "app/app/main.py:5 run medium",
        "app/app/main.py:6 run medium",
    ]
    assert callers("stop", kind="call") == ["app/app/main.py:6 run medium"]
    assert callers("old", kind="call") == []


def test_a_field_is_what_the_constructor_is_given(callers: Callers) -> None:
    _app(
        main="""
        class Job:
            def __init__(self, name, work):
                self.name = name
                self.work = work

            def run(self):
                self.work()

        class Task:
            def __init__(self, work):
                self.work = work

            def run(self):
                self.work()

        def sweep(): ...

        Job("sweep", sweep)
        """,
    )
    assert callers("sweep", kind="call") == ["app/app/main.py:8 Job.run medium"]


def test_a_decorator_may_call_what_it_decorates(callers: Callers) -> None:
    _app(
        main="""
        def logged(function):
            def inner():
                function()
            return inner

        def named(name):
            def decorate(function):
                return function
            return decorate

        @logged
        def work(): ...

        @named("a")
        def rest(): ...
        """,
    )
    assert callers("work", kind="call") == ["app/app/main.py:4 logged.inner medium"]
    assert callers("rest", kind="call") == []


def test_names_of_a_tuple_are_what_stands_at_their_place(callers: Callers) -> None:
    _app(
        main="""
        def first(): ...
        def second(): ...

        def run(second_hand):
            (one, two), *rest = (first, second_hand), second
            one()
            two()
            rest[0]()
            left, right = second, first
            left, right = right, left
            left()
            right()
        """,
    )
    assert callers("first", kind="call") == [
        "app/app/main.py:7 run high",
        "app/app/main.py:12 run high",
    ]
    assert callers("second", kind="call") == ["app/app/main.py:9 run medium"]


def test_a_call_of_a_parameter_counts_for_no_function_of_its_name(ask: Callable[..., Any]) -> None:
    _app(
        main="""
        def work(): ...

        def run(work):
            work()
        """,
    )
    answer = ask("callers", symbol="work").json()
    assert answer["callers"] == []
    assert answer["receipt"]["unresolved"]["count"] == 0


def test_more_holders_than_are_followed_are_told_as_cut(
    ask_live: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _app(
        main="""
        def sent(): ...

        TABLE = {"a": sent}
        OTHER = {"b": sent}

        TABLE["a"]()
        OTHER["b"]()
        """,
    )
    assert ask_live("callers", symbol="sent").json()["receipt"]["cut"] == []
    monkeypatch.setattr("central.trace.resolve.flow_candidates.MAX_SITES", 1)
    (cut,) = ask_live("callers", symbol="sent").json()["receipt"]["cut"]
    assert cut.startswith("What holds a function was followed")


def test_a_method_that_is_passed_to_another_package_is_listed_both_ways(
    ask: Callable[..., Any], callers: Callers
) -> None:
    repository(
        "kit",
        {
            "pyproject.toml": pyproject("kit"),
            "kit/__init__.py": "from kit.retry import retry\n",
            "kit/retry.py": "def retry(function, *args):\n    return function(*args)\n",
        },
    )
    repository(
        "shop",
        {
            "pyproject.toml": pyproject("shop", "kit"),
            "shop/stock.py": """
                from kit import retry

                class Stock:
                    def reserve(self, order):
                        return retry(self._reserve, order)

                    def _reserve(self, order): ...
            """,
        },
    )
    assert callers("Stock._reserve", kind="call") == ["kit/kit/retry.py:2 retry medium"]
    found = ask("callees", symbol="retry", project="kit").json()["callees"]
    assert [one["callee"]["qualified_name"] for one in found] == ["Stock._reserve"]


def test_arguments_are_at_their_places(callers: Callers) -> None:
    _app(
        main="""
        def first(): ...
        def second(): ...

        def run(one, /, two, *rest, three):
            one()
            two()
            three()

        run(first, second, first)
        run(*[], second, three=second)

        for name in {"a": first}:
            name()
        """,
    )
    assert callers("first", kind="call") == ["app/app/main.py:6 run medium"]
    assert callers("second", kind="call") == [
        "app/app/main.py:7 run medium",
        "app/app/main.py:8 run medium",
    ]
