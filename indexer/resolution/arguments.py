"""What a call outside of the file, or a generic type, is given: classes and functions by name.

They are TYPE references of parts of the definition that holds the result: `Account.owner.(0)` and
`Account.owner.(to)` of `owner = ForeignKey(User, …)`, `Users.<Repository>.0` of a class with the
base `Repository<User>`. Central decides what they tell. What a function gives is a definition of
its own, `<find(0=User)>`: a local variable that holds it is none.
"""

import re
from collections.abc import Iterator
from typing import Final

from indexer.records.files import NAME_CHARACTERS, VALUE_KINDS
from indexer.records.references import Access, Binding
from indexer.resolution.expression_reader import ExpressionReader
from indexer.resolution.scopes import NameBinding, Scope
from indexer.resolution.value import TYPE, VALUE, Value, as_instance
from indexer.resolution.written_types import WrittenTypes
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS
from indexer.syntax.expressions import last_name, read_arguments
from indexer.syntax.source_text import SourceText
from indexer.syntax.types import closing_bracket, generic_arguments

CALL_ARGUMENTS_CHARACTERS: Final = 1_000  # of a call that are read for what it is given
_KEYWORD: Final = re.compile(r"\s*(?:(\w+)\s*(?:=(?![=>])|:(?!:))|:(\w+)\s*=>)\s*(.*)", re.DOTALL)
_COMMAND: Final = re.compile(r" (?:[^\n]*,\s*\n)*[^\n]*")  # of Ruby: a call without brackets
_SYMBOL: Final = ".:"  # before the last name
# A function without parameters counts as what it gives.
_CALLEE: Final = re.compile(r"(?:\(\s*\)\s*=>\s*|lambda\s*:\s*)?(new\s+)?([\w.]+)(?=\()")
# A module that is loaded when it is asked for: its `default`, or what stands for that.
_LOADED: Final = re.compile(
    r"\(\s*\)\s*=>\s*(import\([^()]*\))"
    r"(?:\s*\.then\(\s*\(?(\w+)\)?\s*=>\s*\(\{\s*default:\s*\2\.(\w+),?\s*\}\)\s*,?\s*\))?"
)
_QUOTED: Final = re.compile(r"[\"'](?:::)?([A-Za-z_]\w*(?:::\w+)*)[\"']")
_TYPE_PARAMETER: Final = re.compile(r"[A-Z]\d?")
CLASS_NAME: Final = re.compile(r"_*[A-Z]\w*[a-z]")
_NAMED_KINDS: Final = CLASS_KINDS | FUNCTION_KINDS
_MAX_DEPTH: Final = 2  # of calls in calls

Part = tuple[str, Value]  # by name, which begins with a dot


class OutsideCalls:
    """The calls of a file of functions outside that are given a class; `found` by their names."""

    def __init__(self, resolver: ExpressionReader, types: WrittenTypes, text: SourceText) -> None:
        self._resolver = resolver
        self._types = types
        self._text = text
        self._values: dict[NameBinding, Value] = {}
        self._parts: dict[NameBinding, list[Part]] = {}
        self.found: dict[str, tuple[NameBinding, Value, list[Part]]] = {}

    def value(self, name: NameBinding, value: Value) -> Value:
        """Return the value of a name as that of the call, if a function outside was called."""
        if value.access is not Access.RESULT or value.binding is not Binding.IMPORT:
            return value
        if name not in self._values:
            self._values[name] = value  # while its arguments are read
            self._values[name] = self._of_call(name, value)
        return self._values[name]

    def arguments(self, name: NameBinding, value: Value) -> list[Part]:
        """Return what the call is given whose result a name holds, if it is one of an import.

        Or one of a method that is not the file's own, and makes a member of a symbol.
        """
        is_outside = value.binding is Binding.IMPORT or (
            value.binding is Binding.FREE and _SYMBOL in name.qualified
        )
        if value.access is not Access.RESULT or not is_outside:
            return []
        if name not in self._parts:
            self._parts[name] = self._read_arguments(name)
        return self._parts[name]

    def _read_arguments(self, name: NameBinding) -> list[Part]:
        start = name.callee_end
        written = self._text.slice((start, start + CALL_ARGUMENTS_CHARACTERS)) if start else ""
        end = closing_bracket(written) if written.startswith("<") else 0
        generic = f"{last_name(name.text)}{written[:end]}" if end > 0 else ""
        parts = list(self.type_arguments(generic, name.scope, name.start))
        if end >= 0 and written[end:].startswith("("):
            parts += _arguments("", written[end:], name, self._resolver)
        elif self._resolver.language.calls_without_parentheses and (
            command := _COMMAND.match(written)
        ):
            parts += _arguments("", f"({command[0]})", name, self._resolver)
        return parts

    def type_arguments(self, written: str, scope: Scope, offset: int) -> Iterator[Part]:
        """Yield the arguments of a generic type, unless the language itself has it."""
        language = self._resolver.language
        head, arguments = generic_arguments(written)
        if head in language.containers or head in language.wrapper_types:
            return
        for place, argument in enumerate(arguments):
            if not _TYPE_PARAMETER.fullmatch(argument) and argument not in language.builtins:
                value = self._types.instance(argument, scope, offset)
                is_class = value.binding is not Binding.FREE or value.root[:1].isupper()
                if is_class or value.written is not None:
                    yield f".<{head}>.{place}", value

    def _of_call(self, name: NameBinding, value: Value) -> Value:
        path = (*value.root.split("."), *value.chain)
        if not path[-1][:1].islower() or len(name.steps) > 1:
            return value
        parts = self.arguments(name, value)
        if not parts:
            return value
        given = ", ".join(
            f"{part.strip('.()')}={'/'.join((held_value.root, *held_value.chain))}"
            for part, held_value in parts
        )
        root = f"<{'/'.join(path)}({given})>".replace(".", "/")[:NAME_CHARACTERS]
        self.found.setdefault(root, (name, value._replace(member=""), parts))
        return Value(Binding.LOCAL, root, (), Access.INSTANCE, value.member)


def _arguments(
    owner: str, written: str, name: NameBinding, resolver: ExpressionReader, depth: int = 1
) -> Iterator[Part]:
    for place, argument in enumerate(read_arguments(written, 0)[0]):
        keyword = _KEYWORD.fullmatch(argument)
        part = f"{owner}.({(keyword[1] or keyword[2]) if keyword else place})"
        given = (keyword[3] if keyword else argument).strip()
        callee = None if _LOADED.fullmatch(given) else _CALLEE.match(given)
        if callee is None:
            value = _named(given, name, resolver)
            if value is not None:
                yield part, value
        elif depth < _MAX_DEPTH:
            value = _called(callee, name, resolver)
            if value.binding in (Binding.IMPORT, Binding.LOCAL) and not value.member:
                yield part, value
                yield from _arguments(part, given[callee.end() :], name, resolver, depth + 1)


def _called(callee: re.Match[str], name: NameBinding, resolver: ExpressionReader) -> Value:
    if callee[1]:
        path = callee[2].split(".")
        return as_instance(resolver.resolve_path(path, name.scope, name.start, name, TYPE))
    return resolver.call_result(callee[2], name.scope, name.start, name)


def _named(given: str, name: NameBinding, resolver: ExpressionReader) -> Value | None:
    """Return the class or function that an argument names, also in quotes."""
    if loaded := _LOADED.fullmatch(given):
        return Value(Binding.IMPORT, loaded[1], (loaded[3] or "default",))
    quoted = _QUOTED.fullmatch(given)
    path = quoted[1].replace("::", ".") if quoted else given
    if not all(part.isidentifier() for part in path.split(".")):
        return None
    if quoted and path in resolver.language.self_names:
        return as_instance(Value(Binding.LOCAL, name.scope.class_name))
    role = TYPE if quoted else VALUE
    value = resolver.resolve_path(path.split("."), name.scope, name.start, name, role)
    if value.access is not Access.PATH or value.binding is Binding.UNKNOWN:
        return None
    full = value.path
    is_class = CLASS_NAME.match(full.rpartition(".")[2]) is not None
    if value.binding is Binding.LOCAL:
        kind = resolver.tree.definitions.get(full)
        return value if kind in _NAMED_KINDS or (is_class and kind in VALUE_KINDS) else None
    is_outside = value.binding is Binding.IMPORT or resolver.language.open_modules
    return value if is_outside and is_class else None
