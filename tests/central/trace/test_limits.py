"""Endless chains are traced quickly, up to limits that the receipt names."""

import pytest

from central.trace.callees import CUT_OVERRIDES
from central.trace.resolve.import_paths import CUT_PATHS, MAX_STEPS
from central.trace.resolve.members import CUT_BASES
from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import pyproject, repository


def package(**modules: str) -> None:
    """The package acme_kit; module names lead to their text."""
    files = {f"acme_kit/{module}.py": text for module, text in modules.items()}
    repository(
        "kit", {"pyproject.toml": pyproject("acme-kit"), "acme_kit/__init__.py": "", **files}
    )


def callees(ask: Ask, symbol: str) -> list[str]:
    """Return the callees of `symbol` from an answer that is complete."""
    answer = ask("callees", symbol=symbol).json()
    assert answer["receipt"]["complete"]
    return [link["callee"]["qualified_name"] for link in answer["callees"]]


OVERRIDDEN = """
class Base:
    def run(self): ...
    def start(self):
        self.run()

class First(Base):
    def run(self): ...

class Second(Base):
    def run(self): ...
"""


def test_overriding_methods_are_looked_for_in_a_bounded_number_of_classes(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(main=OVERRIDDEN)
    assert set(callees(ask, "start")) == {"Base.run", "First.run", "Second.run"}
    monkeypatch.setattr("central.trace.callees.MAX_OVERRIDING", 1)
    answer = ask("callees", symbol="start").json()
    assert [link["callee"]["qualified_name"] for link in answer["callees"]] == [
        "Base.run",
        "First.run",
    ]
    assert answer["receipt"]["cut"] == [CUT_OVERRIDES]


def test_a_name_given_on_from_a_module_that_is_not_there_leads_nowhere(ask: Ask) -> None:
    package(
        __init__="from .version import version\n",
        main="from acme_kit import version\n\ndef run():\n    version()\n",
    )
    assert callees(ask, "run") == []


def test_modules_that_are_members_of_one_another_lead_nowhere(ask: Ask) -> None:
    repository(
        "kit",
        {
            "package.json": '{"name": "kit", "version": "1.0.0"}',
            "x.js": 'const { f } = require("./y");\nmodule.exports = f;\n',
            "y.js": 'const { g } = require("./x");\nmodule.exports = g;\n',
            "z.js": 'const { h } = require("./x");\nfunction run() { h(); }\n',
        },
    )
    assert callees(ask, "run") == []


def test_modules_that_import_one_another_may_be_gone_through_again_and_again(ask: Ask) -> None:
    package(
        __init__="from . import inner\n",
        inner="import acme_kit\n\ndef verify(): ...\n",
        main="import acme_kit\n\ndef run():\n    acme_kit.inner.acme_kit.inner.verify()\n",
    )
    assert callees(ask, "run") == ["verify"]


def test_a_name_is_followed_through_forty_modules(ask: Ask) -> None:
    package(
        **{f"m{i}": f"from .m{i + 1} import verify\n" for i in range(40)},
        m40="def verify(): ...\n",
        main="from .m0 import verify\n\ndef run():\n    verify()\n",
    )
    assert callees(ask, "run") == ["verify"]


def test_more_ways_than_are_gone_is_told_as_cut(ask: Ask) -> None:
    package(
        facade="".join(f"from .absent{i} import *\n" for i in range(MAX_STEPS)),
        main="from .facade import verify\n\ndef run():\n    verify()\n",
    )
    receipt = ask("callees", symbol="run").json()["receipt"]
    assert not receipt["complete"]
    assert receipt["cut"] == [CUT_PATHS]


def test_many_names_pass_through_modules_that_all_import_one_another_whole(
    ask: Ask,
) -> None:
    others, names = range(60), range(40)
    package(
        **{
            f"m{i}": "".join(f"from .m{other} import *\n" for other in others if other != i)
            + f"def f{i}(): ...\n"
            for i in others
        },
        main="from .m59 import *\n\ndef run():\n" + "".join(f"    f{i}()\n" for i in names),
    )
    assert callees(ask, "run") == [f"f{i}" for i in names]


def subclasses(count: int) -> str:
    """C0 has the method m; C1 inherits from C0, C2 from C1, and so on."""
    below = (f"class C{i}(C{i - 1}): ...\n" for i in range(1, count))
    return "class C0:\n    def m(self): ...\n" + "".join(below)


def test_a_method_is_found_fifty_classes_up(ask: Ask) -> None:
    package(main=subclasses(50) + "\ndef run():\n    C49().m()\n")
    assert callees(ask, "run") == ["C49", "C0.m"]


def test_inheritance_deeper_than_is_gone_is_told_as_cut(ask: Ask) -> None:
    package(main=subclasses(1_100) + "\ndef run():\n    C1099().m()\n")
    receipt = ask("callees", symbol="run").json()["receipt"]
    assert receipt["cut"] == [CUT_BASES]
    receipt = ask("callers", symbol="C0.m").json()["receipt"]
    assert receipt["cut"] == [CUT_BASES]


def test_methods_further_below_a_class_than_is_gone_are_told_as_cut(ask: Ask) -> None:
    method = "    def m(self): ...\n"
    below = (
        f"class C{i}(C{i - 1}):\n{method if i in {60, 69} else '    pass'}\n" for i in range(1, 70)
    )
    package(main=f"class C0:\n{method}    def start(self):\n        self.m()\n" + "".join(below))
    answer = ask("callees", symbol="start").json()
    assert [link["callee"]["qualified_name"] for link in answer["callees"]] == ["C0.m", "C60.m"]
    assert answer["receipt"]["cut"] == [CUT_BASES], "C69 is 69 levels below"


def test_classes_may_be_far_up_by_one_way_and_near_by_another(ask: Ask) -> None:
    every = ", ".join(f"C{i}" for i in range(1_099, -1, -1))
    package(main=subclasses(1_100) + f"\nclass All({every}): ...\n\ndef run():\n    All().m()\n")
    assert callees(ask, "run") == ["All", "C0.m"]
