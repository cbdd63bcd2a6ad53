"""Constructors: the members of a class, or of one above it, that making an instance calls."""

from collections.abc import Sequence
from typing import Final

from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.questions import (
    FUNCTIONS,
    Ancestors,
    Constructors,
    Key,
    ResolvedDefinition,
    last_name,
)
from central.trace.resolve.sql import Decorators, SameScopeDefinitions
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
    missing: list[str] = []
    for name, rows in zip(names, own, strict=True):
        is_certain = len(rows) == 1 and name in rules.constructors
        member = _member(key, name).name
        methods = [row for row in rows if row.kind in FUNCTIONS]
        found += [ResolvedDefinition(row.file, member, row.kind, is_certain) for row in methods]
        if not rows and name in rules.constructors:
            missing.append(name)
    if missing and (not found or rules.calls_each_constructor):
        found += yield from _inherited(key, missing, rules.constructor_decorator)
    return tuple(found)


def _member(key: Key, name: str) -> SameScopeDefinitions:
    """Return the question for a constructor; without a name it has that of its class."""
    file, container = key
    return SameScopeDefinitions(file, f"{container}.{name or last_name(container)}")


def _inherited(
    key: Key, names: Sequence[str], decorator: str
) -> RuleGenerator[list[ResolvedDefinition]]:
    """Return the nearest constructor above a class, by each of the names.

    A class between that has `decorator` has a constructor of its own, which is not written; one
    with other decorators may have one.
    """
    (lineage,) = yield [Ancestors(*key)]
    places = [key, *(base.key for base in lineage)]
    decorated = yield [Decorators(*place) for place in places if decorator]
    members = yield [_member(base.key, name) for name in names for base in lineage]
    found: list[ResolvedDefinition] = []
    for number, name in enumerate(names):
        is_certain = True
        rows_of_bases = members[number * len(lineage) :]
        for index, (base, rows) in enumerate(zip(lineage, rows_of_bases, strict=False)):
            above = decorated[index] if decorated else ()
            if decorator in {row.name for row in above}:
                break
            is_certain = is_certain and base.is_certain and not above
            if rows:
                member = _member(base.key, name).name
                is_certain = is_certain and len(rows) == 1
                found += [
                    ResolvedDefinition(row.file, member, row.kind, is_certain)
                    for row in rows
                    if row.kind in FUNCTIONS
                ]
                break
    return found
