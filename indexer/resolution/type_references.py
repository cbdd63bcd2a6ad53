"""TYPE references: the types of a file's functions, fields and module variables."""

from collections.abc import Container, Iterable, Iterator
from typing import Final

from indexer.limits import NAME_CHARACTERS
from indexer.records.references import Access, Binding, Reference, ReferenceKind
from indexer.resolution.resolver import Resolver
from indexer.resolution.scopes import ANONYMOUS_FUNCTION, Scope, ValueSource
from indexer.resolution.value import Value, as_instance, member_value
from indexer.syntax.definitions import FUNCTION_KINDS
from indexer.syntax.parser import ByteRange, QueryMatch
from indexer.syntax.source_text import SourceText

_RETURNS = ("returns", "returns.new", "returns.call")
OF_FIXTURES: Final = frozenset({"returns.alias", "yields.call", "yields.alias"})
_MAX_GAP: Final = 20  # bytes between `from` and what follows


def type_references(
    matches: Iterable[QueryMatch],
    resolver: Resolver,
    text: SourceText,
    *,
    fixtures: Container[str],
) -> Iterator[Reference]:
    """Yield the types of variables and fields, then the return types of functions.

    Functions that are `fixtures` may also return or yield a name, or yield a call's result.
    """
    yield from _of_names(resolver, text)
    yield from _of_functions(matches, resolver, text, fixtures)


def _of_names(resolver: Resolver, text: SourceText) -> Iterator[Reference]:
    tree = resolver.tree
    seen = set()
    for names in (tree.root.names, *tree.members.values()):
        for several in names.values():
            for name in several:
                if name.imported or name.source is ValueSource.UNKNOWN:
                    continue
                value = resolver.bound_value(name)
                value = member_value(value, Access.INSTANCE) if value.member else value
                if _is_known_type(value, resolver) and (name.qualified, value) not in seen:
                    seen.add((name.qualified, value))
                    yield _reference(name.qualified, value, text.position(name.start))


def _of_functions(
    matches: Iterable[QueryMatch], resolver: Resolver, text: SourceText, fixtures: Container[str]
) -> Iterator[Reference]:
    """Yield declared return types, else the one type on which all returns agree."""
    declared: dict[str, dict[Value, ByteRange]] = {}  # several for unions and overloads
    returned: dict[str, dict[Value, ByteRange]] = {}
    for owner, label, mark, scope in _returns(matches, resolver):
        if label == "returns":
            types = declared.setdefault(owner, {})
            for value in resolver.instances_of_types(text.slice(mark), scope, mark[0]):
                types.setdefault(value, mark)
        elif label not in OF_FIXTURES or (owner in fixtures and not _is_delegated(mark, text)):
            value = _returned(label, mark, scope, resolver, text)
            called, value = _as_called(owner, value, resolver)
            returned.setdefault(called, {}).setdefault(value, mark)
    agreed = {
        owner: types
        for owner, types in returned.items()
        if owner not in declared and len(types) == 1
    }
    for owner, types in (declared | agreed).items():
        for value, mark in types.items():
            if _is_known_type(value, resolver):
                yield _reference(owner, value, text.position(mark[0]))


def _returns(
    matches: Iterable[QueryMatch], resolver: Resolver
) -> Iterator[tuple[str, str, ByteRange, Scope]]:
    """Yield function, label, bytes and scope of each return, in order of position."""
    marks = sorted(
        (_whole(mark, match), label)
        for match in matches
        for label, mark in match.items()
        if label in _RETURNS or label in OF_FIXTURES
    )
    scopes = resolver.tree.at(start for (start, _), _ in marks)
    for (mark, label), scope in zip(marks, scopes, strict=True):
        owner = _function(scope)
        if owner:
            yield owner, label, mark, scope


def _whole(mark: ByteRange, match: QueryMatch) -> ByteRange:
    """Extend the range by the receiver, if the grammar has no node for both."""
    return (match["receiver"][0], mark[1]) if "receiver" in match else mark


def _returned(
    label: str, mark: ByteRange, scope: Scope, resolver: Resolver, text: SourceText
) -> Value:
    written = text.slice(mark)
    if label in ("returns.call", "yields.call"):
        return resolver.call_result(written, scope, mark[0])
    value = resolver.expression(written, scope, mark[0])
    if label == "returns.new":
        return as_instance(value)
    return _object(value, resolver)


def _is_delegated(mark: ByteRange, text: SourceText) -> bool:
    """Whether the mark is what `yield from` yields from."""
    return text.slice((max(mark[0] - _MAX_GAP, 0), mark[0])).rstrip().endswith("from")


def _object(value: Value, resolver: Resolver) -> Value:
    """Return the value as that of a function's result; a function as it is."""
    if value.member:
        return member_value(value, Access.INSTANCE)
    if value.access is not Access.PATH or _is_function(value, resolver):
        return value
    return as_instance(value)


def _as_called(owner: str, value: Value, resolver: Resolver) -> tuple[str, Value]:
    """Return what has the value: for a function, the call of the owner's value has its result."""
    if not _is_function(value, resolver):
        return owner, value
    return f"{owner}.{resolver.language.call_member}", resolver.result_of(value)


def _is_function(value: Value, resolver: Resolver) -> bool:
    path = ".".join((value.root, *value.chain))
    is_local = value.binding is Binding.LOCAL and value.access is Access.PATH
    return is_local and resolver.tree.definitions.get(path) in FUNCTION_KINDS


def _function(scope: Scope | None) -> str:
    """Return the function of a `return`; "" in an anonymous function."""
    while scope is not None and scope.kind not in FUNCTION_KINDS:
        if scope.kind == ANONYMOUS_FUNCTION or scope.is_class:
            return ""
        scope = scope.parent
    return scope.owner if scope is not None else ""


def _is_known_type(value: Value, resolver: Resolver) -> bool:
    if value.binding is Binding.UNKNOWN or value.root in resolver.language.builtins:
        return False
    return value.access in (Access.INSTANCE, Access.RESULT)


def _reference(owner: str, value: Value, position: tuple[int, int]) -> Reference:
    return Reference(
        kind=ReferenceKind.TYPE,
        name="",
        binding=value.binding,
        root=value.root[:NAME_CHARACTERS],
        chain=".".join(value.chain)[:NAME_CHARACTERS],
        access=value.access,
        caller=owner[:NAME_CHARACTERS],
        line=position[0],
        column=position[1],
    )
