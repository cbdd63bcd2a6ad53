"""Receipts count everything: each reference of a name is listed, unresolved or bound elsewhere."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.contract.trace import Confidence
from central.corpus.models import Reference, Symbol
from central.trace.callers import CUT_CALLERS, find_callers
from central.trace.edges import class_of
from central.trace.resolve.definitions import DefinitionFilter, definitions_named
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import last_name
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.resolve import resolve, with_unresolved
from central.trace.resolve.rules import RULES
from central.trace.stored.models import Source
from tests.central.protocol import Api, api_of
from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import change_files, organization_of, pyproject, repository
from tests.central.trace.test_symmetry import (
    corpora,
    path_of,
    selected_by_hierarchy,
    sites,
    uncounted_callers,
)
from tests.property_settings import examples


def assert_everything_is_counted(repositories: list[int]) -> None:
    """Ask for each name of a definition, and look for each of its references in the answer."""
    by_name: dict[tuple[str, str], list[ReferenceSite]] = {}
    for site in sites():
        by_name.setdefault((site.name, site.ecosystem), []).append(site)
    for name in sorted(set(Symbol.objects.values_list("name", flat=True))):
        resolver = BatchResolver(RULES, repositories=repositories)
        definitions = definitions_named(resolver, DefinitionFilter(name))
        keys = {one.key for one in definitions}
        low = find_callers(resolver, definitions, min_confidence=Confidence.LOW)
        usual = find_callers(resolver, definitions, min_confidence=Confidence.MEDIUM)
        with selected_by_hierarchy():
            selected = find_callers(resolver, definitions, min_confidence=Confidence.MEDIUM)
        uncounted = uncounted_callers(repositories, definitions)
        assert set(selected.edges) == set(usual.edges) == set(uncounted)
        counts = {(one.tally.unresolved, one.tally.elsewhere) for one in (low, usual, selected)}
        assert len(counts) == 1
        named = {(name, one.ecosystem) for one in definitions} | {
            (last_name(key[1]), one.ecosystem) for one in definitions if (key := class_of(one))
        }  # a constructor is called by the name of its class
        alike = [site for one in named for site in by_name.get(one, ())]
        listed = {edge.site.id for edge in usual.edges}
        by_name_only = {edge.site.id for edge in low.edges} - listed
        assert len(by_name_only) == usual.tally.unresolved
        rest = [site for site in alike if site.id not in listed | by_name_only]
        resolved = with_unresolved(resolver, rest, resolve(resolver, rest))
        assert len(rest) == usual.tally.elsewhere
        for site, resolution in zip(rest, resolved, strict=True):
            assert not resolution.is_unresolved, site
            assert keys.isdisjoint(one.key for one in resolution.targets), site
            # What it is bound to can be shown: a definition, or the import that leads outside.
            assert resolution.targets or site.root, site


def indexed(corpus: Mapping[str, Mapping[str, str]]) -> list[int]:
    """Replace everything in the database by these repositories."""
    Reference.objects.all().delete()
    organization_of().repositories.all().delete()
    return [repository(name, files).pk for name, files in corpus.items()]


@examples(25)
@given(corpus=corpora)
def test_every_reference_of_python_is_counted_once(corpus: Mapping[str, str]) -> None:
    packages: dict[str, dict[str, str]] = {
        name: {"pyproject.toml": pyproject(name, other)}
        for name, other in (("one", "two"), ("two", "one"))
    }
    for module, text in corpus.items():
        packages[module.partition(".")[0]][path_of(module)] = text
    assert_everything_is_counted(indexed(packages))


NAMES = st.sampled_from(["first", "second", "Third", "Fourth"])
PATHS = st.sampled_from(["./alpha", "./beta", "./missing", "@acme/kit", "@acme/gone", "node:fs"])
SCRIPT = st.one_of(
    st.builds("import {{ {} }} from '{}'".format, NAMES, PATHS),
    st.builds("import {} from '{}'".format, NAMES, PATHS),
    st.builds("import * as {} from '{}'".format, NAMES, PATHS),
    st.builds("export * from '{}'".format, PATHS),
    st.builds("export const {} = {}".format, NAMES, NAMES),
    st.builds("export const {} = {}().{}()".format, NAMES, NAMES, NAMES),
    st.builds("export function {}(x: {}) {{ {}().{}(); x.{}() }}".format, *[NAMES] * 5),
    st.builds("export function {}(): {} {{ return {}() }}".format, *[NAMES] * 3),
    st.builds(
        "export class {} extends {} {{\n  {}: {}\n"
        "  {}() {{ this.{}.{}(); super.{}(); this.{}() }}\n}}".format,
        *[NAMES] * 9,
    ),
    st.builds("{}.{}(); new {}().{}(); {}({})".format, *[NAMES] * 6),
    st.builds("const o = {{ {}() {{ {}() }} }}; o.{}()".format, NAMES, NAMES, NAMES),
)
SCRIPTS = st.lists(SCRIPT, max_size=5).map("\n".join)


@examples(25)
@given(alpha=SCRIPTS, beta=SCRIPTS, kit=SCRIPTS)
def test_every_reference_of_typescript_is_counted_once(alpha: str, beta: str, kit: str) -> None:
    app = '{"name": "app", "dependencies": {"@acme/kit": "1"}}'
    corpus = {
        "app": {"package.json": app, "alpha.ts": alpha, "beta.ts": beta},
        "kit": {"package.json": '{"name": "@acme/kit"}', "index.ts": kit},
    }
    assert_everything_is_counted(indexed(corpus))


GO_IMPORTS = st.lists(
    st.sampled_from(["acme.example/kit", "acme.example/kit/gone", "fmt", "gone.example/lib"]),
    unique=True,
)
GO = st.lists(
    st.one_of(
        st.builds("func {}() {} {{ {}().{}(); return {}{{}} }}".format, *[NAMES] * 5),
        st.builds("func {}(x {}) {{ x.{}(); x.{}.{}(); {}() }}".format, *[NAMES] * 6),
        st.builds(
            "func ({0}) {1}() {{ {2}() }}\nfunc (x *{0}) {3}() {{ x.{1}() }}".format, *[NAMES] * 4
        ),
        st.builds("type {} struct {{ {}; {} {} }}".format, *[NAMES] * 4),
        st.builds("type {} interface {{ {}() }}".format, NAMES, NAMES),
        st.builds("func {}() {{ y := kit.{}(); y.{}(); lib.{}().{}() }}".format, *[NAMES] * 5),
    ),
    max_size=5,
).map("\n".join)


@examples(25)
@given(imports=GO_IMPORTS, app=GO, near=GO, kit=GO)
def test_every_reference_of_go_is_counted_once(
    imports: list[str], app: str, near: str, kit: str
) -> None:
    head = "package app\n" + "".join(f'import "{path}"\n' for path in imports)
    corpus = {
        "app": {
            "go.mod": "module acme.example/app\n\nrequire acme.example/kit v1.0.0\n",
            "main.go": head + app,
            "near.go": "package app\n" + near,
        },
        "kit": {"go.mod": "module acme.example/kit\n", "kit.go": "package kit\n" + kit},
    }
    assert_everything_is_counted(indexed(corpus))


KIT = """
def make(): ...
def verify(): ...
class Store:
    def get(self): ...
class Other:
    def get(self): ...
"""


@pytest.mark.parametrize(
    ("symbol", "text", "expected"),
    [
        # An import that must lead into the repository, or into what is visible, but does not.
        ("verify", "from .gone import verify\nverify()\n", (1, 0)),
        ("verify", "from acme_kit.gone import verify\nverify()\n", (1, 0)),
        ("verify", "from acme_kit import gone\ngone.verify()\n", (1, 0)),
        # One that leads outside.
        ("verify", "from requests.api import verify\nverify()\n", (0, 1)),
        ("verify", "import os\nos.verify()\n", (0, 1)),
        ("get", "from requests import get\nget()\n", (0, 1)),
        ("get", "import requests\nrequests.Session().get()\n", (0, 1)),
        # The result of something unknown.
        ("get", "from acme_kit import make\nmake().get()\n", (1, 0)),
        ("get", "from acme_kit import make\nx = make()\nx.y.get()\n", (1, 0)),
        ("get", "def own(): ...\nown().get()\n", (1, 0)),
        ("get", "def own(x): x.get()\n", (1, 0)),
        ("get", "from requests import T\ndef own() -> T: ...\nown().get()\n", (0, 1)),
        # The result of a function outside, and part of a value there, may be anything.
        ("get", "import requests\nrequests.session().get()\n", (1, 0)),
        ("get", "from requests import Session\nSession.MAIN.get()\n", (0, 1)),
        ("get", "from requests import api\napi.get()\n", (0, 1)),
        ("get", "from requests import app\napp.store.get()\n", (1, 0)),
        ("walk", "import os\nos.path.walk()\ndef walk(): ...\n", (0, 1)),
        ("get", "from requests import Session\nSession().keep().get()\n", (1, 0)),
        ("get", "from requests import Box\ndef f(x: Box): x[0].get()\n", (1, 0)),
        ("get", "from requests import Box\ndef f(x: Box): x.content.get()\n", (1, 0)),
        ("get", "from asyncio import Task\ndef own() -> Task[B]: ...\nown().get()\n", (1, 0)),
        ("get", "from typing import Final\ndef f(x: Final): x.get()\n", (1, 0)),
        ("get", "from typing import TypeVar\nT = TypeVar('T')\ndef f(x: T): x.get()\n", (1, 0)),
        # A member that a known class does not have, whatever it inherits from.
        ("get", "from acme_kit import Other\nOther().get()\n", (0, 1)),
        ("get", "class A:\n    def f(self): self.get()\n", (1, 0)),
        ("get", "class A:\n    def f(self): super().get()\n", (1, 0)),
        ("get", "class A(dict):\n    def f(self): self.get()\n", (1, 0)),  # no base is recorded
        ("get", "from gone import B\nclass A(B):\n    def f(self): self.get()\n", (1, 0)),
        ("get", "from gone import B\nclass A(B):\n    def f(self): super().get()\n", (0, 1)),
        (
            "get",
            "from gone import B\nclass A(B): ...\nasync def f():\n"
            "    async with A() as a: a.get()\n",
            (1, 0),
        ),
        ("get", "from .gone import B\nclass A(B):\n    def f(self): self.get()\n", (1, 0)),
        # Another definition of the name, in the file itself.
        ("verify", "def verify(): ...\nverify()\n", (0, 0)),
        ("Store.get", "class A:\n    def get(self): self.get()\n", (0, 1)),
    ],
)
def test_reference_is_unresolved_or_elsewhere(
    symbol: str, text: str, expected: tuple[int, int], ask: Ask
) -> None:
    repository("kit", {"pyproject.toml": pyproject("acme-kit"), "acme_kit/__init__.py": KIT})
    repository(
        "app",
        {
            "pyproject.toml": pyproject("app", "acme-kit"),
            "app/__init__.py": "",
            "app/main.py": text,
        },
    )
    project = "kit" if symbol == "Store.get" or "Other" in text else ""
    chosen = {"project": project} if project else {}
    name = "Store.get" if project else symbol
    receipt = ask("callers", symbol=name, **chosen).json()["receipt"]
    assert (receipt["unresolved"]["count"], receipt["elsewhere"]["count"]) == expected


def test_callees_count_what_leads_outside(ask: Ask) -> None:
    repository(
        "app",
        {
            "app.py": "import os\nfrom .gone import near\n"
            "def run(x):\n    os.walk()\n    near()\n    x.go()\n    run()\n"
        },
    )
    receipt = ask("callees", symbol="run").json()["receipt"]
    assert receipt["unresolved"]["count"] == 2
    assert receipt["elsewhere"] == {"count": 1, "more": False}


def test_references_beyond_the_limit_count_as_unresolved(
    ask_live: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    use = "from acme_kit import Other\n" + "Other().get()\n" * 3
    repository("kit", {"pyproject.toml": pyproject("acme-kit"), "acme_kit/__init__.py": KIT})
    repository("app", {"pyproject.toml": pyproject("app", "acme-kit"), "app.py": use})

    def counted(**query: object) -> tuple[int, int]:
        receipt = ask_live("callers", symbol="Store.get", **query).json()["receipt"]
        return receipt["unresolved"]["count"], receipt["elsewhere"]["count"]

    assert counted() == counted(min_confidence="low") == (0, 3)
    monkeypatch.setattr("central.trace.candidates.MAX_RESOLVED", 0)
    for module in ("callers", "candidates"):
        monkeypatch.setattr(f"central.trace.{module}.MAX_UNLIKELY", 1)
    assert counted() == counted(min_confidence="low") == (2, 1)


def test_references_that_are_not_even_read_are_told_where_unresolved_ones_are_listed(
    ask_live: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    use = "from acme_kit import Other\n" + "Other().get()\n" * 9
    repository("kit", {"pyproject.toml": pyproject("acme-kit"), "acme_kit/__init__.py": KIT})
    repository("app", {"pyproject.toml": pyproject("app", "acme-kit"), "app.py": use})
    for limit, most in (("MAX_RESOLVED", 0), ("MAX_UNLIKELY", 2)):
        monkeypatch.setattr(f"central.trace.candidates.{limit}", most)
    monkeypatch.setattr("central.trace.callers.MAX_UNRESOLVED", 3)
    receipt = ask_live("callers", symbol="Store.get", min_confidence="low").json()["receipt"]
    assert receipt["cut"] == [CUT_CALLERS]


def test_more_references_than_are_counted_are_told(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.trace.callers.MAX_UNRESOLVED", 2)
    repository("app", {"app.py": "import os\ndef walk(): ...\n" + "os.walk()\n" * 3})
    receipt = ask("callers", symbol="walk").json()["receipt"]
    assert receipt["elsewhere"] == {"count": 2, "more": True}


@pytest.mark.parametrize("limit", ["MAX_HOLDERS", "MAX_TYPES"])
def test_what_holds_a_class_is_followed_up_to_a_limit_that_the_receipt_names(
    ask_live: Ask, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """Of a name that too many references bear. Calls on the class itself are found in any case."""
    held = "class Store:\n    def get(self): ...\n\nshared = Store()\n"
    use = "from kit import Store, shared\n\ndef direct():\n    Store.get()\n    shared.get()\n"
    repository("app", {"kit.py": held, "app.py": use})

    def lines() -> tuple[list[int], list[str]]:
        answer = ask_live("callers", symbol="Store.get").json()
        return [one["line"] for one in answer["callers"]], answer["receipt"]["cut"]

    with selected_by_hierarchy():
        monkeypatch.setattr("central.trace.callers.MAX_UNLIKELY", 0)
        assert lines() == ([4, 5], [])
        monkeypatch.setattr(f"central.trace.resolve.hierarchy.{limit}", 0)
        assert lines() == ([4], [CUT_CALLERS])


def test_of_how_many_files_edges_are_not_current_is_told_to_who_sees_all(
    ask: Ask, ask_live: Ask, api: Api
) -> None:
    repository("app", {"app.py": "def go(): ...\n\ngo()\n"})
    hidden = repository("hidden", {"other.py": "def go(): ...\n"})

    def told(**query: object) -> int | None:
        answer: dict[str, Any] = ask_live("callers", symbol="go", **query).json()
        behind: int | None = answer["receipt"]["edges_behind"]
        return behind

    partial = api_of(api.organization, repositories=["app"]).token
    assert told() is None
    ask("callers", symbol="go")
    assert told() == 0
    Source.objects.update(due=True)
    assert (told(), told(token=partial)) == (2, None)
    change_files(hidden, {"more.py": "def more(): ...\n"})
    assert told() is None
