"""The values that written types tell: of one class, of several, and of the parts of containers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from indexer.languages.base import PartPath, is_name
from indexer.records.files import NAME_CHARACTERS
from indexer.records.references import CALLED, ELEMENT, NAMED, OF_EVERY_OBJECT, Binding
from indexer.resolution.expression_reader import ExpressionReader
from indexer.resolution.scopes import NameBinding, Scope
from indexer.resolution.value import (
    FREE,
    IMPORT,
    INSTANCE,
    LOCAL,
    PATH,
    RESULT,
    TYPE,
    UNKNOWN,
    Items,
    Value,
    WrittenType,
    as_instance,
    member_value,
)
from indexer.syntax.containers import read_parts
from indexer.syntax.definitions import CLASS_KINDS
from indexer.syntax.expressions import MAX_EXPRESSION_CHARACTERS
from indexer.syntax.types import TypeName, bare_type, read_type, read_types, split_type

# What is taken of a type: `Shape["items"][number]`. The brackets of an array are empty.
_TAKEN: Final = re.compile(r"([\w$.]+(?:<(?:=>|[^<>]|<(?:=>|[^<>])*>)*>)?)((?:\[[^\[\]]+\])+)")
_KEY: Final = re.compile(r"\[\s*[\"']?([\w$]+)[\"']?\s*\]")


class WrittenTypes:
    """A reader of types for a resolver; `unions` are those it met, with their classes.

    A union of several classes is a definition of the file that has several types.
    """

    def __init__(self, resolver: ExpressionReader) -> None:
        self._resolver = resolver
        self._wrappers = resolver.language.wrapper_types
        self._containers = resolver.language.containers
        self.unions: dict[str, dict[Value, int]] = {}

    def instance(
        self, text: str, scope: Scope, offset: int, excluding: NameBinding | None = None
    ) -> Value:
        """Return an instance of the written type."""
        if "|" in text or "Union" in text or text[:1] == "(":
            return self._of_several(text, scope, offset)
        taken = self._taken(text)
        if taken is not None:
            return self._part_of(taken, scope, offset)
        read = read_type(self._without_taken(text), self._wrappers)
        value = UNKNOWN
        if read is not None:
            value = self._of_name(read, scope, offset, excluding)
        return self._with_parts(value, text, scope, offset)

    def instances(self, text: str, scope: Scope, offset: int) -> list[Value]:
        """Return instances of the written type, one for each member of a union."""
        taken = self._taken(text)
        if taken is not None:
            return [self._part_of(taken, scope, offset)]
        types = read_types(self._without_taken(text), self._wrappers)
        found = [self._of_name(read, scope, offset, None) for read in types]
        if len(found) > 1:
            return found
        return [self._with_parts(found[0] if found else UNKNOWN, text, scope, offset)]

    def part(self, value: Value, name: str) -> Value | None:
        """Return the part of this name of a container; None if its type has no such part."""
        written = value.written
        if written is None:
            return None
        containers, before = self._containers, written.taken
        called = before[-1] if name == CALLED and before else ""
        if called in containers.same_methods:
            member = before[-2] if before[1:] else ""
            return value._replace(member=member, written=written._replace(taken=before[:-1]))
        taken = (*before[:-1], ELEMENT) if called in containers.item_methods else (*before, name)
        paths = dict(self._paths(written))
        is_any = is_name(name) and name not in OF_EVERY_OBJECT
        found = taken if taken in paths or not is_any else (*before, NAMED)
        if found in paths:
            if isinstance(written, Items):
                return written.each
            return self.instance(paths[found], written.scope, written.offset)
        is_method = name in containers.same_methods or name in containers.item_methods
        if not is_method and all(path[: len(taken)] != taken for path in paths):
            return None
        return value._replace(member=name, written=written._replace(taken=taken))

    def parts(self, value: Value) -> Iterator[tuple[PartPath, Value]]:
        """Yield all parts of a container."""
        written = value.written
        if isinstance(written, Items):
            yield from ((path, written.each) for path in sorted(written.paths))
            return
        if written is None or written.taken:
            return
        for path, text in read_parts(written.text, self._containers, self._wrappers):
            yield path, self.instance(text, written.scope, written.offset)

    def _taken(self, text: str) -> re.Match[str] | None:
        """Split what is taken of a type, `Shape["items"]`, into the type and the rest."""
        return _TAKEN.fullmatch(bare_type(text)) if self._may_take(text) else None

    def _without_taken(self, text: str) -> str:
        """Return the text of a type, in which what is taken of others is unknown."""
        return _TAKEN.sub("unknown", text) if self._may_take(text) else text

    def _may_take(self, text: str) -> bool:
        is_short = len(text) <= MAX_EXPRESSION_CHARACTERS
        is_indexed = is_short and "]" in text.replace("[]", "")
        return is_indexed and "Array" in self._containers

    def _part_of(self, taken: re.Match[str], scope: Scope, offset: int) -> Value:
        value = self.instance(taken[1], scope, offset)
        for key in _KEY.finditer(taken[2]):
            is_written = key[1] == "number" or key[0].strip("[ ]") != key[1] or key[1].isdigit()
            if value is UNKNOWN or not is_written:  # `Shape[Key]`
                return UNKNOWN
            part = self._resolver.member(value, ELEMENT if key[1] == "number" else key[1])
            value = member_value(part, INSTANCE) if part.member else part
        return value

    def _paths(self, written: WrittenType | Items) -> Iterable[tuple[PartPath, str]]:
        """Return the paths to a container's parts, each with the type that is written there."""
        if isinstance(written, Items):
            return ((path, "") for path in written.paths)
        return read_parts(written.text, self._containers, self._wrappers)

    def _of_name(
        self, read: TypeName, scope: Scope, offset: int, excluding: NameBinding | None
    ) -> Value:
        path = read.path
        if scope.class_name and path[-1] in self._resolver.language.class_names:
            path = path[-1:]  # typing.Self
        if path[-1] in self._resolver.language.unknown_types:
            return UNKNOWN
        value = self._resolver.resolve_path(path, scope, offset, excluding, TYPE)
        if value.access is RESULT and value.binding is IMPORT:  # T of `T = TypeVar("T")`
            variable = self._resolver.variable(path, scope, offset)
            value = value if variable is UNKNOWN else variable
        if value.binding is not IMPORT and self._is_own(path, scope):
            value = Value(LOCAL, scope.class_name, is_self=True)
        is_instance = value.is_self or value.written is not None  # `this`, an alias of a container
        if read.is_class_object or (value.access is INSTANCE and is_instance):
            return value
        if path[0] != value.root and self._is_builtin(value):
            return UNKNOWN  # T of `T extends object`
        return as_instance(value)

    def _is_own(self, path: tuple[str, ...], scope: Scope) -> bool:
        """Whether a type is a parameter for the class of a method's object: `self: T`."""
        language, definitions = self._resolver.language, self._resolver.tree.definitions
        if not scope.class_name or len(path) > 1 or definitions.get(path[0]) in CLASS_KINDS:
            return False
        names = (scope.names.get(own, ()) for own in language.self_names | language.class_names)
        types = (read_type(name.text, self._wrappers) for name in chain.from_iterable(names))
        return any(read is not None and read.path == path for read in types)

    def _with_parts(self, value: Value, text: str, scope: Scope, offset: int) -> Value:
        if not read_parts(text, self._containers, self._wrappers):
            return value
        if value is UNKNOWN:
            is_array = "Array" in self._containers and bare_type(text).endswith("]")
            value = Value(FREE, "Array", (), INSTANCE) if is_array else Value(Binding.UNKNOWN)
        return value._replace(written=WrittenType(text, scope, offset))

    def _of_several(self, text: str, scope: Scope, offset: int) -> Value:
        text = bare_type(text)
        if text[:1] == "(" and text[-1:] == ")":
            text = " | ".join(part.strip() for part in split_type(text[1:-1], ",") if part.strip())
        found = self.instances(text, scope, offset)
        if len(found) == 1:
            return found[0]
        known = [value for value in dict.fromkeys(found) if self._is_visible_class(value)]
        if len(known) < 2:
            return known[0] if known else UNKNOWN
        return self.one_of(known, offset)

    def one_of(self, values: Sequence[Value], offset: int) -> Value:
        """Return the value that is one of several: a definition with the types of all."""
        names = dict.fromkeys(_name(value) for value in values)
        root = f"<{' | '.join(names)}>".replace(".", "/")
        if len(root) > NAME_CHARACTERS:
            return UNKNOWN
        self.unions.setdefault(root, {}).update(dict.fromkeys(values, offset))
        is_path = all(value.access is PATH or value.member for value in values)
        return Value(LOCAL, root, (), PATH if is_path else INSTANCE)

    def _is_visible_class(self, value: Value) -> bool:
        if value.binding is Binding.UNKNOWN or value.access is not INSTANCE:
            return False
        return not self._is_builtin(value)

    def _is_builtin(self, value: Value) -> bool:
        return value.binding is FREE and value.root in self._resolver.language.builtins


def _name(value: Value) -> str:
    path = "/".join((value.root, *value.chain, *filter(None, (value.member,))))
    return f"{path}()" if value.access is RESULT else path
