"""The value of a path of names, as far as one file determines it.

That is the binding of its root, its type if known, and the names between.
"""

import re
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final

from indexer.records.files import VALUE_KINDS
from indexer.records.references import CALLED, CLASS_CALL, EACH, ELEMENT, is_argument
from indexer.resolution.arguments import OutsideCalls
from indexer.resolution.assigned_values import AssignedValues
from indexer.resolution.expression_reader import ExpressionReader
from indexer.resolution.lookup import Lookup
from indexer.resolution.reaching import Reaching
from indexer.resolution.scopes import (
    NameBinding,
    Scope,
    ValueSource,
    enclosing_module,
)
from indexer.resolution.value import (
    CALLEE,
    FREE,
    IMPORT,
    INSTANCE,
    LOCAL,
    MAX_CHAIN,
    PATH,
    RECEIVER,
    RESULT,
    TYPE,
    UNKNOWN,
    VALUE,
    NameRole,
    Value,
    as_instance,
    is_method_access,
    member_value,
)
from indexer.resolution.written_types import WrittenTypes
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS
from indexer.syntax.source_text import SourceText
from indexer.syntax.types import read_type

_CALLED_KINDS: Final = CLASS_KINDS | {"type"}
_BINDABLE_KINDS: Final = CLASS_KINDS | FUNCTION_KINDS
_OF_ITEMS: Final = frozenset({ELEMENT, EACH})
_start: Final = attrgetter("start")


class Resolver(ExpressionReader):
    """A resolver of paths, calls and written types to values."""

    __slots__ = (
        "_assigned",
        "_lookup",
        "_reaching",
        "_text",
        "bases",
        "calls",
        "implicit_imports",
        "language",
        "receivers",
        "tree",
        "types",
    )

    def __init__(self, lookup: Lookup, text: SourceText, reaching: Reaching) -> None:
        self.tree = lookup.tree
        self.language = lookup.language
        self.bases = lookup.bases
        self.implicit_imports = lookup.implicit_imports
        self._lookup = lookup
        self._text = text
        self._reaching = reaching
        self.receivers: dict[Scope, Value] = {}  # objects that names in a scope may be members of
        self.types = WrittenTypes(self)
        self._assigned = AssignedValues(self, self.types)
        self.calls = OutsideCalls(self, self.types, text)

    def release(self) -> None:
        """Drop what refers to this resolver, which is of no use afterwards."""
        del self.types, self._assigned, self.calls

    def assume(self, values: Mapping[int, Value]) -> None:
        """Set the values of local names, by the offsets of the names."""
        self._assigned.assume(values)

    def resolve_path(
        self,
        path: Sequence[str],
        scope: Scope,
        offset: int,
        excluding: NameBinding | None = None,
        role: NameRole = VALUE,
    ) -> Value:
        """Return the value of `path` at an offset. An unbound path is FREE."""
        first, rest = path[0], path[1:]
        if rest and first in self.language.module_roots:
            module = enclosing_module(first, scope)
            if module is not None:
                return self.resolve_path(rest, module, 1 << 62, excluding, role)
        begun = None
        if first in self._lookup.keywords or self.tree.narrowed:
            begun = self._beginning(path, scope, offset, excluding)
        if begun is not None:
            value, rest = begun
        else:
            first_role = RECEIVER if rest and role is not TYPE else role
            name = self._lookup.find(first, scope, offset, excluding, first_role)
            if name is None:
                value = self._lookup.unbound(first, scope, first_role, offset, is_bare=not rest)
            else:
                several = name.scope.names.get(first, ())
                reaching = [name]
                if len(several) > 1 and self._reaching.may_differ(several):
                    names = self._lookup.matching(several, first_role)
                    reaching = self._reaching.of(names, scope, offset, excluding) or reaching
                value, rest = self._of_names(reaching, path, is_called=first_role is CALLEE)
        for part in rest[:-1]:
            value = self.member(value, part, RECEIVER)
        return self.member(value, rest[-1], role) if rest else value

    def result_of(self, value: Value) -> Value:
        """Return the result of calling a value."""
        result = self.types.part(value, CALLED) if value.written is not None else None
        if result is not None:
            return result
        if value.member in self.language.same_methods and self._is_wrapped(value):
            return value._replace(member="")
        if value.access is PATH and value is not UNKNOWN:
            path = value.path
            is_class = (
                value.binding is LOCAL
                and self.tree.definitions.get(path) in _CALLED_KINDS
                and path not in self.tree.called_classes
            )
            access = INSTANCE if is_class else RESULT
            own = value.is_self
            return Value(value.binding, value.root, value.chain, access, value.member, None, own)
        is_called = value.access in (INSTANCE, RESULT) and not value.member
        if is_called and len(value.chain) < MAX_CHAIN and value.binding is not UNKNOWN.binding:
            return Value(value.binding, value.root, (*value.chain, CALLED), INSTANCE)
        return member_value(self._called_class(value), RESULT)

    def _called_class(self, value: Value) -> Value:
        """Return a result with the step from a class to what its call gives, if there is such."""
        is_called = value.access is RESULT and not value.chain and value.root[:1].isupper()
        if is_called and self.language.constructed_keyword:
            return value._replace(chain=(CLASS_CALL,))
        return value

    def _is_wrapped(self, value: Value) -> bool:
        """Whether a value has a member that every value or its wrapper has, and none of its own."""
        is_own = value.binding is LOCAL and self.has_member(value.path, value.member)
        return value.access in (INSTANCE, RESULT) and not is_own

    def variable(self, path: Sequence[str], scope: Scope, offset: int) -> Value:
        """Return the variable at the top of the file or a class that a path names, or UNKNOWN."""
        name = self._lookup.find(path[0], scope, offset, None, VALUE) if len(path) == 1 else None
        if name is None or name.imported or not name.qualified:
            return UNKNOWN
        return Value(LOCAL, name.qualified)

    def binding(self, first: str, scope: Scope, offset: int) -> NameBinding | None:
        """Return what binds the name of a callee."""
        return self._lookup.find(first, scope, offset, None, CALLEE)

    def is_variable(self, first: str, scope: Scope, offset: int) -> bool:
        """Whether a name is bound here to a value, and not to a definition or an import."""
        name = self.binding(first, scope, offset)
        return name is not None and not name.kind and not name.imported

    def is_definition(self, name: NameBinding) -> bool:
        """Whether a member is a definition: `f` and `g` of `const ns = { f, g: h }`.

        One of a class, `static f = g`, also is what a variable of the file holds.
        """
        owner, _, member = name.qualified.rpartition(".")
        kind = self.tree.definitions.get(owner, "")
        is_of_class = name.scope.is_class and kind in CLASS_KINDS and not name.kind
        if not owner or not (is_of_class or kind in VALUE_KINDS):
            return False
        value = self.bound_value(name)
        if value.access is not PATH or value.binding not in (LOCAL, IMPORT):
            return False
        path = value.path
        if path == member or value.binding is IMPORT:
            return True
        found = self.tree.definitions.get(path)
        return found in _BINDABLE_KINDS or (is_of_class and found in VALUE_KINDS)

    def bound_value(self, name: NameBinding) -> Value:
        """Return the value of a local name, by its type or by the assigned expression."""
        value = self._assigned.value(name)
        return self.calls.value(name, value) if name.callee_end else value

    def _rebound_class(
        self, first: str, scope: Scope, offset: int, excluding: NameBinding | None
    ) -> Value | None:
        """Return the value of Python's `cls` where it is not the class around the method."""
        if first not in self.language.class_names:
            return None
        name = self._lookup.find(first, scope, offset, excluding, VALUE)
        if name is None or name.kind or name.imported:
            return None
        value = self.bound_value(name)
        if name.source is not ValueSource.CLASS:
            return value
        read = read_type(name.text, self.language.wrapper_types)
        is_variable = self.tree.definitions.get(value.root) in VALUE_KINDS  # T = TypeVar("T")
        is_other = value.access is PATH and value.binding in (LOCAL, IMPORT) and not is_variable
        return value if is_other or (read and not read.is_class_object) else None

    def _of_names(
        self, names: Sequence[NameBinding], path: Sequence[str], *, is_called: bool
    ) -> tuple[Value, Sequence[str]]:
        """Return the value of a path's first name, of bindings that may reach it, and the rest."""
        rest = path[1:]
        if len(names) > 1:
            value = self._one_of(names, rest, is_called=is_called)
            if value is not None:
                return value, rest
        if names[0].imported:
            return self._of_import(path, names[0])
        return self._of_name(names[0], rest), rest

    def _one_of(
        self, names: Sequence[NameBinding], rest: Sequence[str], *, is_called: bool
    ) -> Value | None:
        """Return the value of a name that has that of one of several bindings.

        None if that is the value of the first. A type that is written goes before what is assigned.
        What is unknown does not speak against a type, but against a function that is called.
        """
        values = {
            name: Value(IMPORT, name.imported) if name.imported else self._of_name(name, rest)
            for name in names
        }
        fixed = self.language.fixed_types
        for name in names:
            is_typed = name.source is ValueSource.TYPE or (fixed and not name.is_again)
            if is_typed and values[name].access is not PATH:
                return values[name]
        known = [name for name in names if self._tells(values[name])]
        unknown = [name for name in names if name not in known and not self._reaching.is_null(name)]
        known.sort(key=_start)
        distinct = list({value[:5]: value for value in map(values.__getitem__, known)}.values())
        is_type = not is_called or (distinct and distinct[0].access is not PATH)
        is_sure = len(distinct) == 1 and (is_type or not unknown)
        if not distinct or (is_sure and names[0] in unknown):
            return None
        return distinct[0] if is_sure else self.types.one_of(distinct, known[0].start)

    def _tells(self, value: Value) -> bool:
        """Whether a value is known, and none of the language."""
        if value.binding is UNKNOWN.binding:
            return False
        return value.binding is not FREE or value.root not in self.language.builtins

    def _of_import(self, path: Sequence[str], name: NameBinding) -> tuple[Value, Sequence[str]]:
        if "." not in name.imported:
            return Value(IMPORT, name.imported), path[1:]
        dotted = [
            other.imported.split(".")
            for other in name.scope.names.get(path[0], ())
            if other.imported
        ]
        matching = [parts for parts in dotted if list(path[: len(parts)]) == parts]
        if not matching:
            self.implicit_imports.setdefault(path[0], name.start)
            return Value(IMPORT, path[0]), path[1:]
        longest = max(matching, key=len)
        return Value(IMPORT, ".".join(longest)), path[len(longest) :]

    def _of_name(self, name: NameBinding, rest: Sequence[str]) -> Value:
        if not name.kind:
            if name.qualified in self.tree.alternatives:
                owner, _, member = name.qualified.rpartition(".")
                return Value(LOCAL, owner, (), INSTANCE, member)
            value = self.bound_value(name)
            if name.scope.is_class and name.scope.class_name == value.root and value.access is PATH:
                value = value._replace(is_self=True)  # B of `class A<B extends A<B>>`
            return value
        if name.kind == "method" and self.language.implicit_this:
            class_name, _, member = name.qualified.rpartition(".")
            if class_name:
                return Value(LOCAL, class_name, (), INSTANCE, member)
        if name.source is ValueSource.ALIAS and self.bound_value(name) is not UNKNOWN:
            return self.bound_value(name)
        if not rest or name.kind not in VALUE_KINDS or self.has_member(name.qualified, rest[0]):
            return Value(LOCAL, name.qualified)
        return self.bound_value(name)

    def _beginning(
        self, path: Sequence[str], scope: Scope, offset: int, excluding: NameBinding | None
    ) -> tuple[Value, Sequence[str]] | None:
        """Return what a test or a keyword says of the beginning of a path, and the names after."""
        own = self._own_object(path[0], scope) if self.receivers else None
        if own is not None:
            return own, path[1:]
        narrowed = self._narrowed(path, scope, offset) if self.tree.narrowed else None
        if narrowed or path[0] not in self._lookup.keywords or not scope.class_name:
            return narrowed
        value = self._rebound_class(path[0], scope, offset, excluding)
        value = value or self._lookup.keyword(path[0], scope, is_bare=len(path) == 1)
        return (value, path[1:]) if value is not None else None

    def _own_object(self, first: str, scope: Scope) -> Value | None:
        """Return the object of the lambda or extension around a keyword such as `this`."""
        here: Scope | None = scope if first in self.language.self_names else None
        while here is not None and not here.is_class:
            if here in self.receivers:
                return self.receivers[here]
            here = here.parent
        return None

    def _narrowed(
        self, path: Sequence[str], scope: Scope, offset: int
    ) -> tuple[Value, Sequence[str]] | None:
        """Return what a test says of the beginning of a path, and the names after that."""
        for count in range(len(path) - 1, 1, -1):
            start = ".".join(path[:count])
            if start not in self.tree.narrowed:
                continue
            name = self._lookup.find(start, scope, offset, None, VALUE)
            if name is None or name.start >= offset or name.scope.owner != scope.owner:
                continue
            between = self._text.slice((name.end, offset))
            roots = [
                self._lookup.find(path[0], scope, place, None, RECEIVER)
                for place in (name.start, offset)
            ]
            if roots[0] is roots[1] and not re.search(rf"{re.escape(start)}\s*=(?!=)", between):
                return self.bound_value(name), path[count:]
        return None

    def has_member(self, qualified: str, member: str) -> bool:
        """Whether this file defines a member of a class or an object."""
        if f"{qualified}.{member}" in self.tree.definitions:
            return True
        return member in self.tree.members.get(qualified, ())

    def member(self, value: Value, part: str, role: NameRole = VALUE) -> Value:
        """Return the member `part` of a value."""
        if value.written is not None:
            known = self.types.part(value, part)
            if known is not None:
                return known
        value = self._owner(value, part)
        if value.binding is UNKNOWN.binding or self._is_item_of_builtin(value, part):
            return UNKNOWN
        if value.access is INSTANCE:
            field = self._field(value, part, role)
            return field or self._member_of_instance(value, part)
        if value.access is not PATH:
            return Value(value.binding, value.root, value.chain, value.access, part)
        return self._member_of_path(value, part, role)

    def _owner(self, value: Value, part: str) -> Value:
        """Return what has the member `part`: the result of a method, or what a member holds.

        Of a member that gives the class of its object, that is the class: Ruby's `self.class`.
        """
        language = self.language
        if value.member and value.member == language.class_member:
            if part in language.members_of_classes or value.access is not INSTANCE:
                return UNKNOWN
            return Value(value.binding, value.root, value.chain, is_self=value.is_self)
        if language.calls_without_parentheses and is_method_access(value):
            return self.result_of(value)
        return member_value(self._called_class(value), INSTANCE) if value.member else value

    def _member_of_instance(self, value: Value, part: str) -> Value:
        """Return the member of an instance, whose class may stand in a header."""
        if self.language.has_headers and self._is_in_header(value, part):
            root, *chain = value.root.split(".")
            return Value(FREE, root, tuple(chain), INSTANCE, part)
        return Value(value.binding, value.root, value.chain, INSTANCE, part)

    def _is_in_header(self, value: Value, part: str) -> bool:
        """Whether a method's own object has a member that this file does not define."""
        is_own = value.is_self and value.binding is LOCAL and not value.chain
        return (
            is_own
            and value.root not in self.tree.definitions
            and not self.has_member(value.root, part)
        )

    def _is_item_of_builtin(self, value: Value, part: str) -> bool:
        """Whether the value is an item of a container of the language whose type is not written."""
        return part in _OF_ITEMS and value.binding is FREE and value.root in self.language.builtins

    def _member_of_path(self, value: Value, part: str, role: NameRole) -> Value:
        if part in self.language.constructor_names:
            return as_instance(value)
        field = self._field(value, part, role)
        if field is not None:
            return field
        if part in _OF_ITEMS or is_argument(part):
            return Value(value.binding, value.root, value.chain, INSTANCE, part)
        if value.root in self.bases and not value.chain and not self.has_member(value.root, part):
            return Value(value.binding, value.root, (), INSTANCE, part)
        if self.language.open_modules and self._is_elsewhere(value, part):
            root, *chain = value.root.split(".")
            return Value(FREE, root, (*chain, *value.chain, part))
        return Value(value.binding, value.root, (*value.chain, part))

    def _is_elsewhere(self, value: Value, part: str) -> bool:
        """Whether the value is a module of this file whose member another file defines."""
        path = value.path
        if value.binding is not LOCAL or self.tree.definitions.get(path) != "module":
            return False
        return not self.has_member(path, part) and part not in self.tree.members.get(path, ())

    def _field(self, value: Value, part: str, role: NameRole) -> Value | None:
        """Return the value of a field of a class of this file; None without such a field."""
        owner = value.path
        if value.binding is not LOCAL or f"{owner}.{part}" in self.tree.alternatives:
            return None
        members = self.tree.members.get(owner)
        every = members.get(part, ()) if members else ()
        names = self._lookup.matching(every, role)
        if not names:
            return None
        decisive = names[:1] if self.language.separate_method_namespace else names
        if any(binding.kind and binding.source is ValueSource.UNKNOWN for binding in decisive):
            return self._replaced(names) if role is CALLEE and len(names) > 1 else None
        values = [(name, self.bound_value(name)) for name in names]
        known = next((held_value for held_value in values if held_value[1] is not UNKNOWN), None)
        if known is None:
            return UNKNOWN
        if self._may_be_descriptor(*known):
            return None
        is_sure = len(names) == 1 or not self._reaching.may_differ(every)
        told = None if is_sure else self._one_of(names, (), is_called=False)
        return told or known[1]

    def _replaced(self, names: Sequence[NameBinding]) -> Value | None:
        """Return what a method may be that is called, if its object is given another function."""
        given = (self.bound_value(name) for name in names if name.source is ValueSource.ALIAS)
        others = [value for value in given if value.access is PATH and self._is_function(value)]
        methods = [Value(LOCAL, name.qualified) for name in names if name.kind == "method"]
        return self.types.one_of([*methods, *others], names[0].start) if others else None

    def _is_function(self, value: Value) -> bool:
        return value.binding is IMPORT or self.tree.definitions.get(value.path) in FUNCTION_KINDS

    def _may_be_descriptor(self, name: NameBinding, value: Value) -> bool:
        """Whether a class's attribute may give something else than the instance that it holds."""
        method = self.language.descriptor_method
        if not method or not name.scope.is_class or value.access not in (INSTANCE, RESULT):
            return False
        path = value.path
        if value.binding is not LOCAL or value.member or path not in self.tree.definitions:
            return value.binding is IMPORT
        return self.has_member(path, method) or path in self.bases
