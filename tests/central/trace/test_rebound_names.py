"""A name that a file binds more than once, and members that stand for something else."""

from collections.abc import Callable
from typing import Any

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import pyproject, repository

_LIBRARY = {
    "pyproject.toml": pyproject("acme-lib"),
    "acme_lib/__init__.py": "",
    "acme_lib/one.py": "def load(): ...\nclass Base:\n    def go(self): ...\n",
    "acme_lib/two.py": "def load(): ...\n",
}


def _uses(text: str) -> None:
    repository("lib", _LIBRARY)
    repository("app", {"pyproject.toml": pyproject("app", "acme-lib"), "app/main.py": text})


def test_an_import_inside_of_a_function_holds_there(callers: Callers) -> None:
    _uses(
        """
        from acme_lib.one import load

        def here():
            from acme_lib.two import load
            load()

        def there():
            load()
        """
    )
    assert callers("load", project="lib", file="acme_lib/two.py") == ["app/app/main.py:6 here high"]
    assert callers("load", project="lib", file="acme_lib/one.py") == [
        "app/app/main.py:9 there high"
    ]


def test_a_stub_for_a_missing_package_does_not_hide_the_import(callers: Callers) -> None:
    _uses(
        """
        try:
            from acme_lib.one import Base, load
        except ImportError:
            load = None

            class Base:
                def go(self): ...

        class Mine(Base):
            def run(self):
                self.go()

        def here():
            load()
        """
    )
    assert callers("Base.go", project="lib") == ["app/app/main.py:12 Mine.run high"]
    assert callers("load", project="lib", file="acme_lib/one.py") == [
        "app/app/main.py:15 here high"
    ]


def test_a_name_that_is_wrapped_is_still_the_imported_one(callers: Callers) -> None:
    _uses(
        """
        from acme_lib.one import load
        load = cached(load)

        def here():
            load()
        """
    )
    assert callers("load", project="lib", file="acme_lib/one.py") == [
        "app/app/main.py:3 <module> high",  # passed as a value
        "app/app/main.py:6 here high",
    ]


def test_super_of_a_named_class_begins_after_it(callers: Callers) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("acme-lib"),
            "acme_lib/x.py": """
                class Top:
                    def go(self): ...
                class Middle(Top):
                    def go(self): ...
                class Low(Middle):
                    def go(self):
                        super(Middle, self).go()
                        super(Low, self).go()
            """,
        },
    )
    assert callers("Top.go") == ["lib/acme_lib/x.py:8 Low.go high"]
    assert callers("Middle.go") == ["lib/acme_lib/x.py:9 Low.go high"]


def test_a_descriptor_stands_for_what_it_gives(callers: Callers) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("acme-lib"),
            "acme_lib/columns.py": """
                class Kept:
                    def get(self): ...
                class Column:
                    def __get__(self, instance, owner): ...
                    def get(self): ...
                class Held:
                    def __get__(self, instance, owner) -> Kept: ...
                    def get(self): ...
                class Lazy:
                    def __get__(self, instance, owner):
                        return self if instance is None else instance.lazy
                    def get(self): ...
                class Table:
                    name = Column()
                    held = Held()
                    lazy = Lazy()
                    def own(self):
                        self.name.get()
                        self.held.get()
                        self.lazy.get()
            """,
        },
    )
    repository(
        "app",
        {
            "pyproject.toml": pyproject("app", "acme-lib"),
            "app/main.py": """
                from acme_lib.columns import Column, Held, Table
                class Mine(Table):
                    other = Column()
                    more = Held()
                    def run(self):
                        self.name.get()
                        self.other.get()
                        self.more.get()
                def there(table: Table):
                    table.name.get()
                    table.held.get()
                    Column().get()
            """,
        },
    )
    assert callers("Column.get") == ["app/app/main.py:13 there high"]
    assert callers("Held.get") == []
    assert callers("Lazy.get") == ["lib/acme_lib/columns.py:21 Table.own medium"]
    assert callers("Kept.get") == [
        "app/app/main.py:9 Mine.run high",
        "app/app/main.py:12 there high",
        "lib/acme_lib/columns.py:20 Table.own high",
    ]


_EITHER = {
    "either.py": """
        def first(): ...
        def second(): ...
        class A:
            def go(self): ...
        class B:
            def go(self): ...

        def branch(c):
            f = first
            if c:
                f = second
                f()
            f()
            f = first
            f()

        def loop(items):
            f = first
            for item in items:
                f()
                f = second

        def inside():
            f = first
            def change():
                nonlocal f
                f = second
            f()

        def left(c):
            f = first
            if c:
                f = second
                return
            f()

        def types(c):
            x = A()
            if c:
                x = B()
            x.go()

        def empty(c):
            x = None
            if c:
                x = A()
            x.go()
    """,
    "either.js": """
        function third() {}
        function fourth() {}
        class C { run() {} }
        class D { run() {} }
        function branch(c) {
            let f = third
            if (c) { f = fourth; f() }
            f()
        }
        function given(f) {
            if (!f) f = third
            f()
        }
        class Box {
            constructor(c) { this.x = new C(); if (c) this.x = new D() }
            open() { this.x.run() }
        }
        let kept = null
        function keep() { kept = new C() }
        function use() { kept.run() }
    """,
    "either.go": """
        package either
        func fifth() {}
        func sixth() {}
        func branch(c bool) {
            f := fifth
            if c { f = sixth }
            f()
        }
    """,
    "either.rb": """
        class E
          def walk; end
        end
        class F
          def walk; end
        end
        def branch(list)
          x = E.new
          list.each { x = F.new }
          x.walk
        end
    """,
}


def test_each_assignment_that_may_reach_a_use_is_possible(callers: Callers) -> None:
    repository("lib", _EITHER)
    assert callers("first") == [
        "lib/either.py:14 branch medium",
        "lib/either.py:16 branch high",
        "lib/either.py:21 loop medium",
        "lib/either.py:29 inside medium",
        "lib/either.py:36 left high",  # the branch leaves the function
    ]
    assert callers("second") == [
        "lib/either.py:13 branch high",  # in the branch itself
        "lib/either.py:14 branch medium",
        "lib/either.py:21 loop medium",
        "lib/either.py:29 inside medium",
    ]
    assert callers("third") == [
        "lib/either.js:9 branch medium",
        "lib/either.js:13 given medium",  # a caller may give another
    ]
    assert callers("fourth") == [
        "lib/either.js:8 branch high",
        "lib/either.js:9 branch medium",
    ]


def test_a_value_has_each_type_that_may_reach_a_use(callers: Callers) -> None:
    repository("lib", _EITHER)
    assert callers("A.go") == ["lib/either.py:42 types medium", "lib/either.py:48 empty high"]
    assert callers("B.go") == ["lib/either.py:42 types medium"]
    assert callers("C.run") == [
        "lib/either.js:17 Box.open medium",
        "lib/either.js:21 use high",  # null is no other type
    ]
    assert callers("D.run") == ["lib/either.js:17 Box.open medium"]
    assert callers("E.walk") == callers("F.walk") == ["lib/either.rb:11 branch medium"]


def test_one_of_several_functions_is_unresolved_where_values_are_not_followed(
    callers: Callers,
) -> None:
    repository("lib", _EITHER)
    assert callers("fifth") == callers("sixth") == []
    assert callers("fifth", min_confidence="low") == ["lib/either.go:8 branch low"]


def test_a_bound_function_is_given_and_not_called(ask: Callable[..., Any]) -> None:
    repository(
        "lib",
        {
            "bound.js": """
                function f() {}
                class A {
                    m() {}
                    go() {
                        on(f.bind(1))
                        on(this.m.bind(this))
                        f.call(1)
                        this.m.call(this, 1)
                        this.m.apply(this)
                    }
                }
            """
        },
    )

    def uses(symbol: str) -> list[tuple[int, str, str]]:
        found = ask("callers", symbol=symbol).json()["callers"]
        return [(one["line"], one["kind"], one["confidence"]) for one in found]

    assert uses("f") == [(6, "value", "high"), (8, "call", "high")]
    assert uses("A.m") == [(7, "value", "high"), (9, "call", "high"), (10, "call", "high")]


def test_a_method_that_its_object_replaces_is_possible(callers: Callers) -> None:
    repository(
        "lib",
        {
            "replaced.py": """
                def other(): ...
                class A:
                    def m(self): ...
                    def swap(self):
                        self.m = other
                        self.m()
            """
        },
    )
    assert callers("A.m") == callers("other") == ["lib/replaced.py:7 A.swap medium"]


def test_a_function_of_ruby_that_no_class_has_is_certain_where_it_is_loaded(
    callers: Callers,
) -> None:
    repository(
        "lib",
        {
            "spec/support.rb": "def helper; end\nhelper\n",
            "spec/one_spec.rb": 'require_relative "support"\nhelper\n',
            "lib/shop.rb": "class Shop\n  def go; helper; end\nend\n",
        },
    )
    assert callers("helper") == [
        "lib/lib/shop.rb:2 Shop.go medium",
        "lib/spec/one_spec.rb:2 <module> high",
        "lib/spec/support.rb:2 <module> high",
    ]
