"""Scopes of a file: the names bound in each, and the scopes around a position."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS, OutlineEntry
from indexer.syntax.parser import QueryMatch
from indexer.syntax.trees import ByteRange

MAX_SCOPE_DEPTH: Final = 64
MAX_BINDINGS: Final = 100  # of one name in one scope: each look-up may read all of them

_CLASS_LIKE = CLASS_KINDS | {"scope"}
_ENCLOSING = CLASS_KINDS | FUNCTION_KINDS
BLOCK: Final = "block"
ANONYMOUS_FUNCTION: Final = "anonymous function"
_SCOPE_KINDS = {"scope": BLOCK, "scope.function": ANONYMOUS_FUNCTION}
_HAS_SCOPE = _ENCLOSING | {"scope", "module", "namespace"}


class ValueSource(Enum):
    """The way in which the value of a local name is known."""

    UNKNOWN = auto()
    TYPE = auto()  # an instance of the written type
    NEW = auto()  # an instance of the constructed class
    CALL = auto()  # the result of calling the expression
    ALIAS = auto()  # the same as the expression
    CLASS = auto()  # the class around the method, unless the written type is another class
    ITEMS = auto()  # what iterating over the expression gives
    LITERAL = auto()  # a literal of items
    TYPE_PARAMETER = auto()  # without a bound


@dataclass(slots=True, eq=False)
class NameBinding:
    """One binding of a name: a definition's bytes, or those of the name itself.

    A definition has its qualified name and kind; so has a local variable of a module or class,
    with kind "". An import has the record's `local` name. `steps` lead from the value of `text` to
    that of the name, such as the place in a tuple. It does not hold in the call before `since`
    whose result it gets, and with `until` it holds to that offset only. Of a parameter,
    `parameters` is where these begin. Of a call whose result it holds, the callee ends at
    `callee_end`. `is_again`: it is assigned, not declared, maybe in a function `inside` the scope.
    """

    start: int
    end: int
    scope: "Scope"
    qualified: str = ""
    kind: str = ""
    imported: str = ""
    source: ValueSource = ValueSource.UNKNOWN
    text: str = ""
    steps: tuple[str, ...] = ()
    since: int = 0
    until: int = 0
    parameters: int = -1
    callee_end: int = 0
    inside: "Scope | None" = None
    is_again: bool = False


@dataclass(slots=True, eq=False)
class Scope:
    """A range of the file in which names are bound.

    `owner` is the qualified name of the innermost function, method or class, `class_name` that of
    the innermost class (or implemented type), `prefix` that of all enclosing definitions. `kind` is
    a definition's, BLOCK or ANONYMOUS_FUNCTION. `is_outside`: a method that is defined outside of
    its class, as in Go and C++.
    """

    start: int
    end: int
    parent: "Scope | None" = None
    kind: str = ""
    is_class: bool = False
    is_outside: bool = False
    owner: str = ""
    class_name: str = ""
    prefix: str = ""
    names: dict[str, list[NameBinding]] = field(default_factory=dict)


class ScopeTree:
    """The scopes of one file. Offsets must be looked up in ascending order, see `at`."""

    def __init__(
        self,
        outlined: Sequence[OutlineEntry],
        scopes: Iterable[QueryMatch],
        *,
        module_methods: bool,
    ) -> None:
        self.root = Scope(-1, 1 << 62)
        self.definitions: dict[str, str] = {}
        self.members: dict[str, dict[str, list[NameBinding]]] = {}
        self.narrowed: set[str] = set()  # paths
        self.alternatives: set[str] = set()  # members whose type is one of several, by the build
        self.called_classes: dict[str, int] = {}  # whose call is one of a member of an object
        self._class_like = _CLASS_LIKE | {"module"} if module_methods else _CLASS_LIKE
        self._bound: list[dict[str, list[NameBinding]]] = []
        self.scopes = self._build(outlined, scopes)

    def at(self, offsets: Iterable[int]) -> list[Scope]:
        """Return the innermost scope of each of the ascending offsets."""
        found, stack, position = [], [self.root], 0
        for offset in offsets:
            while position < len(self.scopes) and self.scopes[position].start <= offset:
                scope = self.scopes[position]
                while stack[-1].end <= scope.start:
                    stack.pop()
                stack.append(scope)
                position += 1
            while stack[-1].end <= offset:
                stack.pop()
            found.append(stack[-1])
        return found

    def _build(
        self, outlined: Sequence[OutlineEntry], matches: Iterable[QueryMatch]
    ) -> list[Scope]:
        spans: list[tuple[int, int, str, OutlineEntry | None]] = [
            (
                outline_entry.definition.start_byte,
                outline_entry.definition.end_byte,
                outline_entry.kind,
                outline_entry,
            )
            for outline_entry in outlined
        ]
        spans += [
            (*mark, _SCOPE_KINDS[label], None)
            for match in matches
            for label, mark in match.items()
            if label in _SCOPE_KINDS
        ]
        spans.sort(key=lambda span: (span[0], -span[1], span[3] is None))
        scopes: list[Scope] = []
        stack = [self.root]
        for start, end, kind, outline_entry in spans:
            while stack[-1].end <= start:
                stack.pop()
            if outline_entry is not None:
                self._define(outline_entry, stack[-1])
            if (outline_entry is None or outline_entry.kind in _HAS_SCOPE) and len(
                stack
            ) < MAX_SCOPE_DEPTH:
                scope = self._scope(start, end, kind, outline_entry, stack[-1])
                scopes.append(scope)
                stack.append(scope)
        return scopes

    def _scope(
        self, start: int, end: int, kind: str, outlined: OutlineEntry | None, parent: Scope
    ) -> Scope:
        scope = Scope(
            start, end, parent, kind, False, False, parent.owner, parent.class_name, parent.prefix
        )
        if outlined is None:
            if parent.kind in FUNCTION_KINDS and parent.end == end:  # `f = () => {}`
                scope.kind = BLOCK
            return scope
        scope.prefix = outlined.qualified_name
        if outlined.kind in _ENCLOSING and outlined.name:
            scope.owner = outlined.qualified_name
        if outlined.kind in self._class_like:
            scope.is_class, scope.class_name = True, outlined.qualified_name
            scope.names = self.members.setdefault(outlined.qualified_name, scope.names)
        elif outlined.prefix != parent.prefix and _is_method_of_prefix(outlined, parent):
            scope.class_name, scope.is_outside = (
                outlined.prefix,
                outlined.prefix != parent.class_name,
            )
        return scope

    def _define(self, outlined: OutlineEntry, scope: Scope) -> None:
        if not outlined.name or outlined.kind in ("scope", "namespace"):
            return
        qualified = outlined.qualified_name
        self.definitions.setdefault(qualified, outlined.kind)
        name = NameBinding(
            outlined.definition.start_byte,
            outlined.definition.end_byte,
            scope,
            qualified,
            outlined.kind,
        )
        if outlined.prefix == scope.prefix:
            if outlined.definition.member:
                return
            names = scope.names
        else:
            names = self.members.setdefault(outlined.prefix, {})
        _add(names, outlined.name, name)

    def bind(self, name: str, bound: NameBinding) -> None:
        """Add a local or an import. `merge_bindings` must follow the last one."""
        scope = bound.scope
        if not bound.imported and (scope.parent is None or scope.is_class):
            bound.qualified = f"{scope.prefix}.{name}" if scope.prefix else name
        _add(scope.names, name, bound)
        self._bound.append(scope.names)

    def narrow(self, path: str, bound: NameBinding) -> None:
        """Give a path in a function another type from here on: `assert isinstance(a.b, B)`."""
        if bound.scope.parent is not None and not bound.scope.is_class:
            self.narrowed.add(path)
            _add(bound.scope.names, path, bound)
            self._bound.append(bound.scope.names)

    def bind_field(self, name: str, bound: NameBinding) -> None:
        """Add a field to the class around its assignment, if any."""
        names = self.members.get(bound.scope.class_name)
        if names is not None:
            bound.qualified = f"{bound.scope.class_name}.{name}"
            _add(names, name, bound)
            self._bound.append(names)

    def bind_member(self, owner: str, name: str, bound: NameBinding) -> None:
        """Add a member to an object that a variable at the top of a module or file holds."""
        if bound.scope.parent is None or bound.scope.kind == "module":
            prefix = bound.scope.prefix
            owner = f"{prefix}.{owner}" if prefix else owner
            bound.qualified = f"{owner}.{name}"
            names = self.members.setdefault(owner, {})
            _add(names, name, bound)
            self._bound.append(names)

    def release(self) -> None:
        """Drop all bindings: they refer to the scopes that have them."""
        for names in (
            self.root.names,
            *(scope.names for scope in self.scopes),
            *self.members.values(),
        ):
            names.clear()

    def bound_names(self) -> Iterable[dict[str, list[NameBinding]]]:
        """Return the bindings that were added, by name, of each scope and class."""
        return {id(names): names for names in self._bound}.values()

    def merge_bindings(self, fallbacks: Sequence[ByteRange]) -> None:
        """Sort the bindings of each name, and merge several matches of one binding.

        `fallbacks` are the ascending ranges of code for when something else failed. What such code
        binds holds in it alone, if the name has a known value besides.
        """
        for names in self.bound_names():
            for name, several in names.items():
                if len(several) > 1:
                    names[name] = _merged(several)
                    if fallbacks:
                        _limit_fallbacks(names[name], fallbacks)


def _is_method_of_prefix(outlined: OutlineEntry, parent: Scope) -> bool:
    """Whether a function's own object is what its prefix names.

    An arrow function in an object that a field holds has the object of the class around it.
    """
    is_lexical = outlined.definition.member and outlined.definition.kind == "function"
    return outlined.kind in FUNCTION_KINDS and not (is_lexical and parent.is_class)


def _add(names: dict[str, list[NameBinding]], name: str, bound: NameBinding) -> None:
    known = names.setdefault(name, [])
    if len(known) < MAX_BINDINGS:
        known.append(bound)


def _merged(names: list[NameBinding]) -> list[NameBinding]:
    merged: list[NameBinding] = []
    for name in sorted(names, key=lambda name: (name.start, not name.kind)):
        known = merged[-1] if merged else None
        if known is not None and not name.kind and name.start < known.end and not name.until:
            _enrich(known, name)
        else:
            merged.append(name)
    return merged


def _limit_fallbacks(names: Sequence[NameBinding], fallbacks: Sequence[ByteRange]) -> None:
    ends = [_end_around(name.start, fallbacks) for name in names]
    if any(not end and _is_known(name) for name, end in zip(names, ends, strict=True)):
        for name, end in zip(names, ends, strict=True):
            if name.imported or name.kind or name.source is ValueSource.UNKNOWN:
                name.until = name.until or end


def _end_around(offset: int, ranges: Sequence[ByteRange]) -> int:
    """Return the end of the last range that begins before an offset, if it is in it; else 0."""
    found = bisect_right(ranges, (offset, 1 << 62))
    end = ranges[found - 1][1] if found else 0
    return end if offset < end else 0


def _is_known(name: NameBinding) -> bool:
    return bool(name.imported) or name.kind in _ENCLOSING or name.source is not ValueSource.UNKNOWN


def _enrich(known: NameBinding, match: NameBinding) -> None:
    """Merge a match into a known binding.

    A function keeps its meaning. An import takes precedence over a type, a type over a value.
    """
    if known.kind in _ENCLOSING:
        return
    if match.imported:
        known.imported = match.imported
    elif match.source is not ValueSource.UNKNOWN and known.source is not ValueSource.TYPE:
        known.source, known.text, known.steps = match.source, match.text, match.steps
        known.since, known.callee_end = match.since, match.callee_end


def visible_binding(
    names: Sequence[NameBinding], offset: int, excluding: NameBinding | None
) -> NameBinding | None:
    """Return the binding that is visible at an offset: the last before it, else the first."""
    first = None
    for name in reversed(names):
        if name is not excluding and not name.start < offset < name.since:
            if name.start < offset:
                if not name.until or offset < name.until:
                    return name
            elif not name.until:
                first = name
    return first


def enclosing_classes(scope: Scope | None) -> list[str]:
    """Return the classes that enclose a scope, each once, innermost first."""
    found: dict[str, None] = {}
    while scope is not None:
        if scope.class_name:
            found[scope.class_name] = None
        scope = scope.parent
    return list(found)


def is_in_anonymous_class(scope: Scope | None) -> bool:
    """Whether a method around the scope is nested in another method: its class is anonymous."""
    inner = ""
    while scope is not None and not scope.is_class:
        if inner == "method" and scope.kind in FUNCTION_KINDS:
            return True
        inner = scope.kind if scope.kind in FUNCTION_KINDS else inner
        scope = scope.parent
    return False


def is_in_function(scope: Scope | None) -> bool:
    """Whether a function encloses a scope, or is it."""
    while scope is not None and scope.kind not in FUNCTION_KINDS:
        scope = scope.parent
    return scope is not None


def enclosing_module(root: str, scope: Scope | None) -> Scope | None:
    """Return the scope of `self::` or `super`, if a module of the file encloses the scope."""
    while scope is not None and scope.kind != "module":
        scope = scope.parent
    if scope is None or not root.startswith("s"):  # `crate` is hardly ever this file
        return None
    return scope if root == "self::" else scope.parent
