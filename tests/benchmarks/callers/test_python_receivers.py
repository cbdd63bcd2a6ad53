"""Through what a method is called, read off the source."""

import pytest

from benchmarks.callers.python_source import Outline


def receiver(body: str, before: str = "", signature: str = "def f(self, a: A, b):") -> str:
    """Of the call of `m` at the end of a method's body."""
    lines = [*before.splitlines(), "class C:", f"  {signature}"]
    source = "\n".join([*lines, *(f"    {line}" for line in body.splitlines())])
    return next(use.receiver for use in reversed(Outline(source).used) if use.name == "m")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("m()", ""),
        ("self.m()", "self"),
        ("a.m()", "annotated parameter"),
        ("b.m()", "untyped parameter"),
        ("self.x.m()", "field"),
        ("super().m()", "base"),
        ("make().m()", "chained call"),
        ("(await make()).m()", "awaited"),
        ("A().m()", "constructed"),
        ("a[0].m()", "element"),
        ("'x'.m()", "other expression"),
        ("x = A()\nx.m()", "constructed"),
        ("x = make()\nx.m()", "local from a call"),
        ("x = await make()\nx.m()", "local from an awaited call"),
        ("x = a.y\nx.m()", "local from a name"),
        ("x = a[0]\nx.m()", "local from an element"),
        ("x: A = make()\nx.m()", "declared variable"),
        ("x, y = make()\nx.m()", "unpacked"),
        ("for x, y in a: x.m()", "loop variable"),
        ("[x.m() for x in a]", "loop variable"),
        ("with make() as x: x.m()", "with … as"),
        ("if x := make(): x.m()", "local from a call"),
        ("try: ...\nexcept E as x: x.m()", "exception"),
        ("x = A()\nx = make()\nx.m()", "assigned more than once"),
        ("a = make()\na.m()", "assigned more than once"),
        ("assert isinstance(b, A)\nb.m()", "narrowed by isinstance"),
        ("x = A()\ndef g():\n  x.m()", "constructed"),
    ],
)
def test_what_stands_before_the_dot(body: str, expected: str) -> None:
    assert receiver(body) == expected


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("import lib", "lib.m()", "module"),
        ("import lib", "lib.x.m()", "other module's variable or type"),
        ("from lib import x as y", "y.m()", "module"),
        ("x = make()", "x.m()", "module variable"),
        ("class A: ...", "A.m()", "type"),
        ("", "str.m()", "builtin"),
    ],
)
def test_names_of_the_module(before: str, body: str, expected: str) -> None:
    assert receiver(body, before) == expected


def test_parameters_of_tests_and_fixtures_are_fixtures() -> None:
    assert receiver("client.m()", signature="def test_it(self, client):") == "fixture"
    decorated = "@pytest.fixture\n  def made(self, client):"
    assert receiver("client.m()", signature=decorated) == "fixture"
    assert (
        receiver("client.m()", signature="def test_it(self, client: A):") == "annotated parameter"
    )
