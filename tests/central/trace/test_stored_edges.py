"""Stored edges are what resolution says, after any history and for every credential."""

import random
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_django import DjangoDbBlocker

from aeterna_code_search.contract.trace import Confidence
from central.corpus.models import File, Symbol
from central.db import id_array
from central.projections import Difference
from central.repositories.models import Repository
from central.tenancy.models import Organization
from central.trace.callees import find_callees
from central.trace.callers import find_callers
from central.trace.edges import Edge
from central.trace.resolve.definitions import Definition, DefinitionFilter, definitions_named
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Ancestors
from central.trace.resolve.references import sites_within
from central.trace.resolve.rules import rules_of
from central.trace.stored import follower
from central.trace.stored.follower import (
    CallEdges,
    compare_edges,
    delete_unused_questions,
    different,
)
from central.trace.stored.hierarchy import lineages, overriding_classes
from central.trace.stored.metrics import EdgeCollector
from central.trace.stored.models import Edge as StoredEdge
from central.trace.stored.models import Inheritance, Source
from central.trace.stored.models import Path as StoredPath
from central.trace.stored.state import live_files
from tests.central.lasting import lasting
from tests.central.trace.corpus import (
    add_scip,
    analyse,
    change_files,
    organization_of,
    pyproject,
    repository,
)

STORED: Final = Path(follower.__file__).parent


def _symbol(descriptors: str) -> str:
    return f"scip-python python lib . `lib.core`/{descriptors}"


# What each file may say; "" stands for a file that is not there.
_PLACES: Final[Mapping[tuple[str, str], Sequence[str]]] = {
    ("lib", "pyproject.toml"): (pyproject("lib"), pyproject("other"), pyproject("lib", "kit")),
    ("lib", "lib/__init__.py"): ("from lib.core import run", "", "from lib.more import *"),
    ("lib", "lib/core.py"): (
        "def run(): ...\nclass Box:\n    def go(self): ...",
        "class Box: ...",
        "from lib.more import run\nclass Base:\n    def go(self): ...\nclass Box(Base): ...",
        "",
    ),
    ("lib", "lib/more.py"): ("def run(): ...", "def stop(): ...", ""),
    ("fork", "pyproject.toml"): (pyproject("lib"), pyproject("fork"), ""),
    ("fork", "lib/core.py"): ("def run(): ...\nclass Box:\n    def go(self): ...", ""),
    ("app", "pyproject.toml"): (pyproject("app", "lib"), pyproject("app"), ""),
    ("app", "app/main.py"): (
        "from lib.core import Box, run\ndef main(box: Box):\n    run()\n    box.go()",
        "import lib\ndef main():\n    lib.run()",
        "from app.own import Mine\ndef main(mine: Mine):\n    mine.go()\n    Mine()",
        "from lib import missing\ndef main():\n    missing()\n    unknown.go()",
    ),
    ("app", "app/own.py"): (
        "from lib.core import Box\nclass Mine(Box):\n    def go(self): ...",
        "class Mine:\n    def __init__(self): self.go()\n    def go(self): ...",
        "import lib.core\nBox = lib.core.Box\nclass Mine(Box):\n    def go(self): ...",
        "from lib.core import Box\nkind: type[Box]\nclass Mine(kind):\n    def go(self): ...",
        "",
    ),
    ("app", "app/last.py"): (
        "from app.own import Mine as Own\nclass Last(Own):\n    def go(self): ...",
        "from lib.core import Box\nclass Last(Box): ...\nclass End(Last):\n    def go(self): ...",
        "",
    ),
    ("svc", "go.mod"): ("module example.com/svc\n",),
    ("svc", "a.go"): (
        "package svc\ntype T struct{}\nfunc (t T) Run() { t.Go(); B() }\n",
        "package svc\nfunc main() { B(); var t T; t.Go() }\n",
    ),
    ("svc", "b.go"): ("package svc\nfunc B() {}\n", "package svc\ntype T struct{}\n", ""),
    ("svc", "c.go"): ("package svc\nfunc (t T) Go() { B() }\n", "package svc\nfunc B() {}\n", ""),
    ("native", "box.h"): ("int box(void);\n", ""),
    ("native", "box.c"): ('#include "box.h"\nint box(void) { return 1; }\n', ""),
    ("native", "other.c"): ("int box(void) { return 2; }\n", ""),
    ("native", "main.c"): ('#include "box.h"\nint main(void) { return box(); }\n',),
    ("gem", "lib/a.rb"): ("class Shop\n  def sell\n    self.pay\n  end\nend\n",),
    ("gem", "lib/b.rb"): ("class Shop\n  def pay\n  end\nend\n", "def pay\nend\n", ""),
    ("gem", "lib/c.rb"): ("class Shop < Stand\nend\n", "class Shop\nend\n", ""),
    ("gem", "lib/d.rb"): (
        "class Stand\n  def pay\n  end\n  def buy\n    self.pay\n  end\nend\n",
        "",
    ),
}
# What an index may say of a file, if that is as it was indexed.
_INDEXED: Final[Mapping[tuple[str, str], Sequence[Mapping[str, str]]]] = {
    ("lib", "lib/core.py"): (
        {"class |Box": _symbol("Box#"), "def |run": _symbol("run().")},
        {"def |go": _symbol("Box#go()."), "class |Box": _symbol("Box#")},
    ),
    ("app", "app/main.py"): (
        {"box.|go()": _symbol("Box#go().")},
        {"unknown.|go()": _symbol("Box#go()."), "missing|": _symbol("run().")},
        {"mine.|go()": "scip-python python other . `other`/Mine#go()."},
    ),
    ("app", "app/own.py"): (
        {"class |Mine": _symbol("Mine#"), _symbol("Mine#"): f"< {_symbol('Box#')}"},
    ),
}
_NAMES: Final = (
    *("run", "stop", "go", "Box", "Mine", "Base", "Last", "End", "B", "Go", "T", "box"),
    *("Shop", "pay", "sell", "buy"),
)
_REPOSITORIES: Final = sorted({name for name, _ in _PLACES})

_changes = st.sampled_from(sorted(_PLACES)).flatmap(
    lambda place: st.tuples(
        st.just(place), st.sampled_from([*_PLACES[place], *_INDEXED.get(place, ())])
    )
)
_steps = st.lists(_changes | st.sampled_from(_REPOSITORIES), min_size=1, max_size=3)


@pytest.fixture(scope="module")
def organization(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Organization]:
    """It has the first text of each file, and edges that followed."""
    with lasting(django_db_blocker, _followed) as made:
        yield made


@pytest.mark.django_db
@settings(max_examples=12, deadline=None)
@given(st.lists(_steps, min_size=1, max_size=4), st.sets(st.sampled_from(_REPOSITORIES)))
def test_stored_edges_are_what_resolution_says_after_any_history(
    organization: Organization, history: list[list[Any]], hidden: set[str]
) -> None:
    """A step changes files, or retires a repository or brings it back; then edges follow."""
    with _undone():
        for step in history:
            for change in step:
                _retire_or_bring_back(change) if isinstance(change, str) else _change(
                    *change[0], change[1]
                )
            changed = {change if isinstance(change, str) else change[0][0] for change in step}
            if changed <= hidden:  # what the follower has to do there concerns only others
                _assert_answers_are_live(organization, hidden)
            _follow(organization)
            _assert_stored_is_live(organization)
            if hidden:
                _assert_answers_are_live(organization, hidden)


@pytest.mark.django_db
@settings(max_examples=5, deadline=None)
@given(st.sets(st.sampled_from([path for _, path in _PLACES]), min_size=1))
def test_references_of_files_that_are_due_are_resolved(
    organization: Organization, due: set[str]
) -> None:
    with _undone():
        _change("app", "app/own.py", "def more():\n    unknown.go()\n    other.run()")
        _follow(organization)
        paths = StoredPath.objects.filter(path__in=due).values("pk")
        Source.objects.filter(path_id__in=paths).update(due=True)
        _assert_stored_is_live(organization)


@pytest.mark.django_db
def test_only_files_whose_answers_change_are_resolved_again(organization: Organization) -> None:
    own, box = "app/own.py", "class Box:\n    def go(self): ..."
    _change("lib", "lib/core.py", f"def run(): return 1\n{box}")
    CallEdges().update(organization.pk)  # compares
    assert _due() == {"lib/core.py"}, "its definitions are the same"
    _follow(organization)
    _change("lib", "lib/core.py", f"{box}\n    def stop(self): ...\nclass Run(Box): ...")
    CallEdges().update(organization.pk)
    assert _due() == {"lib/core.py", "lib/__init__.py", "app/main.py"}, "its run() is gone"
    assert own not in _due()
    [due] = EdgeCollector().collect()
    assert due.samples[0].value == 3


@pytest.mark.django_db
def test_what_a_hidden_repository_could_decide_is_not_read_from_stored_edges(
    organization: Organization,
) -> None:
    seen = Repository.objects.exclude(name="fork").values_list("pk", flat=True)
    live = live_files(organization, id_array(seen)).files
    assert live is not None
    paths = set(File.objects.filter(pk__in=live).values_list("path", flat=True))
    assert paths == {"app/main.py", "app/own.py", "lib/__init__.py"}, "fork provides lib.core too"


@pytest.mark.django_db
def test_methods_below_a_class_are_found_in_the_store(organization: Organization) -> None:
    visible = list(Repository.objects.values_list("pk", flat=True))
    resolver = _resolver(organization, visible, is_stored=True)
    [main] = definitions_named(resolver, DefinitionFilter("main", path="app/main.py"))
    found = find_callees(
        resolver, sites_within(resolver, [main.key]), min_confidence=Confidence.MEDIUM
    )
    overrides = {edge.target[1] for edge in found.edges if edge.is_override}
    assert overrides == {"Mine.go", "Last.go"}, "Shop.pay is below another class"
    [last] = definitions_named(resolver, DefinitionFilter("Last.go"))
    callers = find_callers(resolver, [last], min_confidence=Confidence.MEDIUM)
    assert {(edge.site.caller, edge.is_override) for edge in callers.edges} == {("main", True)}
    assert not resolver.answered(Ancestors), "no class is resolved"


@pytest.mark.django_db
def test_a_class_between_that_is_resolved_joins_those_in_the_store(
    organization: Organization,
) -> None:
    """A hidden repository could decide what the base of Mine is, but not that of Last."""
    seen = Repository.objects.exclude(name="fork").values_list("pk", flat=True)
    resolver = _resolver(organization, list(seen), is_stored=True)
    [own, last] = (File.objects.get(path=f"app/{name}.py").pk for name in ("own", "last"))
    assert (own in resolver.live_files, last in resolver.live_files) == (True, False)
    [box] = definitions_named(resolver, DefinitionFilter("Box", path="lib/core.py"))
    assert overriding_classes(resolver, [(box.key, "go"), ((last, "Last"), "go")], limit=9) == [
        (box.key, "go", (own, "Mine")),
        (box.key, "go", (last, "Last")),
    ]
    _assert_answers_are_live(organization, {"fork"})


@pytest.mark.django_db
def test_a_step_that_fails_changes_nothing_and_the_next_one_does_it(
    organization: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(StoredEdge.objects.values_list("pk", flat=True))
    _change("lib", "lib/core.py", "class Box: ...")
    CallEdges().update(organization.pk)
    with monkeypatch.context() as patch:
        patch.setattr("central.trace.stored.follower.write_edges", _fail)
        with transaction.atomic(), pytest.raises(RuntimeError), transaction.atomic():
            CallEdges().update(organization.pk)
        CallEdges().follow()  # logs it, for other organisations are to be followed too
    assert sorted(StoredEdge.objects.values_list("pk", flat=True)) == before
    _follow(organization)
    _assert_stored_is_live(organization)


@pytest.mark.django_db
def test_a_crash_at_any_line_of_the_follower_loses_nothing(organization: Organization) -> None:
    _change_everything()
    with _undone(), _crashing_at(sys.maxsize) as lines:
        _follow(organization)
    live = _answers(organization, _visible(organization), is_stored=False)
    count = sum(lines)
    draw = random.Random(count)  # noqa: S311 (no secret)
    for line in sorted(draw.sample(range(1, count), 12)):
        with _undone():
            with suppress(_Crash), transaction.atomic(), _crashing_at(line):
                _follow(organization)
            _follow(organization)
            _assert_stored_is_live(organization, live)


@pytest.mark.django_db
def test_the_reconcile_finds_edges_that_differ_and_has_them_resolved_again(
    organization: Organization,
) -> None:
    app = Repository.objects.get(name="app")
    StoredEdge.objects.filter(repository_id=app.pk, name="run").update(rule="import", candidates=9)
    assert compare_edges(app, repair=True) == Difference(due=0, differing=1)
    assert compare_edges(app, repair=False) == Difference(due=1, differing=0)
    _follow(organization)
    assert compare_edges(app, repair=False) == Difference(due=0, differing=0)
    Inheritance.objects.filter(repository_id=app.pk, name="Last").delete()
    assert compare_edges(app, repair=True) == Difference(due=0, differing=1)


@pytest.mark.django_db
def test_questions_that_no_file_depends_on_are_deleted(organization: Organization) -> None:
    assert delete_unused_questions() == 0
    _change("app", "app/main.py", "")
    _change("app", "app/own.py", "")
    _follow(organization)
    assert delete_unused_questions() > 0
    _assert_stored_is_live(organization)


def _followed() -> Organization:
    """The organisation with the first text of each file."""
    for place, texts in _PLACES.items():
        _change(*place, texts[0])
    _follow(organization_of())
    analyse()
    return organization_of()


class _Crash(BaseException):
    """The process ends here, and PostgreSQL rolls its transaction back."""


@contextmanager
def _crashing_at(line: int) -> Iterator[list[int]]:
    """Crash at this line of those that the follower executes; the list counts them."""
    executed: list[int] = []

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if STORED not in Path(frame.f_code.co_filename).parents:
            return None
        if event == "line":
            executed.append(1)
            if len(executed) == line:
                raise _Crash
        return trace

    sys.settrace(trace)
    try:
        yield executed
    finally:
        sys.settrace(None)


def _change_everything() -> None:
    """Change each file that has another text."""
    for place, texts in _PLACES.items():
        _change(*place, texts[-1])


def _due() -> set[str]:
    due = Source.objects.filter(due=True).values("path_id")
    return set(StoredPath.objects.filter(pk__in=due).values_list("path", flat=True))


def _fail(*_: object) -> None:
    raise RuntimeError


@contextmanager
def _undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _change(name: str, path: str, text: str | Mapping[str, str]) -> None:
    made = repository(name, {})
    if isinstance(text, Mapping):
        with suppress(File.DoesNotExist, ValueError):  # it is another file
            add_scip(made, {path: text})
        return
    change_files(made, {path: text} if text else {}, removed=() if text else (path,))


def _retire_or_bring_back(name: str) -> None:
    found = Repository.objects.get(name=name)
    found.retired_at = None if found.retired_at else timezone.now()
    found.save()


def _follow(organization: Organization) -> None:
    while CallEdges().update(organization.pk):
        pass


def _assert_stored_is_live(organization: Organization, live: Any = None) -> None:
    """`live` are the answers, if they are known."""
    visible = _visible(organization)
    sources = Source.objects.filter(repository_id__in=visible, due=False)
    assert different(organization, list(sources.values_list("path_id", flat=True))) == []
    live = live or _answers(organization, visible, is_stored=False)
    assert _answers(organization, visible, is_stored=True) == live


def _assert_answers_are_live(organization: Organization, hidden: set[str]) -> None:
    visible = _visible(organization, hidden)
    live = _answers(organization, visible, is_stored=False)
    assert _answers(organization, visible, is_stored=True) == live


def _visible(organization: Organization, hidden: Collection[str] = ()) -> list[int]:
    present = Repository.objects.filter(organization=organization, retired_at=None)
    return sorted(present.exclude(name__in=hidden).values_list("pk", flat=True))


def _answers(organization: Organization, visible: Sequence[int], *, is_stored: bool) -> Any:
    found: dict[object, Any] = {"ancestors": _ancestors(organization, visible, is_stored=is_stored)}
    for name in _NAMES:
        resolver = _resolver(organization, visible, is_stored=is_stored)
        definitions = definitions_named(resolver, DefinitionFilter(name))
        for one in definitions:
            found[one.key] = _callers(resolver, [one]), _callees(resolver, one)
        found[name] = _callers(resolver, definitions)
    return found


def _resolver(
    organization: Organization, visible: Sequence[int], *, is_stored: bool
) -> BatchResolver:
    resolver = BatchResolver(rules_of(organization), repositories=visible)
    if is_stored:
        resolver.follow(live_files(organization, id_array(visible)).files)
        assert resolver.live_files is not None
    return resolver


def _ancestors(organization: Organization, visible: Sequence[int], *, is_stored: bool) -> Any:
    """The ancestors of everything that is defined."""
    defined = Symbol.objects.filter(repository_id__in=visible)
    keys = sorted(set(defined.values_list("file_id", "qualified_name")))
    resolver = _resolver(organization, visible, is_stored=is_stored)
    found = lineages(resolver, keys)
    return [(key, sorted(several)) for key, several in zip(keys, found, strict=True)]


def _callers(resolver: BatchResolver, definitions: Sequence[Definition]) -> Any:
    found = find_callers(resolver, definitions, min_confidence=Confidence.LOW)
    tally = found.tally
    further = find_callers(
        resolver, definitions, min_confidence=Confidence.LOW, is_tallied=False
    )  # as the next level of a trace
    return (
        _shown(found.edges),
        _shown(further.edges),
        tally.unresolved,
        tally.elsewhere,
        sorted({site.id for site in found.untargeted}),
    )


def _callees(resolver: BatchResolver, one: Definition) -> Any:
    sites = sites_within(resolver, [one.key])
    found = find_callees(resolver, sites, min_confidence=Confidence.MEDIUM)
    return (
        _shown(found.edges),
        sorted(site.id for site in found.tally.unresolved_sample),
        sorted(site.id for site in found.untargeted),
    )


def _shown(edges: Sequence[Edge]) -> list[Any]:
    return sorted(
        (
            one.site.path,
            one.site.line,
            one.site.column,
            *one.target,
            one.rule,
            one.confidence,
            one.candidates,
            one.is_override,
        )
        for one in edges
    )
