"""Extension members: those that a type has from elsewhere, and whose name a file sees.

A class's own members go first. Of several extensions of one name the receiver's type decides, then
where they stand: named by the file, in its package, in what the package declares.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import BatchResolver, RuleGenerator, RuleSteps
from central.trace.resolve.free_names import with_outer
from central.trace.resolve.modelled import declared_type, without_modelled
from central.trace.resolve.questions import (
    Ancestors,
    Classes,
    ComeAlong,
    ExtensionAccess,
    ImportPath,
    Key,
    Limit,
    Members,
    NameInFile,
    ResolvedDefinition,
    best_candidates,
    last_name,
    reached_via_each,
)
from central.trace.resolve.sql import (
    ExtensionRow,
    Extensions,
    Imports,
    NamedBases,
    Scopes,
    Typing,
    TypingRow,
    Wildcards,
)
from central.trace.resolve.statements import MAX_EXTENSIONS
from indexer.records.builtin_types import is_builtin_type, other_types, types_within
from indexer.records.references import RECEIVER, Access, Binding

CUT_EXTENSIONS: Final = f"Of one name's extension members, {MAX_EXTENSIONS:,} at most were read."


class _Receiver(NamedTuple):
    """What a value is: visible classes, and the names of types outside."""

    classes: frozenset[Key]
    names: frozenset[str]
    is_builtin: bool


def extension_access(question: ExtensionAccess) -> RuleSteps:
    """Find the extension members that a member of a value may be, if its class has no such."""
    (rows,) = yield [Extensions(question.origin.ecosystem, question.name)]
    if not rows:
        return ()
    if len(rows) > MAX_EXTENSIONS:
        yield [Limit(CUT_EXTENSIONS)]
    receiver = yield from _receiver(question)
    types = yield [declared_type(row.file, row.name, row) for row in rows]
    fitting = {
        row: is_exact
        for row, classes in zip(rows, types, strict=True)
        if (is_exact := _fits(row, classes, receiver)) is not None
    }
    imported = yield from _imported(question)
    if not fitting:  # the file says so, and its receiver may inherit from something outside
        told = [
            row
            for row in rows
            if row.key in imported and (row.binding == Binding.UNKNOWN or not receiver.is_builtin)
        ]
        return best_candidates(_definition(row, is_certain=True) for row in told)
    named = imported | (yield from _in_scope(question, list(fitting)))
    for near, is_certain in (yield from _by_distance(question, list(fitting), named)):
        if near:
            return best_candidates(
                _definition(row, is_certain=is_certain and fitting[row]) for row in near
            )
    return ()


def through_extensions(question: NameInFile) -> RuleSteps:
    """Follow a chain one of whose names is an extension member: `file.source().close()`."""
    names = tuple(question.chain.split("."))
    cuts = range(len(names) - 1, -1, -1)
    answers = yield [
        ExtensionAccess(question._replace(chain=".".join(names[:cut])), Access.INSTANCE, names[cut])
        for cut in cuts
    ]
    for cut, found in zip(cuts, answers, strict=True):
        rest = names[cut + 1 :]
        if found and not rest:
            return tuple(found)
        members = yield [Members(definition.file, definition.name, rest) for definition in found]
        reached = best_candidates(reached_via_each(found, members))
        if reached:
            return reached
    return ()


def of_implicit_receiver(question: NameInFile, found: Sequence[ResolvedDefinition]) -> RuleSteps:
    """Return what a bare name may be: of extensions those of the object around, if it has any.

    Another one is a guess: a lambda around may have such a receiver.
    """
    if not found or not name_rules(question.ecosystem).has_implicit_receivers:
        return tuple(found)
    typings = yield [Typing(target.file, f"{target.name}.{RECEIVER}") for target in found]
    if not any(typings):
        return tuple(found)
    classes, names = yield from _implicit_receivers(question)
    rows = [(target, row) for target, told in zip(found, typings, strict=True) for row in told]
    answers = yield [
        declared_type(target.file, f"{target.name}.{RECEIVER}", row) for target, row in rows
    ]
    own = {
        definition.key
        for (definition, row), answer in zip(rows, answers, strict=True)
        if row.binding == Binding.UNKNOWN
        or last_name(row.chain or row.root) in names
        or any(candidate.key in classes for candidate in answer)
    }
    fitting = [
        target for target, told in zip(found, typings, strict=True) if not told or target.key in own
    ]
    return tuple(fitting or (definition._replace(is_certain=False) for definition in found))


def _implicit_receivers(question: NameInFile) -> RuleGenerator[tuple[set[Key], set[str]]]:
    """Return the classes around a reference, and those of the receivers of the functions around.

    With the names of the receivers' types, which may be outside or of the language.
    """
    around = [(question.file, name) for name in with_outer(question.caller) if name]
    receivers = [(file, f"{name}.{RECEIVER}") for file, name in around]
    answers = yield [Classes(*key) for key in receivers]
    typings = yield [Typing(*key) for key in receivers]
    own = {*around, *(definition.key for answer in answers for definition in answer)}
    lineages = yield [Ancestors(*key) for key in sorted(own)]
    names = {last_name(row.chain or row.root) for rows in typings for row in rows}
    return own.union(definition.key for answer in lineages for definition in answer), names


def _definition(row: ExtensionRow, *, is_certain: bool) -> ResolvedDefinition:
    return ResolvedDefinition(row.file, row.name, row.kind, is_certain)


def _receiver(question: ExtensionAccess) -> RuleGenerator[_Receiver]:
    (found,) = yield [question.origin]
    origins = without_modelled(found)
    if not origins:
        outside = yield from _outside(question)
        return _Receiver(frozenset(), outside, _is_builtin(question.origin))
    answers = yield [Classes(target.file, target.name, target.inherited_by) for target in origins]
    classes = {definition.key for answer in answers for definition in answer}
    lineages = yield [Ancestors(*key) for key in classes]
    classes |= {definition.key for answer in lineages for definition in answer}
    bases = yield [NamedBases(*key) for key in sorted(classes)]
    typings = yield [Typing(*definition.key) for definition in origins]
    builtin = {row.root for rows in typings for row in rows if _is_builtin(row)}
    names = {last_name(row.chain or row.root) for answer in bases for row in answer}
    names |= builtin.union(*(other_types(question.origin.ecosystem, name) for name in builtin))
    return _Receiver(frozenset(classes), frozenset(names), bool(builtin) and not classes)


def _is_builtin(row: TypingRow | NameInFile) -> bool:
    """Whether a type is one of the language."""
    is_free = row.binding == Binding.FREE and not row.chain
    return is_free and is_builtin_type(row.ecosystem, row.root)


def _outside(question: ExtensionAccess) -> RuleGenerator[frozenset[str]]:
    """Return the names of the type outside that the receiver has; none of a function's result."""
    if question.access != Access.INSTANCE:
        return frozenset()
    names = {last_name(question.origin.chain or question.origin.root)}
    if question.origin.binding == Binding.IMPORT and not question.origin.chain:
        (imports,) = yield [Imports(question.origin.file, question.origin.root)]
        names = {last_name(row.path) for row in imports}
    return frozenset(names.union(*(other_types(question.origin.ecosystem, name) for name in names)))


def _fits(
    row: ExtensionRow, classes: Sequence[ResolvedDefinition], receiver: _Receiver
) -> bool | None:
    """Whether an extension is surely one of the receiver's type; None if it is of another."""
    if row.binding == Binding.UNKNOWN:
        return False
    if classes:
        return True if any(class_.key in receiver.classes for class_ in classes) else None
    return receiver.is_builtin if last_name(row.chain or row.root) in receiver.names else None


def _imported(question: ExtensionAccess) -> RuleGenerator[set[Key]]:
    """Return the definitions that the file imports by the member's name."""
    (rows,) = yield [Imports(question.origin.file, question.name)]
    answers = yield [ImportPath(*question.origin[1:4], row.path) for row in rows]
    return {definition.key for answer in answers for definition in answer}


def _in_scope(question: ExtensionAccess, rows: Sequence[ExtensionRow]) -> RuleGenerator[set[Key]]:
    """Return the definitions in the file's own scope, and in what it imports by wildcard."""
    scopes, wildcards = yield [Scopes(question.origin.file), Wildcards(question.origin.file)]
    around = [scope.name for scope in scopes]
    if name_rules(question.origin.ecosystem).tries_enclosing_scopes:
        around = [outer for name in around for outer in with_outer(name)]
    modules = dict.fromkeys([*around, *(row.path for row in wildcards)])
    names = sorted({name for row in rows for name in (row.name, question.name)})
    answers = yield [
        ImportPath(*question.origin[1:4], f"{module}.{name}")
        for module in modules
        for name in names
    ]
    found = {definition.key for answer in answers for definition in answer}
    return found | {row.key for row in rows if row.file == question.origin.file}


def _by_distance(
    question: ExtensionAccess, rows: Sequence[ExtensionRow], named: set[Key]
) -> RuleGenerator[list[tuple[list[ExtensionRow], bool]]]:
    """Return the extensions that the file may mean, nearest first, and whether that is certain.

    Where a file need not import them by name, those of the package and of what it declares.
    """
    near = [([row for row in rows if row.key in named], True)]
    if not name_rules(question.origin.ecosystem).extends_by_package:
        return near
    (come,) = yield [ComeAlong(question.origin.package, question.origin.ecosystem)]
    own = [row for row in rows if row.repository == question.origin.repository]
    return [
        *near,
        ([row for row in own if row.package == question.origin.package], True),
        (own, False),
        ([row for row in rows if row.distribution in come[0]], False),
    ]


class ExtendedTypes(NamedTuple):
    """The types of the receivers of extension members: visible classes, and names of others."""

    classes: set[Key]
    names: set[str]


def extended_types(
    resolver: BatchResolver, definitions: Iterable[tuple[Key, str]]
) -> ExtendedTypes:
    """Return the types that definitions, each with its ecosystem, extend, and what is one of them.

    Those of any type extend none.
    """
    asked = {
        Typing(file, f"{owner}.{RECEIVER}"): ecosystem
        for (file, name), ecosystem in definitions
        for owner in (name, name.rpartition(".")[0])
        if owner
    }
    answers = resolver.resolve_all(list(asked))
    found = [
        (declared_type(typing.file, typing.name, row), ecosystem)
        for (typing, ecosystem), rows in zip(asked.items(), answers, strict=True)
        for row in rows
        if row.binding != Binding.UNKNOWN
    ]
    classes = resolver.resolve_all([question for question, _ in found])
    named = {
        (last_name(name_in_file.chain or name_in_file.root), ecosystem)
        for name_in_file, ecosystem in found
    }
    return ExtendedTypes(
        {definition.key for answer in classes for definition in answer},
        {name for pair in named for name in (pair[0], *types_within(pair[1], pair[0]))},
    )
