"""A method that gives its own object, called on an instance of a subclass."""

import itertools

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import pyproject, repository

BASE = """\
from __future__ import annotations
import typing as t
from typing_extensions import Self

class Base:
    parent: Self
    def written(self) -> Self: ...
    def maybe(self) -> t.Optional[t.Self]: ...
    def returned(self):
        return self
    @classmethod
    def made(cls):
        one = cls()
        return one
    def all(self) -> list[Self]: ...
    def fixed(self) -> Base: ...
    def go(self): ...

class Middle(Base):
    def go(self): ...
"""
USER = """\
from acme_kit import Base, Middle

class Sub(Middle):
    def only(self): ...
    def inner(self):
        {inner}

class Holder:
    sub: Sub

def run(sub: Sub, holder: Holder):
    {body}

def made(sub: Sub):
    return sub.written().returned()
"""


def python(body: str, inner: str = "pass") -> None:
    """A repository `app` with a subclass of the library's class."""
    repository("kit", {"pyproject.toml": pyproject("acme-kit"), "acme_kit/__init__.py": BASE})
    text = USER.format(body=body, inner=inner)
    manifest = pyproject("acme-app", "acme-kit")
    repository("app", {"pyproject.toml": manifest, "app/main.py": text})


@pytest.mark.parametrize(
    "body",
    [
        "sub.written().only()",
        "Sub().written().only()",
        "sub.maybe().only()",
        "sub.returned().only()",
        "Sub.made().only()",
        "sub.written().returned().written().only()",
        "holder.sub.written().only()",
        "sub.parent.only()",
        "sub.parent.parent.written().only()",
        "sub.all()[0].only()",
        "for one in sub.all(): one.only()",
        "one = sub.written(); one.only()",
        "made(sub).only()",
    ],
)
def test_method_of_a_base_gives_the_class_that_it_is_called_on(body: str, callers: Callers) -> None:
    python(body)
    assert callers("Sub.only") == ["app/app/main.py:12 run high"]


def test_any_chain_of_such_members_ends_at_the_subclass(callers: Callers) -> None:
    steps = ("written()", "maybe()", "returned()", "made()", "parent", "all()[0]")
    chains = [
        ".".join(chain) for count in (1, 2) for chain in itertools.product(steps, repeat=count)
    ]
    python("\n    ".join(f"sub.{chain}.only()" for chain in chains))
    lines = range(12, 12 + len(chains))
    assert callers("Sub.only", limit=100) == [f"app/app/main.py:{line} run high" for line in lines]


def test_own_method_of_a_base_gives_the_subclass(callers: Callers) -> None:
    python("pass", inner="self.written().only()")
    assert callers("Sub.only") == ["app/app/main.py:6 Sub.inner high"]


@pytest.mark.parametrize("body", ["sub.fixed().only()", "Base().written().only()"])
def test_class_that_is_written_is_no_subclass(body: str, callers: Callers) -> None:
    python(body)
    assert callers("Sub.only") == []


def test_overridden_method_is_that_of_the_nearest_class(callers: Callers) -> None:
    python("sub.written().go()")
    assert callers("Middle.go") == ["app/app/main.py:12 run high"]
    assert callers("Base.go") == []


def test_method_on_two_subclasses_gives_the_base(callers: Callers) -> None:
    python("def inner(one: Sub | Middle): one.written().go()")
    assert callers("Base.go") == []


def test_typescript_class_that_returns_this(callers: Callers) -> None:
    kit = """\
export class Base { written(): this { return this; } returned() { return this; } }
"""
    main = """\
import { Base } from "@acme/kit";
class Sub extends Base { only() {} }
export function run(sub: Sub) { sub.written().only(); }
export function walk(sub: Sub) { sub.returned().only(); }
"""
    repository(
        "kit",
        {"package.json": '{"name": "@acme/kit", "main": "src/index.ts"}', "src/index.ts": kit},
    )
    manifest = '{"name": "app", "dependencies": {"@acme/kit": "1"}}'
    repository("app", {"package.json": manifest, "src/main.ts": main})
    assert callers("Sub.only") == ["app/src/main.ts:3 run high", "app/src/main.ts:4 walk high"]


def test_type_parameter_that_is_bounded_by_its_class_is_the_subclass(callers: Callers) -> None:
    kit = """\
package com.acme.kit;

public abstract class Origin<T, B extends Origin<T, B>> extends Stream<T, B> {
    public B reader(T reader) { return null; }
    public T value() { return null; }
}
"""
    stream = """\
package com.acme.kit;

public abstract class Stream<T, B extends Stream<T, B>> {
    public B charset(String name) { return null; }
}
"""
    app = """\
package com.acme.app;

import com.acme.kit.Origin;

public class Parser {
    public static class Builder extends Origin<String, Builder> {
        public Builder format(String name) { return this; }
        public Parser get() { return null; }
    }
    public static Builder builder() { return new Builder(); }
    void run() {
        Parser.builder().reader("x").charset("y").format("z").get();
    }
}
"""
    pom = "<project><groupId>com.acme</groupId><artifactId>{}</artifactId>{}</project>"
    root = "src/main/java/com/acme"
    repository(
        "kit",
        {
            "pom.xml": pom.format("kit", ""),
            f"{root}/kit/Origin.java": kit,
            f"{root}/kit/Stream.java": stream,
        },
    )
    on_kit = (
        "<dependencies><dependency><groupId>com.acme</groupId><artifactId>kit</artifactId>"
        "<version>1</version></dependency></dependencies>"
    )
    repository("app", {"pom.xml": pom.format("app", on_kit), f"{root}/app/Parser.java": app})
    for name in ("Builder.format", "Builder.get", "Origin.reader", "Stream.charset"):
        assert callers(name) == [f"app/{root}/app/Parser.java:12 Parser.run high"]


def test_type_parameter_of_typescript_is_its_bound(callers: Callers) -> None:
    text = """\
class Base<B> { go() {} }
function walk<T extends Base<T>>(one: T) { one.go(); }
class Holder { walk<T extends Base<T>>(one: T, other: <U>(x: U) => T) { one.go(); } }
"""
    repository("app", {"package.json": '{"name": "app"}', "src/main.ts": text})
    assert callers("Base.go") == [
        "app/src/main.ts:2 walk high",
        "app/src/main.ts:3 Holder.walk high",
    ]
