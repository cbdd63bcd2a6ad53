"""Constructors: the members of a class, or of one above it, that making an instance calls."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.modelled import without_modelled
from central.trace.resolve.questions import (
    FUNCTIONS,
    Ancestors,
    Constructors,
    Key,
    ResolvedDefinition,
    last_name,
)
from central.trace.resolve.sql import Decorators, DefinitionRow, SameScopeDefinitions
from indexer.records.files import VALUE_KINDS

_NO_CLASS_KINDS: Final = FUNCTIONS | VALUE_KINDS | {""}


def constructors(question: Constructors) -> RuleSteps:
    """Find the constructors of a class by each name: its own, or the nearest above it.

    If a class has a primary constructor besides, nothing tells which of the two is called.
    """
    key = (question.file, question.name)
    rules = name_rules(question.ecosystem)
    names = sorted(rules.constructors | rules.secondary_constructors)
    near, *own = yield [SameScopeDefinitions(*key), *(_member(key, name) for name in names)]
    kind = next((row.kind for row in near if row.file == question.file), "")
    if kind in _NO_CLASS_KINDS:
        return ()
    found: list[ResolvedDefinition] = []
    for name, rows in zip(names, own, strict=True):
        found += _functions(key, name, rows, is_certain=name in rules.constructors)
    missing = [
        name
        for name, rows in zip(names, own, strict=True)
        if not rows and name in rules.constructors
    ]
    if missing and (not found or rules.calls_each_constructor):
        found += yield from _inherited(key, missing, rules.constructor_decorator)
    return tuple(found)


def _member(key: Key, name: str) -> SameScopeDefinitions:
    """Return the question for a constructor; without a name it has that of its class."""
    file, container = key
    return SameScopeDefinitions(file, f"{container}.{name or last_name(container)}")


def _functions(
    key: Key, name: str, rows: Sequence[DefinitionRow], *, is_certain: bool
) -> list[ResolvedDefinition]:
    """Return the functions of this name of a class; none of several is certain."""
    is_certain = is_certain and len(rows) == 1
    member = _member(key, name).name
    return [
        ResolvedDefinition(row.file, member, row.kind, is_certain)
        for row in rows
        if row.kind in FUNCTIONS
    ]


def _inherited(
    key: Key, names: Sequence[str], decorator: str
) -> RuleGenerator[list[ResolvedDefinition]]:
    """Return the nearest constructor above a class, by each of the names.

    A class between that has `decorator` has a constructor of its own, which is not written; one
    with other decorators may have one.
    """
    (ancestors,) = yield [Ancestors(*key)]
    lineage = without_modelled(ancestors)
    places = [key, *(base.key for base in lineage)] if decorator else []
    decorated = yield [Decorators(*place) for place in places]
    members = yield [_member(base.key, name) for name in names for base in lineage]
    answers = iter(members)
    found: list[ResolvedDefinition] = []
    for name in names:
        rows_of_bases = list(islice(answers, len(lineage)))
        is_certain = True
        for index, (base, rows) in enumerate(zip(lineage, rows_of_bases, strict=True)):
            below = {row.name for row in decorated[index]} if decorated else set()
            if decorator in below:
                break
            is_certain = is_certain and base.is_certain and not below
            if rows:
                found += _functions(base.key, name, rows, is_certain=is_certain)
                break
    return found
