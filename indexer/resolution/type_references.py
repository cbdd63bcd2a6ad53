"""TYPE references: the types of a file's functions, fields and module variables."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple

from indexer.records.references import (
    CALLED,
    EACH,
    ENTER_METHODS,
    OBJECT,
    Access,
    Binding,
    Reference,
    is_argument,
)
from indexer.resolution.bindings import part_taken
from indexer.resolution.extension_calls import is_extensible
from indexer.resolution.resolver import Resolver
from indexer.resolution.scopes import ANONYMOUS_FUNCTION, NameBinding, Scope, ValueSource
from indexer.resolution.value import UNKNOWN, Value, as_instance, member_value, type_reference
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS
from indexer.syntax.parser import QueryMatch
from indexer.syntax.source_text import SourceText
from indexer.syntax.trees import ByteRange

_RETURNS = ("returns", "returns.new", "returns.call", "returns.alias", "returns.object")
OF_FIXTURES: Final = frozenset({"yields.call", "yields.alias"})
_MAX_GAP: Final = 20  # bytes between `from` and what follows
_VISIBLE: Final = (Binding.LOCAL, Binding.IMPORT)
_MAX_RETURNED: Final = 4  # different types that the returns of a function give
_MAX_DEPTH: Final = 3  # of containers in containers
# Parts that are asked for seldom: each part of each typed field is a row.
_UNSTORED: Final = frozenset(
    {"pop", "popleft", "setdefault", "keys", "shift", "filter", "slice", "findLast", "entries"}
)


class Return(NamedTuple):
    """What a return gives; `part` is the member of what is returned that it is, if any.

    A function without a name has "".
    """

    function: str
    part: str
    label: str
    mark: ByteRange
    scope: Scope

    @property
    def owner(self) -> str:
        """The name of what has the value: the function, or a member of what it returns."""
        return f"{self.function}.{self.part}" if self.function and self.part else self.function


def type_references(
    returns: Iterable[Return],
    decorated: Mapping[str, tuple[Value, int]],
    resolver: Resolver,
    text: SourceText,
    *,
    fixtures: Container[str],
    bases: Iterable[tuple[str, str, Scope, int]],
) -> Iterator[Reference]:
    """Yield the types of variables and fields, of functions' results, then of unions.

    A function without one has that of what its decorator gives. Functions that are `fixtures` may
    also yield a value. `bases` are generic ones of classes, as written.
    """
    yield from _of_names(resolver, text)
    typed: set[str] = set()
    for reference in _of_functions(returns, resolver, text, fixtures, typed):
        typed.add(reference.caller)
        yield reference
    for owner, (decorator, offset) in decorated.items():
        is_typed = owner in typed or owner in fixtures  # pytest's decorator tells nothing of those
        if not is_typed and _replaces(decorator, owner, resolver):
            names = (*decorator.chain, *filter(None, (decorator.member,)), CALLED)
            value = Value(decorator.binding, decorator.root, names, Access.INSTANCE)
            yield _reference(owner, value, text.position(offset))
    for owner, written, scope, offset in bases:
        for name, value in _of_arguments(owner, written, scope, offset, resolver):
            yield _reference(name, value, text.position(offset))
    yield from _of_calls_and_unions(resolver, text)


def _of_calls_and_unions(resolver: Resolver, text: SourceText) -> Iterator[Reference]:
    """Yield the types of what has a name for that alone."""
    for name, (bound, result, parts) in resolver.calls.found.items():
        named = [(name, result), *((f"{name}{part}", value) for part, value in parts)]
        yield from _references(named, text.position(bound.start))
    for name, values in resolver.types.unions.items():
        for value, offset in values.items():
            typed = member_value(value, Access.INSTANCE) if value.member else value
            yield _reference(name, typed, text.position(offset))


def _replaces(decorator: Value, owner: str, resolver: Resolver) -> bool:
    """Whether a function, or a method, is what its decorator gives: not of `@name.setter`."""
    definitions = resolver.tree.definitions
    container = owner.rpartition(".")[0]
    is_reachable = not container or definitions.get(container) in CLASS_KINDS
    is_own = decorator.root == owner
    return (
        decorator.binding in _VISIBLE
        and is_reachable
        and not is_own
        and definitions.get(owner) in FUNCTION_KINDS
    )


def _of_names(resolver: Resolver, text: SourceText) -> Iterator[Reference]:
    tree = resolver.tree
    seen = set()
    for names in (tree.root.names, *tree.members.values()):
        for name in chain.from_iterable(names.values()):
            if name.imported or name.source is ValueSource.UNKNOWN:
                continue
            for typed in _of_name(name, resolver):
                if typed not in seen:
                    seen.add(typed)
                    yield _reference(*typed, text.position(name.start))


def _of_name(name: NameBinding, resolver: Resolver) -> Iterator[tuple[str, Value]]:
    if _is_bound_method(name, resolver):
        return
    value = resolver.bound_value(name)
    value = member_value(value, Access.INSTANCE) if value.member else value
    if resolver.is_definition(name):
        yield name.qualified, value
    yield from _with_parts(name.qualified, value, resolver)
    for part, given in resolver.calls.arguments(name, value):
        yield f"{name.qualified}{part}", given
    if name.source is ValueSource.TYPE:
        yield from _of_arguments(name.qualified, name.text, name.scope, name.start, resolver)


def _of_arguments(
    owner: str, written: str, scope: Scope, offset: int, resolver: Resolver
) -> Iterator[tuple[str, Value]]:
    """Yield the arguments of a generic type with their parts."""
    for part, value in resolver.calls.type_arguments(written, scope, offset):
        yield from _with_parts(f"{owner}{part}", value, resolver)


def _is_bound_method(name: NameBinding, resolver: Resolver) -> bool:
    """Whether a field is its class's method: `this.run = this.run.bind(this)`."""
    if name.kind or name.source is ValueSource.TYPE:
        return False
    if resolver.language.separate_method_namespace:
        return False
    return resolver.tree.definitions.get(name.qualified) in FUNCTION_KINDS


@dataclass(slots=True)
class _Results:
    """What functions give: written types (several of unions and overloads), and what they return.

    `members` are the functions of returned objects, by function and name.
    """

    declared: dict[str, dict[Value, ByteRange]] = field(default_factory=dict)
    returned: dict[str, dict[Value, ByteRange]] = field(default_factory=dict)
    members: dict[tuple[str, str, Value], ByteRange] = field(default_factory=dict)

    def add_member(self, function: str, name: str, value: Value, mark: ByteRange) -> None:
        """Add a function that is a member of the object that a function returns."""
        self.members.setdefault((function, name, value), mark)
        self.returned.setdefault(function, {}).setdefault(_object_of(function), mark)

    def inferred(self) -> dict[str, dict[Value, ByteRange]]:
        """Return the types of what is returned, if they are few and none is written."""
        return {
            owner: types
            for owner, types in self.returned.items()
            if len(types) <= _MAX_RETURNED
            and owner not in self.declared
            and owner.rpartition(".")[0] not in self.declared
        }


def _of_functions(
    returns: Iterable[Return],
    resolver: Resolver,
    text: SourceText,
    fixtures: Container[str],
    typed: set[str],
) -> Iterator[Reference]:
    """Yield declared return types, else those of the returned values, if they are few.

    Methods with a declared type are added to `typed`.
    """
    results = _Results()
    arguments: list[Reference] = []
    for return_ in returns:
        if not return_.function:
            continue
        if return_.label == "returns":
            types = results.declared.setdefault(return_.owner, {})
            written = text.slice(return_.mark)
            for value in resolver.types.instances(written, return_.scope, return_.mark[0]):
                given = _yielded(value, resolver) if return_.owner in fixtures else value
                types.setdefault(given, return_.mark)
            arguments_of = _of_arguments(
                return_.owner, written, return_.scope, return_.mark[0], resolver
            )
            arguments += _references(arguments_of, text.position(return_.mark[0]))
        elif return_.label == "returns.object":
            member = Value(Binding.LOCAL, return_.owner)
            results.add_member(return_.function, return_.part, member, return_.mark)
        else:
            _add_returned(results, return_, resolver, text, fixtures)
    typed.update(owner for owner in results.declared if "." in owner)
    yield from _of_results(results, resolver, text)
    yield from arguments


def _of_results(results: _Results, resolver: Resolver, text: SourceText) -> Iterator[Reference]:
    inferred = results.inferred()
    for owner, types in (results.declared | inferred).items():
        for value, mark in types.items():
            yield from _references(_of_result(owner, value, resolver), text.position(mark[0]))
    for (function, part, value), mark in results.members.items():
        if function in inferred:
            yield _reference(f"{function}.{OBJECT}.{part}", value, text.position(mark[0]))


def _references(
    named: Iterable[tuple[str, Value]], position: tuple[int, int]
) -> Iterator[Reference]:
    return (_reference(name, value, position) for name, value in named)


def returned_values(
    returns: Iterable[Return], text: SourceText
) -> Iterator[tuple[str, str, Scope, int]]:
    """Yield what functions return, as written, with scope and offset."""
    for return_ in returns:
        if return_.label in {"returns.alias", "returns.call"}:
            called = CALLED if return_.label == "returns.call" else ""
            yield (
                return_.owner,
                text.shortened(return_.mark) + called,
                return_.scope,
                return_.mark[0],
            )


def _add_returned(
    results: _Results,
    return_: Return,
    resolver: Resolver,
    text: SourceText,
    fixtures: Container[str],
) -> None:
    owner, value = (
        return_.owner,
        _returned(return_.label, return_.mark, return_.scope, resolver, text),
    )
    if return_.part and _is_function(value, resolver):
        results.add_member(return_.function, return_.part, value, return_.mark)
    if owner in fixtures:
        owner, value = _of_fixture(owner, value, resolver)
    types = results.returned.setdefault(owner, {})
    if not return_.label.endswith(".alias") or _is_known_type(value, resolver):
        types.setdefault(value, return_.mark)


def _object_of(function: str) -> Value:
    """Return an instance of what a function returns: an object with functions as its members."""
    return Value(Binding.LOCAL, f"{function}.{OBJECT}", (), Access.INSTANCE)


def _is_function(value: Value, resolver: Resolver) -> bool:
    """Whether a value is a function or class of this file, or imported."""
    if value.access is not Access.PATH or value.binding not in _VISIBLE:
        return False
    is_known = resolver.tree.definitions.get(value.path) in FUNCTION_KINDS | CLASS_KINDS
    return value.binding is Binding.IMPORT or is_known


def _of_result(owner: str, value: Value, resolver: Resolver) -> Iterator[tuple[str, Value]]:
    """Yield the types of a function's result and, for `__getitem__`, of its class's part."""
    container, _, last = owner.rpartition(".")
    if is_argument(last):  # of a function that is given, its parameters alone
        found = _with_parts(owner, value, resolver)
        yield from (
            (name, held_value) for name, held_value in found if name.startswith(f"{owner}.(")
        )
        return
    yield from _with_parts(owner, value, resolver, is_function=not last.isdigit())
    part = resolver.language.part_methods.get(last)
    if part is not None and container:
        items = resolver.types.part(value, EACH) if part == EACH else value
        yield from _with_parts(f"{container}.{part}", items or UNKNOWN, resolver)


def read_returns(
    matches: Iterable[QueryMatch], resolver: Resolver, text: SourceText, fixtures: Container[str]
) -> Iterator[Return]:
    """Yield each return, in order of position, also of functions without a name."""
    marks = sorted(
        (_whole(mark, match), label, part_taken(match, "returns", text))
        for match in matches
        for label, mark in match.items()
        if label in _RETURNS or label in OF_FIXTURES
    )
    scopes = resolver.tree.at(start for (start, _), *_ in marks)
    for (mark, label, part), scope in zip(marks, scopes, strict=True):
        owner = _function(scope)
        if label in OF_FIXTURES and (owner not in fixtures or _is_delegated(mark, text)):
            continue
        yield Return(owner, ".".join(part), label, mark, scope)


def _whole(mark: ByteRange, match: QueryMatch) -> ByteRange:
    """Extend the range by the receiver, if the grammar has no node for both."""
    return (match["receiver"][0], mark[1]) if "receiver" in match else mark


def _with_parts(
    owner: str, value: Value, resolver: Resolver, *, is_function: bool = False, depth: int = 0
) -> Iterator[tuple[str, Value]]:
    """Yield a name with its type, and the names of its parts: `items.[]` of `items: list[Item]`.

    What a callable gives is the type of its own name, as of a function; of a function that gives a
    callable it is a part. A class that a name stands for (`type[Item]`) is as its instances.
    """
    parts = list(resolver.types.parts(value)) if depth < _MAX_DEPTH else []
    if _is_class(value):
        yield owner, as_instance(value) if "." in owner else value
        parts = parts if is_function else []
    elif _is_known_type(value, resolver) and all(path != (CALLED,) for path, _ in parts):
        yield owner, value
    for path, part in parts:
        if _UNSTORED.isdisjoint(path):
            is_result = is_function and path == (CALLED,)
            names = path if is_result else [name for name in path if name != CALLED]
            yield from _with_parts(".".join((owner, *names)), part, resolver, depth=depth + 1)


def _returned(
    label: str, mark: ByteRange, scope: Scope, resolver: Resolver, text: SourceText
) -> Value:
    written = text.slice(mark)
    if written[:1] == ":":  # Ruby's `attr_reader :store`
        written = f"@{written[1:]}"
    if written in resolver.language.adapters:
        written = text.call(mark)
    elif label.endswith(".call"):
        return resolver.call_result(written, scope, mark[0])
    value = resolver.expression(written, scope, mark[0])
    if label == "returns.new":
        return as_instance(value)
    return member_value(value, Access.INSTANCE) if value.member else value


def _yielded(value: Value, resolver: Resolver) -> Value:
    """Return what a fixture gives: of a generator what it yields."""
    entered = (resolver.types.part(value, name) for name in ENTER_METHODS)
    return next((held_value for held_value in entered if held_value is not None), value)


def _is_delegated(mark: ByteRange, text: SourceText) -> bool:
    """Whether the mark is what `yield from` yields from."""
    return text.slice((max(mark[0] - _MAX_GAP, 0), mark[0])).rstrip().endswith("from")


def _of_fixture(owner: str, value: Value, resolver: Resolver) -> tuple[str, Value]:
    """Return what has the value that a fixture gives: its call's result, if it is a function."""
    if value.access is not Access.PATH:
        return owner, value
    if (
        value.binding is Binding.LOCAL
        and resolver.tree.definitions.get(value.path) in FUNCTION_KINDS
    ):
        return f"{owner}.{CALLED}", resolver.result_of(value)
    return owner, as_instance(value)


def _function(scope: Scope | None) -> str:
    """Return the function of a `return`; "" in an anonymous function."""
    while scope is not None and scope.kind not in FUNCTION_KINDS:
        if scope.kind == ANONYMOUS_FUNCTION or scope.is_class:
            return ""
        scope = scope.parent
    return scope.owner if scope is not None else ""


def _is_known_type(value: Value, resolver: Resolver) -> bool:
    if value.binding is Binding.UNKNOWN:
        return False
    if value.root in resolver.language.builtins and not is_extensible(resolver.language, value):
        return False
    return value.access in (Access.INSTANCE, Access.RESULT)


def _is_class(value: Value) -> bool:
    """Whether the value is of a written type such as `type[Item]`."""
    is_written = value.written is not None and value.access is Access.PATH
    return is_written and value.binding in _VISIBLE


def _reference(owner: str, value: Value, position: tuple[int, int]) -> Reference:
    access = Access.BASE if value.is_self else value.access
    return type_reference(owner, value._replace(access=access), position)
