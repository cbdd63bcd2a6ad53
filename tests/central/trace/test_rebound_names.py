"""A name that a file binds more than once, and members that stand for something else."""

from collections.abc import Callable

import pytest

from tests.central.trace.corpus import pyproject, repository

pytestmark = pytest.mark.django_db

Callers = Callable[..., list[str]]

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
