"""Values of libraries that no visible repository has, as their models tell.

A modelled value is a definition of no file: its name is an ecosystem, the path of a class or
function, and the class of its items, if it has such. It never is an answer of its own.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import inflection

from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.library_models import (
    ITEM,
    OWN_NAME,
    OWN_NAMES,
    SELF,
    TYPE_ARGUMENT,
    Given,
    Modelled,
    library_models,
)
from central.trace.resolve.questions import (
    Classes,
    Key,
    MemberAccess,
    Members,
    NameInFile,
    ResolvedDefinition,
    best_candidates,
    last_name,
    reached_via,
    reached_via_each,
)
from central.trace.resolve.sql import BaseRow, Typing, TypingRow
from indexer.records.files import VALUE_KINDS
from indexer.records.manifests import Ecosystem
from indexer.records.references import EACH, Access

NO_FILE: Final = 0
_INSTANCE: Final = "instance"  # kind of what a member or call gives: the class, as a value
DEFAULT: Final = "default"
_PARTS: Final = ("", f".{EACH}")
_OWN_NAMES: Final = frozenset({OWN_NAME, OWN_NAMES})
_SEPARATOR: Final = "|"  # the last part, a name, may hold it


class _Value(NamedTuple):
    """A class or function of a library, and the class of the items that it holds."""

    modelled: Modelled
    item: Key | None


class _Subject(NamedTuple):
    """What a member is taken of: `self` of the model, and where its items may be found.

    `written` are definitions whose types, by their own arguments, tell the items: `A.<Repo>.0`.
    """

    key: Key
    value: _Value
    written: Sequence[Key] = ()


def is_modelled(definition: ResolvedDefinition) -> bool:
    """Whether a definition is the value of a model."""
    return definition.file == NO_FILE


def without_modelled(definitions: Iterable[ResolvedDefinition]) -> list[ResolvedDefinition]:
    """Return the definitions that some file has."""
    return [definition for definition in definitions if not is_modelled(definition)]


def without_values(definitions: Iterable[ResolvedDefinition]) -> list[ResolvedDefinition]:
    """Return what a name itself may mean: not the class of what a member of a library gives."""
    return [target for target in without_modelled(definitions) if target.kind != _INSTANCE]


def modelled_at(ecosystem: str, path: str) -> tuple[ResolvedDefinition, tuple[str, ...]] | None:
    """Return the modelled value with which an import path begins, and the names that follow."""
    found = library_models().longest(ecosystem, path)
    return (_definition(_Value(found[0], None)), found[1]) if found else None


def has_member(definition: ResolvedDefinition, name: str) -> bool:
    """Whether the model of a value knows this member."""
    return library_models().member(_value(definition.key).modelled, name) is not None


def members_of_value(question: Members) -> RuleSteps:
    """Find what the model of a value says of its members."""
    key = (question.file, question.name)
    return (yield from _member(_Subject(key, _value(key)), question.names))


def inherited_members(question: Members, bases: Sequence[ResolvedDefinition]) -> RuleSteps:
    """Find what the models of a class's bases say of its members."""
    key = (question.file, question.name)
    classes = [key, *(definition.key for definition in without_modelled(bases))]
    for base in filter(is_modelled, bases):
        value = _value(base.key)
        written = [(file, f"{name}.{type_argument(value.modelled)}") for file, name in classes]
        subject = _Subject(key, value, written)
        found = yield from _member(subject, question.names)
        if not found and value.modelled.declares:
            found = yield from _declared(subject, classes, question.names)
        if found:
            return found
    return ()


def _declared(subject: _Subject, classes: Sequence[Key], names: tuple[str, ...]) -> RuleSteps:
    """Find a member that a call in one of the classes makes of a symbol: `belongs_to :author`."""
    places = [(file, f"{name}.:{names[0]}") for file, name in classes]
    typings = yield [Typing(*place) for place in places]
    for place, rows in zip(places, typings, strict=True):
        for row in rows:
            given = None if row.chain else subject.value.modelled.declares.get(row.root)
            found = (yield from _given(subject, given, place)) if given else ()
            if found:
                return (yield from _rest(found, names[1:]))
    return ()


def members_of_owned(
    question: Members, owner: Key, bases: Sequence[ResolvedDefinition]
) -> RuleSteps:
    """Find members of an attribute, such as a manager, whose items are of the class around it."""
    for base in filter(is_modelled, bases):
        value = _value(base.key)
        if value.modelled.is_owned:
            subject = _Subject((question.file, question.name), value._replace(item=owner))
            return (yield from _member(subject, question.names))
    return ()


def classes_at(value: ResolvedDefinition, place: Key) -> RuleSteps:
    """Return the classes of a definition whose type is a modelled value."""
    known = _value(value.key)
    file, name = place
    written = [(file, f"{name}.{part}") for part in (type_argument(known.modelled), EACH)]
    subject = _Subject(value.key, known, written)
    if known.modelled.result is not None:
        return (yield from _given(subject, known.modelled.result, place))
    items = yield from _items(subject)
    return tuple(_definition(known._replace(item=item)) for item in items) or (value,)


def used_as(question: MemberAccess, found: Sequence[ResolvedDefinition]) -> RuleSteps:
    """Add what a library's function was given to the constants that are used as it: `memo(Page)`.

    Only components of JavaScript are such, whose names have a capital.
    """
    constants = [definition for definition in found if _may_be_component(definition)]
    if question.access != Access.PATH or question.origin.ecosystem != Ecosystem.NPM:
        return tuple(found)
    typings = yield [Typing(*constant.key) for constant in constants]
    answers: dict[Key, list[ResolvedDefinition]] = {}
    for constant, rows in zip(constants, typings, strict=True):
        for row in rows:
            given = yield from _used_argument((constant.file, row.root))
            answers.setdefault(constant.key, []).extend(reached_via(given, constant))
    kept = [
        definition._replace(is_alias=definition.is_alias or bool(answers.get(definition.key)))
        for definition in found
        if not answers.get(definition.key) or last_name(definition.name) != DEFAULT
    ]
    return best_candidates([*kept, *(given for answer in answers.values() for given in answer)])


def _may_be_component(definition: ResolvedDefinition) -> bool:
    name = last_name(definition.name)
    is_named = name[:1].isupper() or name == DEFAULT
    return is_named and (not definition.kind or definition.kind in VALUE_KINDS)


def _used_argument(call: Key) -> RuleSteps:
    """Return the definitions that a call was given, if its result is used as one."""
    file, name = call
    results, arguments = yield [Typing(file, name), Typing(file, f"{name}.(0)")]
    callees = yield [declared_type(file, name, row) for row in results]
    libraries = {
        modelled.library
        for answer in callees
        for modelled in (_value(target.key).modelled for target in answer if is_modelled(target))
        if modelled.result is not None and modelled.result.is_same
    }
    if not libraries:
        return ()
    given = yield [declared_type(file, name, row) for row in arguments if row.access == Access.PATH]
    return tuple(
        target._replace(is_certain=False, model=min(libraries))
        for answer in given
        for target in answer
    )


def declared_type(file: int, caller: str, row: BaseRow | TypingRow) -> NameInFile:
    """Return the question what a base or type means that a definition names."""
    context = (row.repository, row.package, row.ecosystem)
    return NameInFile(file, *context, row.binding, row.root, row.chain, caller)


def type_argument(modelled: Modelled) -> str:
    """Return the name of the part that has the first argument of a generic type."""
    return f"<{last_name(modelled.path)}>.0"


def _member(subject: _Subject, names: tuple[str, ...]) -> RuleSteps:
    """Take the most names that the model knows, and go on with the rest."""
    for count in range(len(names), 0, -1):
        given = library_models().member(subject.value.modelled, ".".join(names[:count]))
        if given is None:
            continue
        return (yield from _rest((yield from _given(subject, given, None)), names[count:]))
    return ()


def _rest(found: Sequence[ResolvedDefinition], names: tuple[str, ...]) -> RuleSteps:
    """Return the members of what was found, or that itself if no name is left."""
    if not names:
        return tuple(found)
    answers = yield [Members(definition.file, definition.name, names) for definition in found]
    return best_candidates(reached_via_each(found, answers))


def _given(subject: _Subject, given: Given, place: Key | None) -> RuleSteps:
    """Return the classes, or the modelled values, that a member or call gives."""
    modelled = subject.value.modelled
    if given.path:
        held = (yield from _given(subject, given.inner, place)) if given.inner else ()
        outer = library_models().types[modelled.ecosystem, given.path]
        items = [definition.key for definition in held] or [None]
        return tuple(_definition(_Value(outer, item)) for item in items)
    if given.what == SELF:
        found = [subject.key]
    elif given.what == ITEM:
        found = yield from _items(subject)
    else:
        found = yield from _arguments(subject, given, place)
    return tuple(
        ResolvedDefinition(*key, _INSTANCE, is_certain=False, model=modelled.library)
        for key in found
    )


def _items(subject: _Subject) -> RuleGenerator[list[Key]]:
    if subject.value.item:
        return [subject.value.item]
    return (yield from _written_classes(subject.written))


def _arguments(subject: _Subject, given: Given, place: Key | None) -> RuleGenerator[list[Key]]:
    if place is None:
        return []
    file, name = place
    own_name = given.arguments[-1] if given.arguments[-1] in _OWN_NAMES else ""
    parts = [
        type_argument(subject.value.modelled) if argument == TYPE_ARGUMENT else f"({argument})"
        for argument in given.arguments
        if argument != own_name
    ]
    found = yield from _written_classes([(file, f"{name}.{part}") for part in parts])
    if given.is_item:
        values = [_value(key) for key in found if key[0] == NO_FILE]
        return [value.item for value in values if value.item]
    return found or ((yield from _named_as(place, own_name)) if own_name else [])


def _named_as(place: Key, own_name: str) -> RuleGenerator[list[Key]]:
    """Return the class that an attribute's name tells: `author`, or `authors`, of `Author`."""
    file, name = place
    own = name.rpartition(":")[2]
    written = inflection.camelize(inflection.singularize(own) if own_name == OWN_NAMES else own)
    (rows,) = yield [Typing(*place)]
    (found,) = yield [declared_type(file, name, rows[0]._replace(root=written))]
    return [definition.key for definition in found if definition.kind == "class"]


def _written_classes(places: Sequence[Key]) -> RuleGenerator[list[Key]]:
    """Return the classes of the first of these definitions that has a type."""
    typings = yield [Typing(file, f"{name}{part}") for file, name in places for part in _PARTS]
    told = iter(typings)
    for place in places:
        own, items = next(told), next(told)
        if own:
            (found,) = yield [Classes(*place)]
            return [definition.key for definition in found]
        if items:  # a container of the language: what is written has the parts
            return [place]
    return []


def _definition(value: _Value) -> ResolvedDefinition:
    file, name = value.item or (NO_FILE, "")
    parts = (value.modelled.ecosystem, value.modelled.path, str(file), name)
    library = value.modelled.library
    return ResolvedDefinition(
        NO_FILE, _SEPARATOR.join(parts), "class", is_certain=False, model=library
    )


def _value(key: Key) -> _Value:
    ecosystem, path, file, name = key[1].split(_SEPARATOR, 3)
    modelled = library_models().types[ecosystem, path]
    return _Value(modelled, (int(file), name) if name else None)
