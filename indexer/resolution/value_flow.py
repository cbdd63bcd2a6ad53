"""Functions as values: what is called where the name tells nothing, and what may be there.

A file alone tells that a call is of a parameter, of what a function returned, of an item of a
table or of a field. Such a reference has in its chain, after HELD, the steps that lead there (see
`value_steps`).

TYPE references whose caller ends in HELD tell what is there: `make.=` what a function returns,
`TABLE[key].=`, `Class.field.=`, `apply.2=name.=` a default. With PASSED before the callee as name,
at the position of the call, they tell what it passes: `^2.=`, by keyword `^name.=`.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from indexer.records.files import NAME_CHARACTERS, VALUE_KINDS
from indexer.records.references import (
    CALLED,
    CLOSURE,
    CONSTRUCTOR_METHODS,
    ELEMENT,
    HELD,
    PASSED,
    Import,
    Reference,
    ReferenceKind,
)
from indexer.resolution.lookup import Lookup
from indexer.resolution.resolver import Resolver
from indexer.resolution.scopes import (
    ANONYMOUS_FUNCTION,
    BLOCK,
    NameBinding,
    Scope,
    ValueSource,
)
from indexer.resolution.value import (
    IMPORT,
    INSTANCE,
    LOCAL,
    MAX_CHAIN,
    PATH,
    RESULT,
    UNKNOWN,
    VALUE,
    Value,
    held_function,
    index_step,
    owner_part,
    parameter_step,
    read_steps,
    type_reference,
    with_step,
)
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS
from indexer.syntax.expressions import read_arguments
from indexer.syntax.source_text import SourceText, leading_identifier
from indexer.syntax.types import split_type

FLOW_ITEMS: Final = 100  # of a table of functions, and arguments of a call
FLOW_CALL_BYTES: Final = 2_000  # of the arguments of a call
FLOW_LITERAL_CHARACTERS: Final = 10_000  # of a table of functions
_KEYED: Final = re.compile(r"\s*(\"[^\"\\]*\"|'[^'\\]*'|[\w.]+)\s*:\s*(.+)", re.DOTALL)
_COMMENT: Final = re.compile(r"(?m)^\s*(?:#|//).*$")
_KEYWORD: Final = re.compile(r"\s*(\w+)\s*=(?!=)\s*(.+)", re.DOTALL)
_RETURNED: Final = re.compile(r"(?:\breturn|=>)\s*\(?\s*\Z")
_BEFORE_RETURNED: Final = 24  # characters before what is returned
_BIND: Final = "bind"
_QUOTES: Final = " \n\t\"'"
_ALIAS: Final = ValueSource.ALIAS
_NEW: Final = ValueSource.NEW
_HELD_BY_FIELDS: Final = (ValueSource.ALIAS, ValueSource.CALL)
_NONE: Final[frozenset[str]] = frozenset()
_MAX_DEPTH: Final = 8  # of names that stand for one another


class _Call(NamedTuple):
    """A call, what it passes as written from its bracket on, and the scope and offset of that."""

    reference: Reference
    written: str | int  # or where that begins
    scope: Scope
    offset: int


class FlowReader:
    """Reads the functions that values of one file may hold."""

    def __init__(
        self,
        resolver: Resolver,
        lookup: Lookup,
        text: SourceText,
        imports: Iterable[Import],
        fixtures: Container[str],
    ) -> None:
        self._fixtures = fixtures
        self.decorated: set[str] = set()  # methods that are something else: properties
        self._imported = {import_.local: import_.path for import_ in imports}
        self._resolver = resolver
        self._lookup = lookup
        self._text = text
        self._definitions = resolver.tree.definitions
        self._functions = {
            name.rpartition(".")[2]
            for name, kind in self._definitions.items()
            if kind in FUNCTION_KINDS
        }
        # Whether `{a: b}` names the key "a", and `{b}` the key "b".
        self._has_named_keys = "{" not in resolver.language.container_literals
        given = {
            name
            for scope in (resolver.tree.root, *resolver.tree.scopes)
            for name, bound in scope.names.items()
            for binding in bound
            if binding.source is _ALIAS or binding.source is _NEW
        }
        self._known = {*self._functions, *self._imported, *resolver.language.self_names, *given}
        # Members that may hold what is called: fields, and methods of functions.
        self._member_names = resolver.language.function_methods | {
            name
            for names in resolver.tree.members.values()
            for name, bound in names.items()
            if bound[0].source in _HELD_BY_FIELDS
        }
        self._containers: dict[str, NameBinding] = {}
        self._fields: dict[str, NameBinding] = {}
        self._calls: list[_Call] = []
        self._arguments_of: dict[tuple[int, str | int], list[tuple[str, str]]] = {}
        self._passing: set[tuple[int, str]] = set()  # arguments that are read, by offset and place
        # By function, the parameters that are called or passed on: places and names.
        self._live: dict[str, set[str]] = {}
        self._tables: set[str] = set()  # last names of tables
        self._passers: set[int] = set()  # calls that pass a function, by their offsets
        self._values: set[str] = set()  # functions that something holds
        self._closures: dict[
            str, tuple[Value, int]
        ] = {}  # returned functions, by what returns them

    def called(self, written: str, scope: Scope, offset: int) -> Value | None:
        """Return what a call is of, if it is of a function that something holds."""
        is_member = "." in written and written[-1:] not in {")", "]"}
        if is_member and written.rpartition(".")[2] not in self._member_names:
            return None
        value = self.value(written, scope, offset)
        if value is None or value.chain[-1] == HELD:
            is_given = value is not None and not is_member and _BIND in written
            return value._replace(chain=value.chain[:-1]) if value and is_given else None
        self._use(value)
        return value

    def add_call(
        self, reference: Reference, arguments: str | int, scope: Scope, offset: int
    ) -> None:
        """Keep a call and its arguments, or the offset of their bracket, to be read at the end."""
        if reference.kind is not ReferenceKind.DECORATE or reference.caller not in self._fixtures:
            self._calls.append(_Call(reference, arguments, scope, offset))

    def value(
        self,
        written: str,
        scope: Scope,
        offset: int,
        excluding: NameBinding | None = None,
        depth: int = 0,
    ) -> Value | None:
        """Return the value of an expression with HELD in its chain; None if nothing tells."""
        read = read_steps(written)
        if read is None or depth > _MAX_DEPTH:
            return None
        path, steps = read
        if path[-1] in self._resolver.language.function_methods and len(path) > 1:
            path, steps = path[:-1], steps[1:] if path[-1] == _BIND else steps
        value = self._of_path(path, scope, offset, excluding, depth)
        if value is None or len(value.chain) + len(steps) > MAX_CHAIN:
            return None
        return value._replace(chain=(*value.chain, *steps)) if steps else value

    def references(
        self,
        returned: Iterable[tuple[str, str, Scope, int]],
        defaults: Iterable[tuple[str, str, Scope, int]],
        put: Iterable[tuple[str, str, Scope, int]],
    ) -> Iterator[Reference]:
        """Yield what functions return, fields and tables hold, and calls pass."""
        yield from self._of_returned(returned)
        yield from self._of_fields()
        yield from self._passed()
        yield from self._of_constants()
        yield from self._of_defaults(defaults)
        yield from self._of_tables(put)
        yield from self._of_several()

    def _of_several(self) -> Iterator[Reference]:
        """Yield the functions of which a name is one."""
        for name, values in self._resolver.types.unions.items():
            for value, offset in values.items():
                held = held_function(value)
                if held is not None:
                    yield self._reference(name, held, offset)

    def _of_returned(self, returned: Iterable[tuple[str, str, Scope, int]]) -> Iterator[Reference]:
        for function, written, scope, offset in returned:
            owner = function or self._closure_around(scope)
            if not owner or owner in self._fixtures or self._is_call_of_member(written):
                continue
            value = self.value(written, scope, offset)
            if value is not None and self._may_be_function(value):
                self._use(value)
                yield self._reference(owner, value, offset)
        for owner, (value, offset) in self._closures.items():
            yield self._reference(owner, value, offset)

    def _is_call_of_member(self, written: str) -> bool:
        """Whether a call is of nothing but a member: what that gives is no function of here."""
        callee = written.removesuffix(CALLED)
        owner, _, last = callee.rpartition(".")
        is_member = owner and callee != written and callee.replace(".", "").isidentifier()
        return bool(is_member) and last not in self._resolver.language.function_methods

    def _of_path(
        self,
        path: Sequence[str],
        scope: Scope,
        offset: int,
        excluding: NameBinding | None,
        depth: int,
    ) -> Value | None:
        if len(path) == 1 and path[0] not in self._lookup.keywords:
            name = self._lookup.find(path[0], scope, offset, excluding, VALUE)
            if name is None:
                return None
            if _is_variable(name):
                return self._of_variable(self._parameter(name, path[0]) or name, depth)
        return self._member(path, scope, offset, excluding, depth)

    def _parameter(self, name: NameBinding, written: str) -> NameBinding | None:
        """Return the parameter that an unknown value is assigned to: `f = f || g`."""
        if not name.is_again or name.source is not ValueSource.UNKNOWN:
            return None
        return next((bound for bound in name.scope.names[written] if bound.parameters >= 0), None)

    def _of_variable(self, name: NameBinding, depth: int) -> Value | None:
        context = (name.scope, name.start, name, depth + 1)
        match name.source:
            case ValueSource.UNKNOWN | ValueSource.TYPE:
                return self._of_parameter(name)
            case ValueSource.LITERAL:
                owner = name.qualified or ".".join(
                    filter(None, (name.scope.owner, self._name(name)))
                )
                self._containers.setdefault(owner, name)
                return Value(LOCAL, owner, (HELD,))
            case ValueSource.ALIAS if not name.steps:
                return self.value(name.text, *context)
            case ValueSource.CALL if not name.steps:
                return with_step(self.value(name.text, *context), CALLED)
            case ValueSource.ITEMS if not name.steps:
                value = self.value(name.text, *context)
                of_keys = value and self._is_dictionary(value)
                return None if of_keys else with_step(value, ELEMENT)
        return None

    def _is_dictionary(self, value: Value) -> bool:
        table = self._containers.get(owner_part(value))
        return table is not None and table.text[:1] == "{"

    def _of_parameter(self, name: NameBinding) -> Value | None:
        owner = self._receiver(name.scope) if name.parameters >= 0 else None
        if owner is None:
            return None
        if name.start - name.parameters > FLOW_CALL_BYTES:
            return None
        earlier = split_type(self._text.slice((name.parameters, name.start))[1:], ",")[:-1]
        place = len(earlier) - sum(parameter.strip() == "/" for parameter in earlier)
        language = self._resolver.language
        first = leading_identifier(earlier[0].lstrip()) if earlier else self._name(name)
        if first in language.self_names | language.class_names:
            place -= 1  # a caller does not write the method's object
        if any(parameter.lstrip()[:1] == "*" for parameter in earlier):
            place = FLOW_ITEMS  # it has no place: callers write its name
        return with_step(owner, f"{place}={self._name(name)}") if place >= 0 else None

    def _receiver(self, scope: Scope) -> Value | None:
        """Return the function of a scope: a definition, or one without a name that is returned."""
        if scope.kind == BLOCK and scope.parent:
            return self._receiver(scope.parent)
        if scope.kind != ANONYMOUS_FUNCTION:
            is_function = self._definitions.get(scope.prefix) in FUNCTION_KINDS
            return Value(LOCAL, scope.prefix, (HELD,)) if is_function else None
        before = self._text.slice((max(scope.start - _BEFORE_RETURNED, 0), scope.start))
        around = self._receiver(scope.parent) if scope.parent else None
        if around is None or not _RETURNED.search(before):
            return None
        closure = with_step(around, CLOSURE)
        self._closures.setdefault(owner_part(around), (closure, scope.start))
        self._values.add(owner_part(closure))
        return closure

    def _closure_around(self, scope: Scope) -> str:
        """Return the function without a name around a `return`, if it is returned; else ""."""
        around = self._receiver(scope)
        return owner_part(around) if around and around.chain[-1] == CLOSURE else ""

    def _member(
        self,
        path: Sequence[str],
        scope: Scope,
        offset: int,
        excluding: NameBinding | None,
        depth: int,
    ) -> Value | None:
        value = self._resolver.resolve_path(path, scope, offset, excluding)
        if value.binding is UNKNOWN.binding and len(path) > 1:
            return self._of_field(path, scope, offset, depth + 1)
        if value.binding not in (LOCAL, IMPORT):
            return None
        held = held_function(value)
        if held is None and value.access is RESULT:
            return Value(value.binding, value.root, (*value.chain, HELD, CALLED))
        return held

    def _of_field(self, path: Sequence[str], scope: Scope, offset: int, depth: int) -> Value | None:
        """Return a field that a method sets to a value that may be a function."""
        *owner, last = path
        if last not in self._member_names:
            return None
        value = self._resolver.resolve_path(owner, scope, offset)
        if value.access is not INSTANCE or value.binding is not LOCAL or value.member:
            return None
        names = self._resolver.tree.members.get(value.root, {}).get(last, ())
        if value.chain or not names or names[0].source is not ValueSource.ALIAS:
            return None
        if self.value(names[0].text, names[0].scope, names[0].start, names[0], depth) is None:
            return None
        self._fields.setdefault(f"{value.root}.{last}", names[0])
        return Value(LOCAL, value.root, (HELD, f"@{last}"))

    def _use(self, value: Value) -> None:
        """Keep that a parameter is called or passed on, or that a function is held."""
        parameter = parameter_step(value)
        if parameter is not None:
            owner = owner_part(value).rpartition(".")[0]
            self._live.setdefault(owner, set()).update(parameter.split("="))
        elif value.chain[-1] == HELD:
            self._values.add(owner_part(value))
        elif value.chain[-1][0] == "@":
            self._values.add(f"{value.root}.{value.chain[-1][1:]}")

    def _may_be_function(self, value: Value) -> bool:
        """Whether a value that something is given is worth a row: not if it is data or a class."""
        last = value.chain[-1]
        if parameter_step(value):
            return True
        if last[0] == "@":
            return self._is_method(value, last[1:])
        if last != HELD:
            return False
        names = (value.root, *value.chain[:-1])
        if value.binding is IMPORT:
            return names[-1][:1].islower()
        path = ".".join(names)
        return path in self._containers or _is_function(self._definitions.get(path, ""))

    def _is_method(self, value: Value, name: str) -> bool:
        """Whether this file has the method, which is no property; or one that may be inherited."""
        method = f"{value.root}.{name}"
        if method in self._definitions:
            return _is_function(self._definitions[method]) and method not in self.decorated
        return value.root in self._resolver.bases and name in self._functions

    def _of_constants(self) -> Iterator[Reference]:
        """Yield what a call gives that passes a function, at its place: `const A = wrap(b)(C)`."""
        calls = {call.written: call for call in self._calls if call.offset in self._passers}
        for name in self._file_names() if calls else ():
            call = calls.get(name.callee_end) if name.source is ValueSource.CALL else None
            value = self.value(name.text, name.scope, name.start, name) if call else None
            if call is not None and value is not None and not name.steps:
                found = self._reference(name.qualified, with_step(value, CALLED), 0)
                called = f"{HELD}{self._imported_name(value)}"[:NAME_CHARACTERS]
                place = call.reference
                yield found._replace(name=called, line=place.line, column=place.column)

    def _of_fields(self) -> Iterator[Reference]:
        for owner, name in self._fields.items():
            value = self.value(name.text, name.scope, name.start, name)
            if value is not None:
                self._use(value)
                yield self._reference(owner, value, name.start)

    def _of_defaults(self, defaults: Iterable[tuple[str, str, Scope, int]]) -> Iterator[Reference]:
        for _, written, scope, offset in defaults:
            name = self._parameter_before(scope, offset)
            target = self._of_parameter(name) if name else None
            value = self.value(written, scope.parent or scope, offset)
            if target is None or value is None or not self._may_be_function(value):
                continue
            live = self._live.get(owner_part(target).rpartition(".")[0], ())
            if target.chain[-1].partition("=")[0] in live:
                self._use(value)
                yield self._reference(owner_part(target), value, offset)

    def _parameter_before(self, scope: Scope, offset: int) -> NameBinding | None:
        if offset - scope.start > FLOW_CALL_BYTES:
            return None
        found = [
            name
            for names in scope.names.values()
            for name in names
            if name.parameters >= 0 and name.start < offset
        ]
        return max(found, key=lambda binding: binding.start, default=None)

    def _passed(self) -> Iterator[Reference]:
        """Yield what calls pass; of this file's functions, to parameters that are used so."""
        self._tables = {name.rpartition(".")[2] for name in self._containers}
        waiting = [call for call in self._calls if _is_followed(call.reference)]
        known = -1
        for _ in range(_MAX_DEPTH):
            if not waiting or known == (known := self._count_used()):
                break
            calls, waiting = waiting, []
            for call in calls:
                received = self._received(call.reference)
                if received is None or received:
                    yield from self._of_call(call, received)
                if received is not None:  # more may become known
                    waiting.append(call)

    def _count_used(self) -> int:
        return len(self._values) + sum(map(len, self._live.values()))

    def _received(self, called: Reference) -> frozenset[str] | None:
        """Return the parameters that are used so; None of what another file or a value may be."""
        if called.binding is not LOCAL:
            return None
        if not self._live:
            return _NONE
        if _is_held(called):
            return _NONE if self._values.isdisjoint(self._live) else None
        names = [called.root, *filter(None, called.chain.split("."))]
        is_member = called.access in (INSTANCE, RESULT)
        path = ".".join([*names, called.name] if is_member else names)
        if self._definitions.get(path) in CLASS_KINDS:
            made = (self._live.get(f"{path}.{method}", ()) for method in CONSTRUCTOR_METHODS)
            return frozenset().union(*made)
        return frozenset(self._live.get(path, _NONE))

    def _arguments(self, call: _Call) -> list[tuple[str, str]]:
        """Return the arguments that may be functions, each with its place or name."""
        place = (call.offset, call.written)
        if (known := self._arguments_of.get(place)) is not None:
            return known
        written = call.written
        if isinstance(written, int):
            written = self._text.slice((written, written + FLOW_CALL_BYTES))
        arguments, end = read_arguments(written, 0)
        found = self._arguments_of[place] = []
        is_spread = False  # from `*xs` on, places are unknown
        for number, argument in enumerate(arguments[:FLOW_ITEMS] if end > 0 else ()):
            keyword = _KEYWORD.fullmatch(argument) if "=" in argument else None
            is_spread = is_spread or argument.lstrip()[:1] == "*"
            if is_spread and keyword is None:
                continue
            name, value = keyword.groups() if keyword else (str(number), argument.strip())
            if value[:1].isidentifier():
                found.append((name, value))
        return found

    def _of_call(self, call: _Call, received: frozenset[str] | None) -> Iterator[Reference]:
        for place, value in self._arguments(call):
            is_done = (call.offset, place) in self._passing
            is_wanted = self._may_be_known(value) if received is None else place in received
            if not is_done and is_wanted:
                yield from self._of_argument(call, place, value)

    def _may_be_known(self, written: str) -> bool:
        """Whether an argument begins with a name that may be a function of this file or import."""
        name = leading_identifier(written)
        return name in self._known or name in self._tables

    def _of_argument(self, call: _Call, place: str, written: str) -> Iterator[Reference]:
        reference = call.reference
        self._passing.add((call.offset, place))
        value = self.value(written, call.scope, call.offset)
        if value is None or not self._may_be_passed(value, is_known=reference.binding is LOCAL):
            return
        self._use(value)
        self._passers.add(call.offset)
        called = (
            CALLED
            if _is_held(reference) and reference.binding is LOCAL
            else self._real_name(reference)
        )
        name = f"{PASSED}{called}"[:NAME_CHARACTERS]
        found = self._reference(f"{PASSED}{place}", value, 0)
        yield found._replace(name=name, line=reference.line, column=reference.column)

    def _may_be_passed(self, value: Value, *, is_known: bool) -> bool:
        """Whether a value may be a function; to another file, what this file says it to be."""
        if not is_known and parameter_step(value):
            return False
        if owner_part(value) in self._containers and value.chain[-1] == HELD:
            return self._has_functions(owner_part(value))
        return self._may_be_function(value) or (is_known and value.chain[-1] == CALLED)

    def _has_functions(self, owner: str) -> bool:
        name = self._containers[owner]
        return any(self._may_be_item(value) for _, value in self._items(owner, name.text, name))

    def _real_name(self, reference: Reference) -> str:
        steps = reference.chain.removeprefix(f"{HELD}.")
        is_own = reference.access is PATH and not steps.replace(CALLED, "").strip(".")
        if reference.binding is not IMPORT or not is_own:
            return CALLED if _is_held(reference) else reference.name
        return self._imported_name(reference) + steps.replace(".", "")

    def _imported_name(self, used: Reference | Value) -> str:
        """Return the last name of a root in its own file; a default export often has this one's."""
        path = self._imported.get(used.root, "") if used.binding is IMPORT else used.root
        name = path.rpartition(".")[2]
        return used.root if name in {"", "default"} else name

    def _of_tables(self, put: Iterable[tuple[str, str, Scope, int]]) -> Iterator[Reference]:
        """Yield the items of tables: those of literals, unless one is put in their place."""
        items = self._put(put)
        for name in self._file_names():
            if name.source is ValueSource.LITERAL:
                self._containers.setdefault(name.qualified, name)
        for owner in self._containers_in_turn():
            name = self._containers[owner]
            for key, value in self._items(owner, name.text, name):
                is_replaced = key in items and self._is_beside(name.start, items[key][1])
                if not is_replaced and self._may_be_item(value):
                    yield self._reference(key, value, name.start)
        for key, (value, offset) in items.items():
            yield self._reference(key, value, offset)

    def _containers_in_turn(self) -> Iterator[str]:
        """Yield the names of tables, those too that the items of others name."""
        done: set[str] = set()
        while fresh := self._containers.keys() - done:
            yield from sorted(fresh)
            done |= fresh

    def _put(self, put: Iterable[tuple[str, str, Scope, int]]) -> Mapping[str, tuple[Value, int]]:
        """Return what assignments put into tables, with their offsets: the last of each place."""
        items: dict[str, tuple[Value, int]] = {}
        for place, written, scope, offset in put:
            target = self.value(place, scope, offset)
            value = self.value(written, scope, offset)
            if target is None or value is None or target.root not in self._containers:
                continue
            if target.binding is LOCAL and self._may_be_item(value):
                items["".join((target.root, *target.chain[1:]))] = (value, offset)
        return items

    def _may_be_item(self, value: Value) -> bool:
        return self._may_be_function(value) or value.chain[-1] == CALLED

    def _is_beside(self, first: int, second: int) -> bool:
        """Whether two statements begin at the same column: the second follows the first."""
        return first < second and self._indentation(first) == self._indentation(second)

    def _indentation(self, offset: int) -> int:
        _, column = self._text.position(offset)
        before = self._text.slice((offset - column, offset))
        return len(before) - len(before.lstrip())

    def _file_names(self) -> Iterator[NameBinding]:
        """Yield the variables of the file that others may import."""
        for names in self._resolver.tree.root.names.values():
            yield from (name for name in names if name.qualified)

    def _items(self, owner: str, text: str, name: NameBinding) -> Iterator[tuple[str, Value]]:
        if len(text) > FLOW_LITERAL_CHARACTERS or owner.count("[") > 2:
            return
        written, end = read_arguments(_COMMENT.sub("", text), 0)
        for place, written_value in enumerate(written[:FLOW_ITEMS] if end > 0 else ()):
            keyed = _KEYED.fullmatch(written_value) if text[0] == "{" else None
            key, item = (keyed[1], keyed[2]) if keyed else (str(place), written_value)
            if self._has_named_keys and text[0] == "{":
                key = f"'{(key if keyed else item).strip(_QUOTES)}'"
            part = f"{owner}{index_step(key)}"
            if item.strip()[:1] in {"{", "["}:
                yield from self._items(part, item.strip(), name)
                continue
            value = self.value(item.strip(), name.scope, name.start, name)
            if value is not None:
                yield part, value

    def _name(self, name: NameBinding) -> str:
        return self._text.slice((name.start, name.end))

    def _reference(self, owner: str, value: Value, offset: int) -> Reference:
        steps = value.chain if value.chain[-1] != HELD else value.chain[:-1]
        held = f"{owner[: NAME_CHARACTERS - 2]}.{HELD}"
        position = self._text.position(offset)
        return type_reference(held, Value(value.binding, value.root, steps), position)


def _is_held(reference: Reference) -> bool:
    return HELD in reference.chain and HELD in reference.chain.split(".")


def _is_followed(called: Reference) -> bool:
    """Whether what is called may be a function of a file that can be found: `a.b.c` hardly is."""
    return _is_held(called) or called.binding is LOCAL or "." not in called.chain


def _is_variable(name: NameBinding) -> bool:
    return not name.imported and (not name.kind or name.kind in VALUE_KINDS)


def _is_function(kind: str) -> bool:
    return kind in FUNCTION_KINDS
