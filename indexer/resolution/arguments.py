"""What a call outside of the file, or a generic type, is given: classes and functions by name.

They are TYPE references of parts of the definition that holds the result: `Account.owner.(0)` and
`Account.owner.(to)` of `owner = ForeignKey(User, …)`, `Users.<Repository>.0` of a class with the
base `Repository<User>`. Central decides what they tell.
"""

import re
from collections.abc import Iterator
from typing import Final

from indexer.limits import CALL_ARGUMENTS_CHARACTERS
from indexer.records.references import Access, Binding
from indexer.resolution.resolver import Resolver
from indexer.resolution.scopes import NameBinding, Scope
from indexer.resolution.value import TYPE, VALUE, Value, as_instance
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS
from indexer.syntax.expressions import read_arguments
from indexer.syntax.source_text import SourceText
from indexer.syntax.types import generic_arguments

_KEYWORD: Final = re.compile(r"\s*(\w+)\s*=(?!=)\s*(.*)", re.DOTALL)
_CALLEE: Final = re.compile(r"[\w.]+(?=\()")
_QUOTED: Final = re.compile(r"[\"']([A-Za-z_]\w*)[\"']")
_TYPE_PARAMETER: Final = re.compile(r"[A-Z]\d?")
_CLASS_NAME: Final = re.compile(r"_*[A-Z]\w*[a-z]")
_NAMED_KINDS: Final = CLASS_KINDS | FUNCTION_KINDS
_MAX_DEPTH: Final = 2  # of calls in calls


def call_arguments(
    name: NameBinding, value: Value, resolver: Resolver, text: SourceText
) -> Iterator[tuple[str, Value]]:
    """Yield what the call is given whose result a name holds, if it is one of an import."""
    if value.access is not Access.RESULT or value.binding is not Binding.IMPORT:
        return
    start = name.callee_end
    written = text.slice((start, start + CALL_ARGUMENTS_CHARACTERS))
    if written.startswith("("):
        yield from _arguments(name.qualified, written, name, resolver)


def type_arguments(
    owner: str, written: str, scope: Scope, offset: int, resolver: Resolver
) -> Iterator[tuple[str, Value]]:
    """Yield the arguments of a generic type, unless the language itself has it."""
    language = resolver.language
    head, arguments = generic_arguments(written)
    if head in language.containers or head in language.wrapper_types or head in language.builtins:
        return
    for place, argument in enumerate(arguments):
        if not _TYPE_PARAMETER.fullmatch(argument) and argument not in language.builtins:
            value = resolver.types.instance(argument, scope, offset)
            if value.binding is not Binding.FREE or value.root[:1].isupper():
                yield f"{owner}.<{head}>.{place}", value


def _arguments(
    owner: str, written: str, name: NameBinding, resolver: Resolver, depth: int = 1
) -> Iterator[tuple[str, Value]]:
    for place, argument in enumerate(read_arguments(written, 0)[0]):
        keyword = _KEYWORD.fullmatch(argument)
        part = f"{owner}.({keyword[1] if keyword else place})"
        given = (keyword[2] if keyword else argument).strip()
        callee = _CALLEE.match(given)
        if callee is None:
            value = _named(given, name, resolver)
            if value is not None:
                yield part, value
        elif depth < _MAX_DEPTH:
            value = resolver.call_result(callee[0], name.scope, name.start, name)
            if value.binding is Binding.IMPORT and not value.member:
                yield part, value
                yield from _arguments(part, given[callee.end() :], name, resolver, depth + 1)


def _named(given: str, name: NameBinding, resolver: Resolver) -> Value | None:
    """Return the class or function that an argument names, also in quotes."""
    quoted = _QUOTED.fullmatch(given)
    path = quoted[1] if quoted else given
    if not all(part.isidentifier() for part in path.split(".")):
        return None
    if quoted and path in resolver.language.self_names:
        return as_instance(Value(Binding.LOCAL, name.scope.class_name))
    role = TYPE if quoted else VALUE
    value = resolver.resolve_path(path.split("."), name.scope, name.start, name, role)
    if value.access is not Access.PATH or value.binding is Binding.UNKNOWN:
        return None
    full = ".".join((value.root, *value.chain))
    if value.binding is Binding.LOCAL:
        return value if resolver.tree.definitions.get(full) in _NAMED_KINDS else None
    is_class = _CLASS_NAME.match(full.rpartition(".")[2]) is not None
    return value if value.binding is Binding.IMPORT and is_class else None
