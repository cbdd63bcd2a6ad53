"""Of which type a file's functions, fields and module variables are: its TYPE references."""

from collections.abc import Iterable, Iterator

from indexer.limits import NAME_CHARACTERS
from indexer.records.references import Access, Binding, Reference, ReferenceKind
from indexer.resolution.resolver import Values
from indexer.resolution.scopes import ANONYMOUS_FUNCTION, Holds, Scope
from indexer.resolution.value import Value, instance, onward
from indexer.syntax.definitions import FUNCTION_KINDS
from indexer.syntax.parser import Fact, Mark
from indexer.syntax.source_text import SourceText

_RETURNS = ("returns", "returns.new", "returns.call")


def read_typings(facts: Iterable[Fact], values: Values, text: SourceText) -> Iterator[Reference]:
    """Types of variables and fields, then those that functions give."""
    yield from _of_names(values, text)
    yield from _of_functions(facts, values, text)


def _of_names(values: Values, text: SourceText) -> Iterator[Reference]:
    tree = values.tree
    seen = set()
    for names in (tree.root.names, *tree.members.values()):
        for several in names.values():
            for name in several:
                if name.imported or name.holds is Holds.NOTHING_KNOWN:
                    continue
                value = values.held(name)
                value = onward(value, Access.INSTANCE) if value.member else value
                if _tells(value, values) and (name.qualified, value) not in seen:
                    seen.add((name.qualified, value))
                    yield _reference(name.qualified, value, text.place(name.start))


def _of_functions(facts: Iterable[Fact], values: Values, text: SourceText) -> Iterator[Reference]:
    """What functions are written to return; without that, what all returns of one agree on."""
    declared: dict[str, dict[Value, Mark]] = {}  # several of a union or what is overloaded
    returned: dict[str, dict[Value, Mark]] = {}
    for owner, label, mark, scope in _returns(facts, values):
        if label == "returns":
            types = declared.setdefault(owner, {})
            found = values.types(text.of(mark), scope, mark[0])
        else:
            types = returned.setdefault(owner, {})
            found = [_given(label, mark, scope, values, text)]
        for value in found:
            types.setdefault(value, mark)
    agreed = {
        owner: types
        for owner, types in returned.items()
        if owner not in declared and len(types) == 1
    }
    for owner, types in (declared | agreed).items():
        for value, mark in types.items():
            if _tells(value, values):
                yield _reference(owner, value, text.place(mark[0]))


def _returns(facts: Iterable[Fact], values: Values) -> Iterator[tuple[str, str, Mark, Scope]]:
    """Function, label, place and scope of each, in order of position."""
    marks = sorted(
        (_whole(mark, fact), label)
        for fact in facts
        for label, mark in fact.items()
        if label in _RETURNS
    )
    scopes = values.tree.at(start for (start, _), _ in marks)
    for (mark, label), scope in zip(marks, scopes, strict=True):
        owner = _function(scope)
        if owner:
            yield owner, label, mark, scope


def _whole(mark: Mark, fact: Fact) -> Mark:
    """With the receiver, where the grammar has no node for both."""
    return (fact["receiver"][0], mark[1]) if "receiver" in fact else mark


def _given(label: str, mark: Mark, scope: Scope, values: Values, text: SourceText) -> Value:
    written = text.of(mark)
    if label == "returns.call":
        return values.given(written, scope, mark[0])
    return instance(values.expression(written, scope, mark[0]))


def _function(scope: Scope | None) -> str:
    """The function that a `return` belongs to; "" in an anonymous one."""
    while scope is not None and scope.kind not in FUNCTION_KINDS:
        if scope.kind == ANONYMOUS_FUNCTION or scope.is_class:
            return ""
        scope = scope.parent
    return scope.owner if scope is not None else ""


def _tells(value: Value, values: Values) -> bool:
    if value.binding is Binding.UNKNOWN or value.root in values.language.builtins:
        return False
    return value.access in (Access.INSTANCE, Access.RESULT)


def _reference(owner: str, value: Value, place: tuple[int, int]) -> Reference:
    return Reference(
        kind=ReferenceKind.TYPE,
        name="",
        binding=value.binding,
        root=value.root[:NAME_CHARACTERS],
        chain=".".join(value.chain)[:NAME_CHARACTERS],
        access=value.access,
        caller=owner[:NAME_CHARACTERS],
        line=place[0],
        column=place[1],
    )
