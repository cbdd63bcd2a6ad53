"""Base classes that a class names by a constant, an alias or a variable."""

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import pyproject, repository

KIT = """\
class Base:
    def go(self): ...

class Space:
    class Inner:
        def go(self): ...

def make() -> type[Base]: ...
def built():
    class Built:
        def go(self): ...
    return Built
Known: type[Base] = outside()
"""
USER = """\
import acme_kit
from acme_kit import Base as B, Known, Space, built, make
{body}
def run(a: A):
    a.go()
"""


def python(body: str, **more: str) -> None:
    """A repository `app` with a class `A` whose base is of the library."""
    repository("kit", {"pyproject.toml": pyproject("acme-kit"), "acme_kit/__init__.py": KIT})
    files = {"app/main.py": USER.format(body=body)}
    files |= {f"app/{name}.py": text for name, text in more.items()}
    repository("app", {"pyproject.toml": pyproject("acme-app", "acme-kit"), **files})


def test_a_base_may_be_named_by_an_extension_in_another_file(callers: Callers) -> None:
    repository(
        "app",
        {
            "Package.swift": 'let package = Package(name: "App")',
            "Sources/App/Bar.swift": "protocol Bar {}\nextension Bar {\n  func go() {}\n}\n",
            "Sources/App/Foo.swift": "class Foo {}\n",
            "Sources/App/More.swift": "extension Foo: Bar {}\n",
            "Sources/App/main.swift": "func run(a: Foo) {\n  a.go()\n}\n",
        },
    )
    assert callers("Bar.go") == ["app/Sources/App/main.swift:2 run high"]


@pytest.mark.parametrize(
    "body",
    [
        "Base = acme_kit.Base\nclass A(Base): ...",
        "Base = B\nclass A(Base): ...",
        "Base = B\nOther = Base\nclass A(Other): ...",
        "Base: type[B] = outside()\nclass A(Base): ...",
        "class A(Known): ...",
        "class A(acme_kit.Known): ...",
        "Base = make()\nclass A(Base): ...",
        "from app.bases import Base\nclass A(Base): ...",
        "from app.bases import Made\nclass A(Made): ...",
        "import app.bases as bases\nclass A(bases.Base): ...",
        "import app.bases as bases\nclass A(bases.Made): ...",
        "class Holder:\n    Base = B\nclass A(Holder.Base): ...",
    ],
)
def test_base_that_is_a_variable_is_the_class(body: str, callers: Callers) -> None:
    python(body, bases="import acme_kit\nBase = acme_kit.Base\nMade = acme_kit.make()\n")
    line = 5 + body.count("\n")
    assert callers("Base.go") == [f"app/app/main.py:{line} run high"]
