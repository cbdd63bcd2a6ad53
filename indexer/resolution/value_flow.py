"""Functions as values: what is called where the name tells nothing, and what may be there.

A file alone tells that a call is of a parameter, of what a function returned, of an item of a
table or of a field. Such a reference has in its chain, after HELD, the steps from root and the
chain before:

* `2=name`, the parameter of the function with this name, the third that callers write;
* `()`, what calling it gives; `[key]`, its item by a literal key; `[]`, any item;
* `@name`, a member of the instance that root.chain is or gives.

TYPE references whose caller ends in HELD tell what is there: `make.=` what a function returns,
`TABLE[key].=`, `Class.field.=`, `apply.2=name.=` a default. With PASSED before the callee as name,
at the position of the call, they tell what it passes: `^2.=`, by keyword `^name.=`.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from indexer.limits import FLOW_CALL_BYTES, FLOW_ITEMS, FLOW_LITERAL_CHARACTERS, NAME_CHARACTERS
from indexer.records.files import VALUE_KINDS
from indexer.records.references import (
    CALLED,
    ELEMENT,
    HELD,
    PASSED,
    Import,
    Reference,
    ReferenceKind,
)
from indexer.resolution.lookup import Lookup
from indexer.resolution.resolver import Resolver
from indexer.resolution.scopes import NameBinding, Scope, ValueSource
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
)
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS
from indexer.syntax.expressions import read_arguments
from indexer.syntax.source_text import SourceText, leading_identifier
from indexer.syntax.types import split_type

_NAME: Final = re.compile(r"\s*([^\W\d]\w*)\s*")
_LITERAL_KEY: Final = re.compile(r"\s*(?:\"(\w{1,60})\"|'(\w{1,60})'|(\d{1,9}))\s*\Z")
_KEYED: Final = re.compile(r"\s*(\"[^\"\\]*\"|'[^'\\]*'|[\w.]+)\s*:\s*(.+)", re.DOTALL)
_COMMENT: Final = re.compile(r"(?m)^\s*(?:#|//).*$")
_KEYWORD: Final = re.compile(r"\s*(\w+)\s*=(?!=)\s*(.+)", re.DOTALL)
_PARAMETER: Final = re.compile(r"\d+=")
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
        self._imported = {one.local: one.path for one in imports}
        self._resolver = resolver
        self._lookup = lookup
        self._text = text
        self._definitions = resolver.tree.definitions
        self._functions = {
            name.rpartition(".")[2]
            for name, kind in self._definitions.items()
            if _is_function(kind)
        }
        self._containers: dict[str, NameBinding] = {}
        self._fields: dict[str, NameBinding] = {}
        self._calls: list[_Call] = []
        self._arguments_of: dict[tuple[int, str | int], list[tuple[str, str]]] = {}
        self._passing: set[tuple[int, str]] = set()  # arguments that are read, by offset and place
        # By function, the parameters that are called or passed on: places and names.
        self._live: dict[str, set[str]] = {}
        self._values: set[str] = set()  # functions that something holds

    def called(self, written: str, scope: Scope, offset: int) -> Value | None:
        """Return what a call is of, if it is of a function that something holds."""
        value = self.value(written, scope, offset)
        if value is None or value.chain[-1] == HELD:
            return None
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
        value = self._of_path(path, scope, offset, excluding, depth)
        if value is None or len(value.chain) + len(steps) > MAX_CHAIN:
            return None
        return value._replace(chain=(*value.chain, *steps))

    def references(
        self,
        returned: Iterable[tuple[str, str, Scope, int]],
        defaults: Iterable[tuple[str, str, Scope, int]],
        put: Iterable[tuple[str, str, Scope, int]],
    ) -> Iterator[Reference]:
        """Yield what functions return, fields and tables hold, and calls pass."""
        for owner, written, scope, offset in returned:
            value = None if owner in self._fixtures else self.value(written, scope, offset)
            if value is not None and self._may_be_function(value):
                self._use(value)
                yield self._reference(owner, value, offset)
        yield from self._of_fields()
        yield from self._passed()
        yield from self._of_defaults(defaults)
        yield from self._of_tables(put)

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
            if name is not None and _is_variable(name):
                return self._of_variable(name, depth)
        return self._member(path, scope, offset, excluding, depth)

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
                return _with(self.value(name.text, *context), CALLED)
            case ValueSource.ITEMS if not name.steps:
                value = self.value(name.text, *context)
                of_keys = value and self._is_dictionary(value)
                return None if of_keys else _with(value, ELEMENT)
        return None

    def _is_dictionary(self, value: Value) -> bool:
        table = self._containers.get(_owner(value))
        return table is not None and table.text[:1] == "{"

    def _of_parameter(self, name: NameBinding) -> Value | None:
        owner = name.scope.prefix
        if name.parameters < 0 or self._definitions.get(owner) not in FUNCTION_KINDS:
            return None
        if name.start - name.parameters > FLOW_CALL_BYTES:
            return None
        earlier = split_type(self._text.slice((name.parameters, name.start))[1:], ",")[:-1]
        place = len(earlier) - sum(one.strip() == "/" for one in earlier)
        language = self._resolver.language
        first = leading_identifier(earlier[0].lstrip()) if earlier else self._name(name)
        if first in language.self_names | language.class_names:
            place -= 1  # a caller does not write the method's object
        if any(one.lstrip()[:1] == "*" for one in earlier):
            place = FLOW_ITEMS  # it has no place: callers write its name
        return Value(LOCAL, owner, (HELD, f"{place}={self._name(name)}")) if place >= 0 else None

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
        if value.access is PATH:
            return Value(value.binding, value.root, (*value.chain, HELD))
        if value.access not in (INSTANCE, RESULT):
            return None
        if value.member:
            return Value(value.binding, value.root, (*value.chain, HELD, f"@{value.member}"))
        if value.access is RESULT:
            return Value(value.binding, value.root, (*value.chain, HELD, CALLED))
        return None

    def _of_field(self, path: Sequence[str], scope: Scope, offset: int, depth: int) -> Value | None:
        """Return a field that a method sets to a value that may be a function."""
        *owner, last = path
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
        parameter = next((step for step in value.chain if _PARAMETER.match(step)), None)
        if parameter is not None:
            self._live.setdefault(value.root, set()).update(parameter.split("="))
        elif value.chain[-1] == HELD:
            self._values.add(_owner(value))
        elif value.chain[-1][0] == "@":
            self._values.add(f"{value.root}.{value.chain[-1][1:]}")

    def _may_be_function(self, value: Value) -> bool:
        """Whether a value that something is given is worth a row: not if it is data or a class."""
        last = value.chain[-1]
        if any(map(_PARAMETER.match, value.chain)):
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
            if target.chain[-1].partition("=")[0] in self._live.get(target.root, ()):
                self._use(value)
                yield self._reference(_owner(target), value, offset)

    def _parameter_before(self, scope: Scope, offset: int) -> NameBinding | None:
        if offset - scope.start > FLOW_CALL_BYTES:
            return None
        found = [
            one
            for names in scope.names.values()
            for one in names
            if one.parameters >= 0 and one.start < offset
        ]
        return max(found, key=lambda one: one.start, default=None)

    def _passed(self) -> Iterator[Reference]:
        """Yield what calls pass; of this file's functions, to parameters that are used so."""
        waiting = [call for call in self._calls if _is_followed(call.reference)]
        known = -1
        for _ in range(_MAX_DEPTH):
            if not waiting or known == (known := self._count()):
                break
            calls, waiting = waiting, []
            for call in calls:
                received = self._received(call.reference)
                if received is None or received:
                    yield from self._of_call(call, received)
                if received is not None:  # more may become known
                    waiting.append(call)

    def _count(self) -> int:
        return len(self._values) + sum(map(len, self._live.values()))

    def _received(self, called: Reference) -> frozenset[str] | None:
        """Return the parameters that are used so; None of what another file or a value may be."""
        if _is_held(called) and self._values.isdisjoint(self._live):
            return frozenset()
        if called.binding is not LOCAL or _is_held(called):
            return None
        names = [called.root, *filter(None, called.chain.split("."))]
        is_member = called.access in (INSTANCE, RESULT)
        path = ".".join([*names, called.name] if is_member else names)
        if self._definitions.get(path) in CLASS_KINDS:
            path = f"{path}.__init__"
        return frozenset(self._live.get(path, ()))

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
        for number, one in enumerate(arguments[:FLOW_ITEMS] if end > 0 else ()):
            keyword = _KEYWORD.fullmatch(one)
            is_spread = is_spread or one.lstrip()[:1] == "*"
            if is_spread and keyword is None:
                continue
            name, value = keyword.groups() if keyword else (str(number), one.strip())
            if value[:1].isidentifier():
                found.append((name, value))
        return found

    def _of_call(self, call: _Call, received: frozenset[str] | None) -> Iterator[Reference]:
        for place, value in self._arguments(call):
            is_done = (call.offset, place) in self._passing
            if not is_done and (received is None or place in received):
                yield from self._of_argument(call, place, value)

    def _of_argument(self, call: _Call, place: str, written: str) -> Iterator[Reference]:
        one = call.reference
        self._passing.add((call.offset, place))
        value = self.value(written, call.scope, call.offset)
        if value is None or not self._may_be_passed(value, is_known=one.binding is LOCAL):
            return
        self._use(value)
        name = f"{PASSED}{CALLED if _is_held(one) else self._real_name(one)}"[:NAME_CHARACTERS]
        found = self._reference(f"{PASSED}{place}", value, 0)
        yield found._replace(name=name, line=one.line, column=one.column)

    def _may_be_passed(self, value: Value, *, is_known: bool) -> bool:
        """Whether a value may be a function; to another file, what this file says it to be."""
        if not is_known and any(map(_PARAMETER.match, value.chain)):
            return False
        if _owner(value) in self._containers and value.chain[-1] == HELD:
            return self._has_functions(_owner(value))
        return self._may_be_function(value) or (is_known and value.chain[-1] == CALLED)

    def _has_functions(self, owner: str) -> bool:
        name = self._containers[owner]
        return any(self._may_be_item(value) for _, value in self._items(owner, name.text, name))

    def _real_name(self, reference: Reference) -> str:
        if reference.binding is not IMPORT or reference.chain or reference.access is not PATH:
            return reference.name
        return self._imported.get(reference.root, reference.root).rpartition(".")[2]

    def _of_tables(self, put: Iterable[tuple[str, str, Scope, int]]) -> Iterator[Reference]:
        """Yield the items of tables: those of literals, unless one is put in their place."""
        items = self._put(put)
        for owner, name in self._importable_tables():
            self._containers.setdefault(owner, name)
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
        return first < second and self._text.position(first)[1] == self._text.position(second)[1]

    def _importable_tables(self) -> Iterator[tuple[str, NameBinding]]:
        for names in self._resolver.tree.root.names.values():
            for name in names:
                if name.source is ValueSource.LITERAL and name.qualified:
                    yield name.qualified, name

    def _items(self, owner: str, text: str, name: NameBinding) -> Iterator[tuple[str, Value]]:
        if len(text) > FLOW_LITERAL_CHARACTERS or owner.count("[") > 2:
            return
        written, end = read_arguments(_COMMENT.sub("", text), 0)
        for place, one in enumerate(written[:FLOW_ITEMS] if end > 0 else ()):
            keyed = _KEYED.fullmatch(one) if text[0] == "{" else None
            key, item = (keyed[1], keyed[2]) if keyed else (str(place), one)
            part = f"{owner}{_index(key)}"
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
        return Reference(
            ReferenceKind.TYPE,
            "",
            value.binding,
            value.root[:NAME_CHARACTERS],
            ".".join(steps)[:NAME_CHARACTERS],
            PATH,
            f"{owner[: NAME_CHARACTERS - 2]}.{HELD}",
            *self._text.position(offset),
        )


@lru_cache(maxsize=10_000)
def read_steps(written: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the names of a path, and the calls and indexes after it; None of any other text."""
    text = written.strip()
    if text.isidentifier():
        return (text,), ()
    path: list[str] = []
    steps: list[str] = []
    position = 0
    while position < len(text):
        sign = text[position]
        if sign in "([" and path:
            inner, end = read_arguments(text, position)
            if end < 0:
                return None
            steps.append(CALLED if sign == "(" else _index(inner[0] if len(inner) == 1 else ""))
            position = end
            continue
        found = _NAME.match(text, position + (sign == "." and bool(path)))
        if found is None or steps or (path and sign != "."):
            return None
        path.append(found[1])
        position = found.end()
    return (tuple(path), tuple(steps)) if path else None


def _index(key: str) -> str:
    found = _LITERAL_KEY.match(key)
    if found is None:
        return ELEMENT
    return f"[{found[1] or found[2] or '#' + found[3]}]"


def flow_name(value: Value) -> str:
    """Return the name of a reference to a value: `make()`, `TABLE[]`, a field, `=parameter`."""
    at = value.chain.index(HELD)
    name, *_ = [*reversed(value.chain[:at]), value.root.rpartition(".")[2]]
    for step in value.chain[at + 1 :]:
        if step == CALLED:
            name += CALLED
        elif step[0] == "[":
            name += ELEMENT
        else:
            name = step[1:] if step[0] == "@" else f"{HELD}{step.partition('=')[2]}"
    return name


def _is_held(reference: Reference) -> bool:
    return HELD in reference.chain.split(".")


def _is_followed(called: Reference) -> bool:
    """Whether what is called may be a function of a file that can be found: `a.b.c` hardly is."""
    return _is_held(called) or called.binding is LOCAL or "." not in called.chain


def _owner(value: Value) -> str:
    """Return the part that a value is, without later steps: `apply.0=f`."""
    at = value.chain.index(HELD)
    return ".".join((value.root, *value.chain[:at], *value.chain[at + 1 : at + 2]))


def _with(value: Value | None, step: str) -> Value | None:
    return value and value._replace(chain=(*value.chain, step))


def _is_variable(name: NameBinding) -> bool:
    return not name.imported and (not name.kind or name.kind in VALUE_KINDS)


def _is_function(kind: str) -> bool:
    return kind in FUNCTION_KINDS
