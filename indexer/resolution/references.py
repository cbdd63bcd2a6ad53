"""References of one file: each used name with the binding of its root."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from indexer.languages import ONE_ITEM
from indexer.languages.base import is_name
from indexer.records.files import NAME_CHARACTERS, VALUE_KINDS
from indexer.records.references import ELEMENT, HELD, INNER, Reference, ReferenceKind
from indexer.resolution.arguments import CLASS_NAME
from indexer.resolution.extension_calls import ExtensionCalls
from indexer.resolution.implicit_receivers import implicit_member
from indexer.resolution.name_uses import NameUse
from indexer.resolution.resolver import Resolver
from indexer.resolution.scopes import BLOCK, Scope, is_in_anonymous_class
from indexer.resolution.value import (
    BASE,
    CALLEE,
    FREE,
    IMPORT,
    INSTANCE,
    LOCAL,
    PATH,
    RESULT,
    TYPE,
    UNKNOWN,
    VALUE,
    NameRole,
    Value,
    as_instance,
    flow_name,
)
from indexer.resolution.value_flow import FlowReader
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS
from indexer.syntax.expressions import (
    MAX_EXPRESSION_CHARACTERS,
    Expression,
    is_assigned,
    read_expression,
    read_members,
)
from indexer.syntax.parser import ParsedFile
from indexer.syntax.source_text import SourceText
from indexer.syntax.types import closing_bracket

# Module constants, because a look-up on the enumeration takes half as long as creating a tuple.
_INHERIT: Final = ReferenceKind.INHERIT
_DECORATE: Final = ReferenceKind.DECORATE
_ELEMENT: Final = ReferenceKind.ELEMENT
_NEW: Final = ReferenceKind.NEW
_CALL: Final = ReferenceKind.CALL
_VALUE: Final = ReferenceKind.VALUE

# The role of a used name, if it is no type.
_ROLES: Final[Mapping[ReferenceKind, NameRole]] = {_CALL: CALLEE, _VALUE: VALUE, _ELEMENT: VALUE}
_CALLS: Final = (_CALL, _NEW)
_OF_HELD: Final = (_CALL, _ELEMENT, _NEW)
_PASSED_TO: Final = (LOCAL, IMPORT)
BINDABLE_KINDS = CLASS_KINDS | FUNCTION_KINDS
_MAX_DECORATORS: Final = 32
_EXTENDS = re.compile(rb"(?:\bextends|:)\s*\Z")
_ARGUMENTS: Final = re.compile(rb"[\s)]*[({<]")  # also trailing ones, and those of types
_MAX_KEYWORD: Final = 64  # bytes, with the space after it
_BARE: Final = re.compile(r"@[\w.]+")
_BEFORE_DEFINITION = re.compile(rb"(?:\s|export\b|default\b)*")


def _last_name(root: str) -> str:
    if root.isidentifier():
        return root
    return root.rpartition(".")[2].partition(INNER)[0].removeprefix("\\")


def _around(scope: Scope) -> Scope:
    """Return the scope that gives the name of a base its meaning: the one around the class."""
    return scope.parent if scope.parent and scope.kind in CLASS_KINDS else scope


def _outwards(scope: Scope | None) -> Iterator[Scope]:
    while scope is not None:
        yield scope
        scope = scope.parent


class _LastCall(NamedTuple):
    """The value that is called, whether it is a constructed instance, and where its name ends."""

    value: Value
    is_constructed: bool
    end: int


class ReferenceReader:
    """Resolver of the references of one file; `scopes` has the scope of each.

    `renamed` are imports under another name; `flow` gets the calls that pass something.
    """

    def __init__(
        self,
        parsed: ParsedFile,
        text: SourceText,
        resolver: Resolver,
        uses: list[NameUse],
        scopes: list[Scope],
        *,
        renamed: frozenset[str],
        flow: FlowReader,
    ) -> None:
        self._flow = flow
        self._parsed = parsed
        self._text = text
        self._resolver = resolver
        self._language = resolver.language
        self._constructors = self._language.constructor_names - self._language.constructor_calls
        self._uses = uses
        self._scopes = scopes
        self._extensions = ExtensionCalls(resolver, renamed)
        self._last_calls: dict[int, _LastCall] = {}  # by start offset
        self._first_bases: dict[str, tuple[NameUse, Scope]] = {}  # by class
        if self._language.constructor_calls:
            for use, scope in zip(uses, scopes, strict=True):
                if use.kind is _INHERIT and self._is_superclass(use):
                    self._first_bases.setdefault(scope.class_name, (use, _around(scope)))
        self._bases: dict[str, set[str]] = {}
        self._decorators = sorted(parsed.decorators)
        self.decorated: dict[str, tuple[Value, int]] = {}  # functions, by the outermost decorator
        self.generic_bases: list[tuple[str, str, Scope, int]] = []  # class, written, scope, offset

    @cached_property
    def _calls(self) -> dict[int, list[int]]:
        """The ends of calls, by where they start."""
        calls: dict[int, list[int]] = {}
        for use in self._uses:
            if use.kind is _CALL or use.kind is _NEW:
                calls.setdefault(use.start, []).append(use.end)
        return calls

    @cached_property
    def _callers(self) -> dict[int, str]:
        """The functions and classes, by where they start."""
        scopes = self._resolver.tree.scopes
        return {scope.start: scope.owner for scope in scopes if scope.kind in BINDABLE_KINDS}

    def read(self) -> Iterator[Reference]:
        """Yield the references, in order of position."""
        for use, scope in zip(self._uses, self._scopes, strict=True):
            if use.kind is _DECORATE and use.written not in self._language.plain_decorators:
                self._flow.decorated.add(self._caller(use, scope))
            place = _around(scope) if use.kind is _INHERIT else scope
            expression, value, name = self._used(use, place)
            value, name = self._as_function(use, value, name, scope)
            if not name or not self._is_wanted(use, value):
                continue
            reference = self._reference(use, expression, value, name, scope)
            if use.kind is _DECORATE and self._language.decorators_replace:
                self.decorated.setdefault(reference.caller, (value, use.start))
            if value.binding in _PASSED_TO and self._language.functions_as_values:
                self._add_passed(use, reference, scope)
            if use.kind is _INHERIT and value.binding is not LOCAL:
                self._note_generic(use, scope)
            yield reference

    def _used(self, use: NameUse, scope: Scope) -> tuple[Expression | None, Value, str]:
        """Return the expression, if it is one, the used value and the name of the reference."""
        if self._language.calls_commands:
            return self._command(use, scope)
        expression = read_expression(use.written)
        member = self._of_symbol(use, scope) if use.kind is _VALUE else None
        if expression is None and member is None:
            member = self._of_literal(use)
        if member:
            return member
        if expression is None:
            value = self._called_again(use)
            called = self._called_instance(use, value)
            self._last_calls[use.start] = _LastCall(called or value, False, use.end)
            return (None, called, called.member) if called else (None, UNKNOWN, "")
        value, name = self._resolve(use, expression, scope)
        may_be_called = use.kind is _CALL and self._language.call_member
        called = self._called_value(use, expression, scope) if may_be_called else None
        return (expression, called, called.member) if called else (expression, value, name)

    def _command(self, use: NameUse, scope: Scope) -> tuple[Expression, Value, str]:
        """Return a command by its whole word: a function of this file, of another, or a program."""
        *_, name = parts = [part for part in use.written.split("::") if part]
        word = ".".join(parts)
        function = self._functions.get(word)
        is_seen = function and self._is_seen(word, scope)
        value = Value(LOCAL, function) if function and is_seen else Value(FREE, word)
        return Expression((), name), value, name

    def _is_seen(self, function: str, scope: Scope) -> bool:
        """Whether a shell's function is not one that only other subshells define."""
        around = {inner_scope.start for inner_scope in _outwards(scope)}
        places = [inner_scope for inner_scope in self._defining if function in inner_scope.names]
        return not places or any(place.kind != BLOCK or place.start in around for place in places)

    @cached_property
    def _defining(self) -> list[Scope]:
        """The scopes of a shell's file, if one is a subshell that defines functions."""
        tree = self._resolver.tree
        has_subshell = any(scope.kind == BLOCK and scope.names for scope in tree.scopes)
        return [tree.root, *tree.scopes] if has_subshell else []

    @cached_property
    def _functions(self) -> dict[str, str]:
        """The qualified names of functions of a shell: wherever one is defined, all may call it."""
        tree = self._resolver.tree
        inner: dict[str, set[str]] = {}
        for scope in tree.scopes:
            for name, (first, *_) in scope.names.items():
                inner.setdefault(name, set()).update([first.qualified] if first.kind else [])
        outer = {name: name for name, kind in tree.definitions.items() if kind in FUNCTION_KINDS}
        return {name: found.pop() for name, found in inner.items() if len(found) == 1} | outer

    def _as_function(
        self, use: NameUse, value: Value, name: str, scope: Scope
    ) -> tuple[Value, str]:
        """Return the function that a value may hold, or of which it is a method: `f.call(x)`."""
        several = self._resolver.types.unions.get(value.root)
        if several and value.access is PATH and not value.chain:
            return self._one_of(use, value, list(several))
        if value is UNKNOWN:
            return self._held(use, name, scope) if use.kind in _OF_HELD else (value, name)
        return self._of_function(value, name) or (value, name)

    def _one_of(self, use: NameUse, value: Value, several: list[Value]) -> tuple[Value, str]:
        """Return the value and name of a use of what is one of several functions."""
        if use.kind in _OF_HELD and self._language.functions_as_values:
            return value._replace(chain=(HELD,)), use.written.rpartition(".")[2]
        *_, name = _last_name(several[0].root), *several[0].chain
        return (value if use.kind is _INHERIT else UNKNOWN), name

    def _held(self, use: NameUse, name: str, scope: Scope) -> tuple[Value, str]:
        """Return the value and name of a call of what may hold a function."""
        held = None
        if self._language.functions_as_values:
            held = self._flow.called(use.written, scope, use.start)
        if held is not None and HELD not in held.chain:  # `f.bind(x)()`
            return held, (held.chain or (_last_name(held.root),))[-1]
        return (held, name or flow_name(held)[:NAME_CHARACTERS]) if held else (UNKNOWN, name)

    def _of_function(self, value: Value, name: str) -> tuple[Value, str] | None:
        """Return the function of this file that `f.call(x)` calls and `f.bind(x)` gives, if any."""
        *names, last = value.root, *value.chain, *filter(None, (value.member,))
        if last not in self._language.function_methods or name != last or len(names) < 1:
            return None
        definitions, path = self._resolver.tree.definitions, ".".join(names)
        is_own = value.binding is LOCAL and value.access in (PATH, INSTANCE)
        is_redefined = f"{path}.{last}" in definitions
        if not is_own or is_redefined or definitions.get(path) not in FUNCTION_KINDS:
            return None
        if value.access is PATH:
            return value._replace(chain=value.chain[:-1]), _last_name(path)
        *chain, method = value.chain
        return value._replace(chain=tuple(chain), member=method), method

    def _add_passed(self, use: NameUse, reference: Reference, scope: Scope) -> None:
        """Keep what a call passes, or that a decorator is called with what it decorates."""
        following = self._parsed.source[use.end : use.end + 2]
        if use.kind is _DECORATE and following[:1] != b"(":
            decorated = f"({self._given(use, reference)})"
            self._flow.add_call(reference, decorated, scope, use.start)
        elif use.kind in _CALLS and following[:1] == b"(" and following != b"()":
            self._flow.add_call(reference, use.end, scope, use.start)

    def _note_generic(self, use: NameUse, scope: Scope) -> None:
        """Keep a base with its type arguments, which stand behind its name."""
        following = self._text.slice((use.end, use.end + MAX_EXPRESSION_CHARACTERS))
        end = closing_bracket(following) if following[:1] in ("<", "[") else -1
        if end > 0:
            written = use.written + following[:end]
            self.generic_bases.append((scope.class_name, written, scope, use.start))

    def _of_symbol(self, use: NameUse, scope: Scope) -> tuple[Expression, Value, str] | None:
        """Return the method of the class around it that a symbol names: `before_action :load`."""
        sign, name = use.written[:1], use.written[1:]
        if sign != ":" or name[:1] == ":" or not scope.class_name:
            return None
        return Expression((), name), Value(LOCAL, scope.class_name, (), INSTANCE, name), name

    def _of_literal(self, use: NameUse) -> tuple[Expression, Value, str] | None:
        """Return the called member of a literal."""
        read = self._extensions.of_literal(use.written) if use.kind is _CALL else None
        if read is None:
            return None
        written, name = read
        value = self._extensions.imported(written, name)
        self._last_calls[use.start] = _LastCall(value, False, use.end)
        return Expression((), name), self._extensions.by_receiver(written, value), name

    def _resolve(self, use: NameUse, expression: Expression, scope: Scope) -> tuple[Value, str]:
        """Return the used value and the name of the reference."""
        if use.kind is _CALL and self._is_constructor_call(expression, scope):
            return self._constructed(expression, scope)
        if use.is_initialized and len(expression.path) == 1 and not expression.name:
            return self._initialized(use, expression, scope)
        value, name = self._resolve_written(use, expression, scope)
        if use.kind is _CALL and len(expression.path) == 1 and self._resolver.receivers:
            value = implicit_member(self._resolver, expression, scope, use.start) or value
        return value, name

    def _resolve_written(
        self, use: NameUse, expression: Expression, scope: Scope
    ) -> tuple[Value, str]:
        written = self._value(use, expression, scope)
        display_name = expression.display_name
        is_member = expression.name or len(expression.path) > 1
        value = self._extensions.imported(written, display_name) if is_member else written
        is_constructed = not expression.name and self._resolver.is_constructed(
            expression.path, value
        )
        if use.kind is _CALL or use.kind is _NEW:
            self._last_calls[use.start] = _LastCall(value, is_constructed, use.end)
        value = self._extensions.by_receiver(written, value)
        if display_name == ELEMENT or self._reads_variable(use, scope):
            return UNKNOWN, ""
        if use.kind is _INHERIT and value.access is not PATH:
            value = self._resolver.variable(expression.path, scope, use.start)
        if value.access is BASE and not value.member and self._language.calls_without_parentheses:
            value = value._replace(member=scope.owner.rpartition(".")[2])
        if is_constructed:
            value = value._replace(access=PATH)
        if self._is_unknown(use.kind, value):
            return UNKNOWN, display_name if self._counts(use, expression, scope) else ""
        if value.access is PATH:
            return value, value.chain[-1] if value.chain else _last_name(value.root)
        return value, value.member

    def _called_instance(self, use: NameUse, value: Value) -> Value | None:
        """Return the member that a call of an instance calls, if its class is known: `__call__`."""
        language = self._language
        if use.kind is not _CALL or not language.call_member or value.member or value.written:
            return None
        if value.access not in (INSTANCE, RESULT) or (
            value.binding is FREE and value.root in language.builtins
        ):
            return None
        if language.functions_as_values and not self._is_surely_instance(value):
            return None
        return value._replace(member=language.call_member)

    def _is_surely_instance(self, value: Value) -> bool:
        """Whether a value is of a class, as its name tells, and no function: `f: Callable`."""
        path = (value.root, *value.chain)
        if value.access is RESULT or path[-1] in self._language.containers:
            return False
        if value.binding is LOCAL:
            return self._resolver.tree.definitions.get(".".join(path)) in CLASS_KINDS
        return bool(CLASS_NAME.match(path[-1]))

    def _called_value(self, use: NameUse, expression: Expression, scope: Scope) -> Value | None:
        """Return likewise what a call of a value calls, which may be a variable of the file."""
        last, member = self._last_calls.get(use.start), self._language.call_member
        if last is None or last.end != use.end or last.is_constructed:
            return None
        value, definitions = last.value, self._resolver.tree.definitions
        is_name = value.access is PATH
        is_variable = value.binding is LOCAL and definitions.get(value.root) in VALUE_KINDS
        if value.member or (is_name and not is_variable):
            return None
        following = self._parsed.source[use.end : use.end + _MAX_KEYWORD]
        if self._has_no_brackets(use) or not _ARGUMENTS.match(following):
            return None
        method = f"{scope.class_name}.{expression.path[0]}" if len(expression.path) == 1 else ""
        if definitions.get(method) in FUNCTION_KINDS:  # it goes before a property of its name
            return None
        if method and is_name:
            path = (*expression.path, member)
            value = self._resolver.resolve_path(path, scope, use.start)._replace(member="")
        called = self._called_instance(use, value)
        if called:
            self._last_calls[use.start] = _LastCall(called, False, use.end)
        return called

    def _reads_variable(self, use: NameUse, scope: Scope) -> bool:
        """Whether a bare name is that of a variable, which is not called."""
        if use.written != use.first or not self._has_no_brackets(use):
            return False
        return self._resolver.is_variable(use.first, scope, use.start)

    def _has_no_brackets(self, use: NameUse) -> bool:
        """Whether a name stands alone, so that only its meaning tells whether it is called."""
        if use.kind is not _CALL or not self._language.bare_methods:
            return False
        return self._text.slice((use.end, use.end + 1)) != "("

    def _is_superclass(self, use: NameUse) -> bool:
        """Whether a base is the first that a class extends, as its text tells."""
        start = max(use.start - _MAX_KEYWORD, 0)
        return bool(_EXTENDS.search(self._parsed.source[start : use.start]))

    def _is_constructor_call(self, expression: Expression, scope: Scope) -> bool:
        """Whether a keyword calls a constructor of the class or its superclass: `super(1)`."""
        is_keyword = expression.path and expression.path[0] in self._language.constructor_calls
        if not is_keyword or expression.name or len(expression.path) > 1:
            return False
        return bool(scope.class_name) and not is_in_anonymous_class(scope)

    def _constructed(self, expression: Expression, scope: Scope) -> tuple[Value, str]:
        """Return the class whose constructor a keyword calls, and its name, "" if unknown."""
        if expression.path[0] not in self._language.super_names:
            return Value(LOCAL, scope.class_name), _last_name(scope.class_name)
        use, outer = self._first_bases.get(scope.class_name, (None, scope))
        base = read_expression(use.written) if use else None
        if use is None or base is None:
            return UNKNOWN, ""
        value, name = self._resolve_written(use, base, outer)
        return (value, name) if value.access is PATH else (UNKNOWN, "")

    def _initialized(self, use: NameUse, expression: Expression, scope: Scope) -> tuple[Value, str]:
        """Return the class that C++'s `: name(1)` makes an instance of, and its name.

        That is a base, the class itself or the class of a field. If the class stands in a header, a
        name is taken for a class by its capital letter.
        """
        tree, name = self._resolver.tree, expression.path[0]
        for field in tree.members.get(scope.class_name, {}).get(name, ()):
            if field.kind == "":
                value = self._resolver.bound_value(field)
                is_own = "<" not in field.text and not self._is_indirect(field.start)
                is_constructed = is_own and value.access is INSTANCE and not value.member
                made = value._replace(access=PATH) if is_constructed else UNKNOWN
                return made, _last_name(made.path)
        own_or_bases = {_last_name(scope.class_name), *self._bases_of(scope.class_name)}
        is_declared_here = scope.class_name in tree.definitions
        is_class = name in own_or_bases if is_declared_here else name[:1].isupper()
        return self._resolve_written(use, expression, scope) if is_class else (UNKNOWN, "")

    def _bases_of(self, class_name: str) -> set[str]:
        """Return the last names of a class's bases, as written in this file."""
        if not self._bases:
            for use, scope in zip(self._uses, self._scopes, strict=True):
                if use.kind is _INHERIT and (base := read_expression(use.written)):
                    self._bases.setdefault(scope.class_name, set()).add(base.display_name)
        return self._bases.get(class_name, set())

    def _is_indirect(self, offset: int) -> bool:
        """Whether a name is declared as a pointer or reference."""
        return self._parsed.source[max(offset - 8, 0) : offset].rstrip()[-1:] in (b"*", b"&")

    def _counts(self, use: NameUse, expression: Expression, scope: Scope) -> bool:
        """Whether a use of unknown meaning is one of a member, and no field that is read."""
        if expression.name or len(expression.path) == 1:
            return bool(expression.name)
        if use.kind is not _VALUE and not self._has_no_brackets(use):
            return True
        if use.kind is _VALUE and not use.is_passed:
            return False
        *path, name = expression.path
        owner = self._resolver.resolve_path(path, scope, use.start)
        fields = self._resolver.tree.members.get(owner.path, ())
        return owner.binding is not LOCAL or name not in fields

    def _is_unknown(self, kind: ReferenceKind, value: Value) -> bool:
        """Whether nothing tells what the used name means: it is a member of some value."""
        if value.binding is UNKNOWN.binding:
            return True
        if value.access is PATH:
            return bool(value.chain) and self._is_open(value)
        if kind is _INHERIT or not is_name(value.member):
            return kind is not _VALUE  # a field's value
        return self._may_be_anything(value)

    def _is_open(self, value: Value) -> bool:
        """Whether any member may have been added to the object."""
        language = self._language
        is_self = value.root in language.self_names or value.root in language.super_names
        return value.binding is FREE and (is_self or value.root in language.open_objects)

    def _may_be_anything(self, value: Value) -> bool:
        """Whether the receiver is what something of the language gives or holds."""
        language = self._language
        if value.binding is not FREE or value.root not in language.builtins:
            return False
        if value.chain or value.root in language.unknown_types:
            return not self._extensions.may_be_given(value)
        is_class = value.root[:1].isupper() or value.root in language.builtin_classes
        return value.access is RESULT and not is_class

    def _value(self, use: NameUse, expression: Expression, scope: Scope) -> Value:
        if expression.name:
            if use.first in self._language.adapters:
                value = self._resolver.of_calls(use.written, scope, use.start)
                if value is not UNKNOWN or self._language.adapters[use.first] in ONE_ITEM:
                    return value
            value, names = self._after_bare_call(use) or (
                self._resolver.of_keyword_call(use.written, scope, use.start)
                or self._receiver(use, expression, scope),
                (*expression.members, expression.name),
            )
            for part in names:
                value = self._resolver.member(value, part)
            return value
        offset = use.end if is_assigned(use.written) else use.start
        return self._resolver.resolve_path(
            expression.path, scope, offset, role=_ROLES.get(use.kind, TYPE)
        )

    def _after_bare_call(self, use: NameUse) -> tuple[Value, tuple[str, ...]] | None:
        """Return the last call, and the names after it, if it has no brackets: `a(1).b.c`."""
        last = self._last_calls.get(use.start) if self._language.bare_methods else None
        names = read_members(self._text.slice((last.end, use.end))) if last else ()
        return (last.value, names) if last and names else None

    def _called_again(self, use: NameUse) -> Value:
        """Return the last call's result, which is itself called: `make()()`."""
        if use.start not in self._last_calls or not use.written.endswith(")"):
            return UNKNOWN
        return self._result_of_last(use)

    def _receiver(self, use: NameUse, expression: Expression, scope: Scope) -> Value:
        """Return the result of the last call in the expression, at its start or in brackets."""
        if expression.is_cast:
            value = self._resolver.resolve_path(expression.path, scope, use.start, role=TYPE)
            is_builtin = value.binding is FREE and value.root in self._language.builtins  # any
            return UNKNOWN if is_builtin else as_instance(value)
        if use.start in self._last_calls and expression.is_of_call:
            return self._result_of_last(use)
        if not expression.path:
            return UNKNOWN
        calls = self._calls.get(use.start + expression.offset, ())
        if sum(end < use.end for end in calls[:2]) != 1:
            return UNKNOWN
        role = TYPE if expression.is_new else CALLEE
        value = self._resolver.resolve_path(expression.path, scope, use.start, role=role)
        if expression.is_new and self._language.constructed_keyword and value.access is PATH:
            return as_instance(value)
        return self._result_of(value, self._resolver.is_constructed(expression.path, value))

    def _result_of_last(self, use: NameUse) -> Value:
        last = self._last_calls[use.start]
        return self._result_of(last.value, last.is_constructed)

    def _result_of(self, value: Value, is_constructed: bool) -> Value:
        is_super = value.access is BASE and not value.member  # super()
        return value if is_constructed or is_super else self._resolver.result_of(value)

    def _is_wanted(self, use: NameUse, value: Value) -> bool:
        kind = use.kind
        if value.binding is FREE and value.root in self._language.builtins:
            is_member = self._extensions.is_builtin_member(value)
            return kind is _CALL and (is_member or self._extensions.may_be_given(value))
        if kind is _ELEMENT and value.binding is FREE and not value.chain:
            return not value.root[:1].islower()
        if kind is _VALUE:
            return self._is_definition_or_import(value) or (
                use.is_passed and self._is_passed_member(value)
            )
        return True

    def _is_definition_or_import(self, value: Value) -> bool:
        """Whether the value is a function or class, or imported."""
        if value.binding is IMPORT:
            return value.access is PATH
        if value.binding is FREE:
            return value.access is PATH and self._is_shared(value)
        if value.binding is not LOCAL or value.access is RESULT:
            return False
        path = [value.root, *value.chain, value.member]
        return self._resolver.tree.definitions.get(".".join(filter(None, path))) in BINDABLE_KINDS

    def _is_passed_member(self, value: Value) -> bool:
        """Whether a member that is passed may be a method: this file does not define it as data."""
        path = [value.root, *value.chain, *filter(None, (value.member,))]
        if path[-1] in self._language.self_names:  # Swift's `Session.self`
            return False
        is_known = ".".join(path) in self._resolver.tree.definitions
        return value.binding is not LOCAL or not is_known

    def _is_shared(self, value: Value) -> bool:
        """Whether another file may define the value without an import."""
        language = self._language
        is_member = bool(value.chain) and value.root[:1].isupper()
        if language.package_visible_functions and not value.chain:
            return True
        return language.open_modules or (language.package_visible_types and is_member)

    def _reference(
        self,
        use: NameUse,
        expression: Expression | None,
        value: Value,
        name: str,
        scope: Scope,
    ) -> Reference:
        line, column = (
            self._text.position_of_last(expression.display_name, use.written, use.end)
            if expression is not None and expression.display_name != ELEMENT
            else self._text.position(use.end - 1)
        )
        return Reference(
            self._kind(use.kind, expression, value),
            name[:NAME_CHARACTERS],
            value.binding,
            value.root[:NAME_CHARACTERS],
            ".".join(value.chain)[:NAME_CHARACTERS],
            value.access,
            self._caller(use, scope),
            line,
            column,
        )

    def _kind(
        self, kind: ReferenceKind, expression: Expression | None, value: Value
    ) -> ReferenceKind:
        last = expression.path[-1] if expression and expression.path else ""
        if last in self._language.function_givers and last not in (*value.chain, value.member):
            return _VALUE
        return _NEW if last in self._constructors and not value.member else kind

    def _caller(self, use: NameUse, scope: Scope) -> str:
        if use.kind is _INHERIT:
            return scope.class_name
        if use.kind is _DECORATE:
            return self._decorated(self._decorator_around(use.start)) or scope.owner
        return scope.owner

    def _decorator_around(self, offset: int) -> int:
        found = bisect_right(self._decorators, offset)
        return self._decorators[found - 1] if found else offset

    def _given(self, use: NameUse, reference: Reference) -> str:
        """Return what a decorator is called with: what the next one gives, or the definition."""
        parsed = self._parsed
        end = parsed.decorators.get(self._decorator_around(use.start), use.end)
        found = _BEFORE_DEFINITION.match(parsed.source, end)
        following = found.end() if found else end
        if following not in parsed.decorators:
            return reference.caller.rpartition(".")[2]
        inner = self._text.slice((following, parsed.decorators[following])).strip()
        return f"{inner[1:]}()" if _BARE.fullmatch(inner) else ""

    def _decorated(self, position: int) -> str:
        """Return the definition after the decorators at `position`; "" for an inner annotation."""
        parsed = self._parsed
        for _ in range(_MAX_DECORATORS):
            if position not in parsed.decorators:
                break
            position = parsed.decorators[position]
            found = _BEFORE_DEFINITION.match(parsed.source, position)
            position = found.end() if found else position
        return self._callers.get(position, "")
