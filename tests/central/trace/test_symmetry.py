"""Callers and resolution agree: callers of a definition are what resolves to it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aeterna_code_search.contract.trace import Confidence
from central.corpus.models import Reference, Symbol
from central.trace.callees import override_edges
from central.trace.callers import Edge, find_callers
from central.trace.edges import constructor_edges
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Key
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.resolve import resolve
from central.trace.resolve.rules import RULES
from tests.central.trace.corpus import organization_of, pyproject, repository
from tests.property_settings import examples

Link = tuple[int, Key]  # a reference and what it means


def sites() -> list[ReferenceSite]:
    """Read every reference."""
    return [
        ReferenceSite(
            row.pk,
            row.repository_id,
            row.file_id,
            row.file.path,
            row.file.package_id or 0,
            row.ecosystem,
            row.kind,
            row.name,
            row.binding,
            row.root,
            row.chain,
            row.access,
            row.caller,
            row.line,
            row.column,
        )
        for row in Reference.objects.select_related("file").exclude(kind="type")
    ]


def forward(resolver: BatchResolver) -> set[Link]:
    """Resolve every reference, with the constructors and overrides that it may reach."""
    found = sites()
    edges = [
        Edge(
            site, definition.key, definition, definition.rule, resolution.confidence(definition), 1
        )
        for site, resolution in zip(found, resolve(resolver, found), strict=True)
        for definition in resolution.targets
    ]
    edges += [*constructor_edges(resolver, edges), *override_edges(resolver, edges)]
    symbols = set(Symbol.objects.values_list("file_id", "qualified_name"))
    return {(edge.site.id, edge.target) for edge in edges if edge.target in symbols}


def backward(repositories: list[int]) -> set[Link]:
    """Find the callers of every definition, one definition at a time."""
    found = set()
    for key in set(Symbol.objects.values_list("file_id", "qualified_name")):
        resolver = BatchResolver(RULES, repositories=repositories)
        definitions = list(definitions_at(resolver, [key]).values())
        edges = find_callers(resolver, definitions, min_confidence=Confidence.MEDIUM).edges
        assert set(edges) == set(uncounted_callers(repositories, definitions))
        found |= {(edge.site.id, edge.target) for edge in edges}
    return found


def uncounted_callers(repositories: list[int], definitions: Sequence[Definition]) -> Sequence[Edge]:
    """Find callers as the further levels of a graph do, which count no other references."""
    resolver = BatchResolver(RULES, repositories=repositories)
    return find_callers(
        resolver, definitions, min_confidence=Confidence.MEDIUM, is_tallied=False
    ).edges


MODULES = ["one.alpha", "one.beta", "two.gamma", "two.delta", "one", "two"]
NAMES = ["first", "second", "Third", "Fourth"]
MEMBERS = [*NAMES, "__init__"]

modules = st.sampled_from(MODULES)
names = st.sampled_from(NAMES)
members = st.sampled_from(MEMBERS)
imports = st.one_of(
    st.builds("from {} import {}".format, modules, names),
    st.builds("from {} import {} as {}".format, modules, names, names),
    st.builds("from {} import *".format, modules),
    st.builds("import {}".format, modules),
    st.builds("import {} as {}".format, modules, names),
)
uses = st.one_of(
    st.builds("{}()".format, names),
    st.builds("{}().{}()".format, names, names),
    st.builds("{}.{}()".format, st.one_of(names, modules), names),
    st.builds("{}().{}.{}()".format, names, names, names),
    st.builds("value = {}()\n    value.{}()".format, names, names),
    st.builds("value = {}().{}()\n    value.{}()".format, names, names, names),
)
functions = st.builds("def {}():\n    {}\n    {}".format, names, uses, uses)
importers = st.builds(
    "def {}():\n    from {} import {} as {}\n    return {}()".format,
    names,
    modules,
    *[names] * 3,
)
makers = st.builds("def {}() -> {}:\n    return {}()".format, names, names, names)
classes = st.builds(
    "class {}({}):\n    def {}(self):\n        self.{}()\n        super().{}()".format,
    names,
    st.one_of(names, st.builds("{}.{}".format, modules, names)),
    members,
    names,
    members,
)
owners = st.builds(
    "class {}:\n    {}: {}\n\n    def {}(self) -> {}:\n        self.{}.{}()".format, *[names] * 7
)
variables = st.builds("{} = {}()".format, st.sampled_from(["shared", "first"]), names)
files = st.builds(
    lambda above, below: "\n".join([*above, *below]) + "\n",
    st.lists(imports, max_size=3),
    st.lists(st.one_of(functions, importers, makers, classes, owners, variables), max_size=4),
)
corpora = st.fixed_dictionaries(dict.fromkeys(MODULES, files))


def indexed(corpus: Mapping[str, str]) -> list[int]:
    """Replace everything in the database by two packages with these modules."""
    Reference.objects.all().delete()
    organization = organization_of()
    organization.repositories.all().delete()
    return [
        repository(
            name,
            {
                "pyproject.toml": pyproject(name, other),
                **{
                    path_of(module): text
                    for module, text in corpus.items()
                    if module.partition(".")[0] == name
                },
            },
        ).pk
        for name, other in (("one", "two"), ("two", "one"))
    ]


# A variable holds the base of a class; a base is the result of a method of the class.
HELD_BASE = """\
class first(first):
    def second(self):
        self.first()
        super().first()
first = second()
class second(first):
    def second(self):
        self.second()
        super().first()
"""
HELD_BASE_BY_ANOTHER_NAME = """\
class Third(first):
    def Fourth(self):
        self.Third()
        super().Third()
first = second()
class second(Fourth):
    def Third(self):
        self.Fourth()
        super().first()
"""
RETURNED_BASE = """\
class first(first):
    def first(self):
        self.first()
        super().first()
class second(Fourth):
    def first(self):
        self.first()
        super().second()
class second:
    first: first

    def Fourth(self) -> first:
        self.first.first()
"""

# Two functions of one name, each imported by another one: the second returns what the first does.
# An import in a function is no export, so that its name leads nowhere by itself.
RENAMED_TWICE = {
    "one.alpha": """\
class Third:
    def second(self):
        pass
def first() -> Third:
    return Third()
""",
    "one.beta": """\
from one.alpha import first as fourth
def first():
    return fourth()
""",
    "two.gamma": """\
def made():
    from one.beta import first as Fourth
    return Fourth()
""",
    "two.delta": """\
from two.gamma import made
made().second()
""",
}


@example(corpus=dict.fromkeys(MODULES, "\n") | {"two": HELD_BASE})
@example(corpus=dict.fromkeys(MODULES, "\n") | {"two": HELD_BASE_BY_ANOTHER_NAME})
@example(corpus=dict.fromkeys(MODULES, "\n") | {"two": RETURNED_BASE})
@example(corpus=dict.fromkeys(MODULES, "\n") | RENAMED_TWICE)
@examples(25)
@given(corpus=corpora)
def test_callers_are_exactly_what_resolves_to_a_definition(corpus: Mapping[str, str]) -> None:
    repositories = indexed(corpus)
    links = forward(BatchResolver(RULES, repositories=repositories))
    assert backward(repositories) == links
    with selected_by_hierarchy():
        assert backward(repositories) == links


@contextmanager
def selected_by_hierarchy() -> Iterator[None]:
    """Find callers as if too many references bore each name to resolve them all."""
    with pytest.MonkeyPatch.context() as patch:
        for limit in ("MAX_RESOLVED", "MAX_UNCOUNTED"):
            patch.setattr(f"central.trace.candidates.{limit}", 0)
        yield


def path_of(module: str) -> str:
    package, _, inner = module.partition(".")
    return f"{package}/{inner or '__init__'}.py"
