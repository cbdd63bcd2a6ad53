"""Members of classes, through bases and types, across files and repositories."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from central.trace.resolve import modelled
from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.modelled import declared_type
from central.trace.resolve.questions import (
    FUNCTIONS,
    Ancestors,
    Bases,
    Classes,
    Key,
    Limit,
    Members,
    ResolvedDefinition,
    ScipMeaning,
    best_candidates,
    reached_via,
    reached_via_each,
)
from central.trace.resolve.scip import definitions_of
from central.trace.resolve.sql import (
    BaseRow,
    NamedBases,
    SameScopeDefinitions,
    Typing,
    TypingRow,
)
from indexer.records.files import VALUE_KINDS
from indexer.records.manifests import Ecosystem
from indexer.records.references import (
    CLASS_CALL,
    DESCRIPTOR_METHOD,
    ENTER_METHODS,
    NAMED,
    OF_EVERY_OBJECT,
    Access,
)
from indexer.records.scip import SCIP_BINDING

_MIXED_IN: Final = frozenset({"trait", "module"})  # go before the superclass, the last one first
MAX_LEVELS: Final = 64  # of inheritance, up or down from a class

CUT_BASES: Final = f"Classes more than {MAX_LEVELS} levels of inheritance apart were not related."

_Found: TypeAlias = list[tuple[ResolvedDefinition, tuple[str, ...]]]
_Bases: TypeAlias = dict[Key, Sequence[ResolvedDefinition]]


def members(question: Members) -> RuleSteps:
    """Find a definition's own members, then those of its bases; for a variable, its type's.

    One definition may consume several of the names.
    """
    if question.file == modelled.NO_FILE:
        return (yield from modelled.members_of_value(question))
    if question.names[0] == CLASS_CALL:
        return (yield from _of_call(question))
    own = yield from _own([(question.file, question.name)], question.names)
    if own[0]:
        return (yield from _on(own[0]))
    (classes,) = yield [Classes(question.file, question.name, question.inherited_by)]
    found: list[ResolvedDefinition] = []
    for class_ in classes:
        if class_.key == (question.file, question.name):
            found += yield from _inherited(question)
        else:
            (answer,) = yield [Members(class_.file, class_.name, question.names)]
            found += [
                candidate._replace(receiver=candidate.receiver or class_.key)
                for candidate in reached_via(answer, class_)
            ]
    if not found:
        found += yield from _of_any_name(question)
    if not found and "." in question.name:
        found += yield from _of_owned(question, classes)
    return best_candidates(found)


def _of_any_name(question: Members) -> RuleSteps:
    """Find what an index signature gives, `{[name: string]: A}`, of it or of its first member."""
    (ancestors,) = yield [Ancestors(question.file, question.name)]
    first, *rest = question.names
    wanted = []
    for file, name in ((question.file, question.name), *(base.key for base in ancestors)):
        if first not in OF_EVERY_OBJECT:
            wanted.append((SameScopeDefinitions(file, f"{name}.{NAMED}"), tuple(rest)))
        if rest and rest[0] not in OF_EVERY_OBJECT:
            wanted.append((SameScopeDefinitions(file, f"{name}.{first}.{NAMED}"), tuple(rest[1:])))
    answers = yield [near for near, _ in wanted]
    for (near, after), rows in zip(wanted, answers, strict=True):
        if rows:
            own = [ResolvedDefinition(row.file, near.name, row.kind) for row in rows]
            return (yield from _on([(definition, after) for definition in own]))
    return ()


def _of_call(question: Members) -> RuleSteps:
    """Find members of what a call of a class, or a function, gives."""
    definition = ResolvedDefinition(question.file, question.name, "")
    classes = yield from classes_of([definition], is_called=True)
    answers = yield [Members(*each.key, question.names[1:]) for each in classes]
    return best_candidates(reached_via_each(classes, answers))


def _of_owned(question: Members, classes: Sequence[ResolvedDefinition]) -> RuleSteps:
    """Find members that an attribute has by a model, as one of the class around it."""
    owner = (question.file, question.name.rpartition(".")[0])
    lineages = yield [Ancestors(*class_.key) for class_ in classes]
    for class_, bases in zip(classes, lineages, strict=True):
        asked = Members(*class_.key, question.names)
        found = yield from modelled.members_of_owned(asked, owner, [class_, *bases])
        if found:
            return tuple(found)
    return ()


def classes(question: Classes) -> RuleSteps:
    """Answer a class with itself, and a value or function with the classes of its type.

    A definition that has no type and is no function counts as a class.
    """
    key = (question.file, question.name)
    if question.file == modelled.NO_FILE:
        return (yield from modelled.classes_at(ResolvedDefinition(*key, "class"), key))
    types, near = yield [Typing(*key), SameScopeDefinitions(*key)]
    kind = next((row.kind for row in near if row.file == question.file), "")
    if types:
        found = yield from _of_types(question, types)
        is_attribute = "." in question.name and kind not in FUNCTIONS
        if is_attribute and types[0].ecosystem == Ecosystem.PYPI:
            return (yield from _described(found))
        return found
    return () if kind in FUNCTIONS else (ResolvedDefinition(*key, kind),)


def classes_of(
    found: Sequence[ResolvedDefinition], *, is_called: bool
) -> RuleGenerator[tuple[ResolvedDefinition, ...]]:
    """Return the classes of values or results; of a class that is called, what its call gives."""
    asked = list(found)
    if is_called:
        calls = [f"{definition.name}.{CLASS_CALL}" for definition in found]
        told = yield [Typing(target.file, call) for target, call in zip(found, calls, strict=True)]
        asked = [
            definition._replace(name=call) if rows else definition
            for definition, call, rows in zip(found, calls, told, strict=True)
        ]
    answers = yield [Classes(*definition.key, definition.inherited_by) for definition in asked]
    return tuple(reached_via_each(asked, answers))


def bases(question: Bases) -> RuleSteps:
    """Collect the bases from every file that defines a part of the class."""
    (named,) = yield [NamedBases(*question)]
    answers = yield from _named_bases(question, named)
    candidates = dict.fromkeys(candidate for answer in answers for candidate in answer)
    found = dict.fromkeys((yield from _classes_of_variables(list(candidates))))
    mixed_in = [definition for definition in found if definition.kind in _MIXED_IN]
    return (*reversed(mixed_in), *(target for target in found if target.kind not in _MIXED_IN))


def _named_bases(question: Bases, named: Sequence[BaseRow]) -> RuleGenerator[list[Any]]:
    """Return what each base is: what an index bound it to, or else what the rules find."""
    known: dict[BaseRow, Sequence[ResolvedDefinition]] = {}
    if bound := [row for row in named if row.symbol]:
        meanings = yield [ScipMeaning(row.repository, row.package, row.symbol) for row in bound]
        known = {
            row: found or ()
            for row, meaning in zip(bound, meanings, strict=True)
            if (found := definitions_of(meaning)) is not None or row.binding == SCIP_BINDING
        }
    others = [row for row in named if row not in known]
    answers = yield [declared_type(row.file, question.name, row) for row in others]
    known |= dict(zip(others, answers, strict=True))
    return [known[row] for row in named]


def _classes_of_variables(candidates: Sequence[ResolvedDefinition]) -> RuleSteps:
    """Replace variables by the class that they hold, if it is known: `Base: type[Model]`."""
    variables = [
        candidate for candidate in candidates if not candidate.kind or candidate.kind in VALUE_KINDS
    ]
    if not variables:
        return tuple(candidates)
    answers = yield [Classes(*variable.key, variable.inherited_by) for variable in variables]
    held = {
        variable.key: reached_via(answer, variable)
        for variable, answer in zip(variables, answers, strict=True)
    }
    return tuple(
        found for candidate in candidates for found in held.get(candidate.key) or [candidate]
    )


def ancestors(question: Ancestors) -> RuleSteps:
    """Find ancestors level by level, then sort them in the order of look-up.

    That is depth-first from left to right with the last of duplicates, so a class always precedes
    its own bases.
    """
    start = ResolvedDefinition(*question, "")
    found: _Bases = {}
    level = [start]
    for _ in range(MAX_LEVELS):
        answers = yield [Bases(*definition.key) for definition in level]
        found |= {definition.key: answer for definition, answer in zip(level, answers, strict=True)}
        following = (candidate for answer in answers for candidate in answer)
        level = list(
            {target.key: target for target in following if target.key not in found}.values()
        )
        if not level:
            break
    else:
        yield [Limit(CUT_BASES)]
    return tuple(_ordered(start, found))[1:]


def _inherited(question: Members) -> RuleSteps:
    (ancestors,) = yield [Ancestors(question.file, question.name)]
    # An interface only declares members: what a class inherits goes before, however far.
    visible = modelled.without_modelled(ancestors)
    visible.sort(key=lambda base: base.kind == "interface")
    own = yield from _own([base.key for base in visible], question.names)
    subclass = (question.file, question.name)
    for base, found in zip(visible, own, strict=True):
        if found:
            inherited = [(target._replace(inherited_by=subclass), rest) for target, rest in found]
            return tuple(reached_via((yield from _on(inherited)), base))
    of_models = yield from modelled.inherited_members(question, ancestors)
    first, *rest = question.names
    if of_models or first not in ENTER_METHODS:
        return of_models
    # `with x as y`: a base outside has the method, which mostly gives x.
    own_class = ResolvedDefinition(*subclass, "", is_certain=False)
    return (yield from _on([(own_class, tuple(rest))]))


def _ordered(start: ResolvedDefinition, found: _Bases) -> Iterator[ResolvedDefinition]:
    """Return the order of look-up: post-order from right to left, reversed."""
    order: dict[Key, ResolvedDefinition] = {}
    entered = {start.key}
    above = [(start, iter(found[start.key][::-1]))]
    while above:
        definition, bases = above[-1]
        base = next(bases, None)
        if base is None:
            order[definition.key] = definition
            above.pop()
        elif base.key not in entered:
            entered.add(base.key)
            base = base._replace(is_certain=base.is_certain and definition.is_certain)
            above.append((base, iter(found.get(base.key, ())[::-1])))
    return reversed(order.values())


def _own(keys: Sequence[Key], names: tuple[str, ...]) -> RuleGenerator[list[_Found]]:
    """Return each class's own definitions of the most `names`, with the remaining names."""
    counts = range(len(names), 0, -1)
    wanted = [
        SameScopeDefinitions(file, ".".join((name, *names[:count])))
        for file, name in keys
        for count in counts
    ]
    answers = yield wanted
    found: list[_Found] = []
    for start in range(0, len(wanted), len(counts)):
        longest: _Found = []
        for near, count, rows in zip(
            wanted[start:], counts, answers[start : start + len(counts)], strict=False
        ):
            if rows and not longest:
                longest = [
                    (
                        ResolvedDefinition(row.file, near.name, row.kind, row.is_certain),
                        names[count:],
                    )
                    for row in rows
                ]
        found.append(longest)
    return found


def _on(own: _Found) -> RuleSteps:
    """Continue from members with the remaining names."""
    answers = yield [
        Members(target.file, target.name, rest, target.inherited_by) for target, rest in own if rest
    ]
    following = iter(answers)
    found: list[ResolvedDefinition] = []
    for definition, rest in own:
        found += reached_via(next(following), definition) if rest else [definition]
    return best_candidates(found)


def _of_types(question: Classes, types: Sequence[TypingRow]) -> RuleSteps:
    """Answer with the classes that types name; `Self` of an inherited member is the subclass."""
    subclass = question.inherited_by
    others = [row for row in types if subclass is None or row.access != Access.BASE]
    named = yield [declared_type(question.file, question.name, row) for row in others]
    candidates = [candidate for answer in named for candidate in answer]
    if subclass is not None and len(others) < len(types):
        candidates.append(ResolvedDefinition(*subclass, ""))
    visible = modelled.without_modelled(candidates)
    # What calling something gives, which may be a class with an own call.
    is_result = types[0].access == Access.RESULT and not question.name.endswith(CLASS_CALL)
    is_called = is_result and name_rules(types[0].ecosystem).has_class_calls
    found = [*(yield from classes_of(visible, is_called=is_called))]
    if len(types) > 1 and len(found) < len(visible):  # nothing tells what one of several is
        found = [definition._replace(is_certain=False) for definition in found]
    for candidate in filter(modelled.is_modelled, candidates):
        found += yield from modelled.classes_at(candidate, (question.file, question.name))
    return best_candidates(found)


def _described(classes: Sequence[ResolvedDefinition]) -> RuleSteps:
    """Replace each class of descriptors by the classes of what these give as attributes.

    Itself is a guess, which it mostly gives to the class alone: `if instance is None: return self`.
    """
    getters = yield [Members(class_.file, class_.name, (DESCRIPTOR_METHOD,)) for class_ in classes]
    methods: list[ResolvedDefinition] = [definition for found in getters for definition in found]
    if not methods:
        return tuple(classes)
    given = yield [Classes(*method.key, method.inherited_by) for method in methods]
    plain = [class_ for class_, found in zip(classes, getters, strict=True) if not found]
    itself = {class_.key for class_ in classes}
    held = (
        definition._replace(is_certain=definition.is_certain and definition.key not in itself)
        for answer in given
        for definition in answer
    )
    return best_candidates([*plain, *held])
