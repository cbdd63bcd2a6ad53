"""The values that written types tell: of one class, of several, and of the parts of containers."""

from collections.abc import Iterable, Iterator
from itertools import chain

from indexer.languages.containers import PartPath
from indexer.limits import NAME_CHARACTERS
from indexer.records.references import Binding
from indexer.resolution.expression_reader import ExpressionReader
from indexer.resolution.scopes import NameBinding, Scope
from indexer.resolution.value import (
    FREE,
    IMPORT,
    INSTANCE,
    LOCAL,
    TYPE,
    UNKNOWN,
    Items,
    Value,
    WrittenType,
    as_instance,
)
from indexer.syntax.containers import read_parts
from indexer.syntax.definitions import CLASS_KINDS
from indexer.syntax.types import TypeName, bare_type, read_type, read_types, split_type


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
        read = read_type(text, self._wrappers)
        value = UNKNOWN
        if read is not None:
            value = self._of_name(read, scope, offset, excluding)
        return self._with_parts(value, text, scope, offset)

    def instances(self, text: str, scope: Scope, offset: int) -> list[Value]:
        """Return instances of the written type, one for each member of a union."""
        types = read_types(text, self._wrappers)
        found = [self._of_name(read, scope, offset, None) for read in types]
        if len(found) > 1:
            return found
        return [self._with_parts(found[0] if found else UNKNOWN, text, scope, offset)]

    def part(self, value: Value, name: str) -> Value | None:
        """Return the part of this name of a container; None if its type has no such part."""
        written = value.written
        if written is None:
            return None
        taken = (*written.taken, name)
        has_more = False
        for path, text in self._paths(written):
            if path == taken:
                if isinstance(written, Items):
                    return written.each
                return self.instance(text, written.scope, written.offset)
            has_more = has_more or path[: len(taken)] == taken
        if not has_more:
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
        known = [one for one in dict.fromkeys(found) if self._is_visible_class(one)]
        if len(known) < 2:
            return known[0] if known else UNKNOWN
        names = dict.fromkeys("/".join((one.root, *one.chain)) for one in known)
        root = f"<{' | '.join(names)}>".replace(".", "/")[:NAME_CHARACTERS]
        self.unions.setdefault(root, {}).update(dict.fromkeys(known, offset))
        return Value(LOCAL, root, (), INSTANCE)

    def _is_visible_class(self, value: Value) -> bool:
        if value.binding is Binding.UNKNOWN or value.access is not INSTANCE:
            return False
        return not self._is_builtin(value)

    def _is_builtin(self, value: Value) -> bool:
        return value.binding is FREE and value.root in self._resolver.language.builtins
