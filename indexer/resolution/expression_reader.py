"""The values of written expressions of paths and calls, such as `next(iter(a.items)).b`."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from indexer.languages import ONE_ITEM, PAIRS, ItemShape, Language
from indexer.records.references import EACH
from indexer.resolution.scopes import NameBinding, Scope, ScopeTree
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
    Items,
    NameRole,
    Value,
    member_value,
)
from indexer.syntax.expressions import (
    MAX_EXPRESSION_CHARACTERS,
    read_arguments,
    read_calls,
    read_expression,
    read_literal_member,
)

_SAME_ITEMS: Final = re.compile(r"(\w+)\s+for\s+\1\s+in\s+(.+)", re.DOTALL)
_CLAUSE: Final = re.compile(r"\"[^\"\\\n]*\"|'[^'\\\n]*'|[()\[\]{}]|\s(?:if|for|async for)\s")
_KEY: Final = re.compile(r"(?:\"[^\"\\]*\"|'[^'\\]*'|[\w.]+)\s*:\s*(.+)", re.DOTALL)
_KEYWORD: Final = re.compile(r"\s*\w+\s*=(?!=)")

MAX_NESTING: Final = 8  # of comprehensions and calls over items


class ExpressionReader(ABC):
    """A reader of expressions for what resolves paths, members and results: `Resolver`."""

    __slots__ = ()

    language: Language
    tree: ScopeTree

    @abstractmethod
    def resolve_path(
        self,
        path: Sequence[str],
        scope: Scope,
        offset: int,
        excluding: NameBinding | None = None,
        role: NameRole = VALUE,
    ) -> Value:
        """Return the value of `path` at an offset. An unbound path is FREE."""

    @abstractmethod
    def member(self, value: Value, part: str, role: NameRole = VALUE) -> Value:
        """Return the member `part` of a value."""

    @abstractmethod
    def variable(self, path: Sequence[str], scope: Scope, offset: int) -> Value:
        """Return the variable at the top of the file or a class that a path names, or UNKNOWN."""

    @abstractmethod
    def result_of(self, value: Value) -> Value:
        """Return the result of calling a value."""

    def resolve_call(
        self,
        path: Sequence[str],
        scope: Scope,
        offset: int,
        excluding: NameBinding | None,
        role: NameRole,
    ) -> Value:
        """Return the result of calling `path`."""
        value = self.resolve_path(path, scope, offset, excluding, role)
        return value if self.is_constructed(path, value) else self.result_of(value)

    def is_constructed(self, path: Sequence[str], value: Value) -> bool:
        """Whether `value`, that of `path`, is an instance that the last name constructs."""
        if path[-1] not in self.language.constructor_names or value.member:
            return False
        has_class = len(path) > 1 or self.language.calls_without_parentheses
        return has_class and value.access is INSTANCE

    def call_result(
        self, text: str, scope: Scope, offset: int, excluding: NameBinding | None = None
    ) -> Value:
        """Return the result of calling the written expression."""
        read = read_expression(text)
        if read is None:
            return self._result_of_literal(text)
        if read.name:
            return self.result_of(self.of_calls(text, scope, offset, excluding))
        return self.resolve_call(read.path, scope, offset, excluding, CALLEE)

    def _result_of_literal(self, text: str) -> Value:
        """Return what a member of a literal gives, where others may add such: `"a".toPath()`."""
        sign, name = read_literal_member(text) or ("", "")
        root = self.language.literal_types.get(sign)
        return Value(FREE, root, (name,), RESULT) if root else UNKNOWN

    def expression(
        self,
        text: str,
        scope: Scope,
        offset: int,
        excluding: NameBinding | None = None,
        role: NameRole = VALUE,
    ) -> Value:
        """Return the value of the written expression, if it consists of paths and calls."""
        read = read_expression(text)
        if read is None and not text.endswith(")"):
            return UNKNOWN
        if read is None or read.name:
            return self.of_calls(text, scope, offset, excluding)
        return self.resolve_path(read.path, scope, offset, excluding, role)

    def of_calls(
        self, text: str, scope: Scope, offset: int, excluding: NameBinding | None = None
    ) -> Value:
        """Return the value of an expression of paths and calls, such as `a.b(x).c()`."""
        first, *rest = read_calls(text) or (None,)
        if first is None:
            return UNKNOWN
        value = self.of_keyword_call(text, scope, offset) or self._of_items(
            text, scope, offset, excluding
        )
        if value is None:
            role = TYPE if first.is_new else CALLEE
            value = self.resolve_call(first.path, scope, offset, excluding, role)
        for number, step in enumerate(rest, 1):
            for part in step.path:
                value = self.member(value, part)
            if number < len(rest):
                value = self.result_of(value)
        return value

    def of_keyword_call(self, text: str, scope: Scope, offset: int) -> Value | None:
        """Return what the leading call of a text gives if its language knows the function."""
        return self._base_after(text, scope, offset) or self._imported(text, scope, offset)

    def _imported(self, text: str, scope: Scope, offset: int) -> Value | None:
        """Return the module that a call imports in place: `require("acme.util").trim()`."""
        pattern = self.language.import_call
        found = pattern.match(text) if pattern else None
        if found is None:
            return None
        local = self.language.import_style.local_name(found[1], lambda _: True)
        return self.resolve_path((local,), scope, offset)

    def _base_after(self, text: str, scope: Scope, offset: int) -> Value | None:
        """Return a base of the class that `super` is given: `super(Middle, self).go()`."""
        name, bracket, _ = text.partition("(")
        language = self.language
        if not bracket or name not in language.super_names & language.builtins:
            return None
        arguments, _ = read_arguments(text, len(name))
        written = read_expression(arguments[0].strip()) if arguments else None
        if written is None or written.name:
            return None
        value = self.resolve_path(written.path, scope, offset)
        is_class = value.access is PATH and value.binding in (LOCAL, IMPORT)
        return value._replace(access=BASE, is_self=False) if is_class else None

    def items(self, text: str, scope: Scope, offset: int, excluding: NameBinding | None) -> Value:
        """Return what iterating over the written expression gives, also over some of its items."""
        for _ in range(MAX_NESTING):
            inner = text[1:-1] if text[:1] in {"(", "["} else text
            same = _SAME_ITEMS.fullmatch(inner.strip())
            if same is None:
                break
            text = _without_clause(same[2])
        return self.member(self.expression(text, scope, offset, excluding), EACH)

    def literal(
        self, text: str, scope: Scope, offset: int, excluding: NameBinding | None = None
    ) -> Value:
        """Return the container that a literal is, if its items have one value: `[Part()]`."""
        head = self.language.container_literals.get(text[:1])
        if head is None or len(text) > MAX_EXPRESSION_CHARACTERS:
            return UNKNOWN
        items, end = read_arguments(text, 0)
        paths = self.language.containers[head]
        last = max(number for _, number in paths)
        found = {
            self._item(argument.strip(), last > 0, scope, offset, excluding) for argument in items
        }
        if end != len(text) or len(found) != 1 or UNKNOWN in found:
            return UNKNOWN
        leading = frozenset(path for path, number in paths if number == last)
        return Value(FREE, head, (), INSTANCE, "", Items(found.pop(), leading))

    def _item(
        self, text: str, is_keyed: bool, scope: Scope, offset: int, excluding: NameBinding | None
    ) -> Value:
        """Return the value of an item of a literal, or of what a comprehension gives."""
        keyed = _KEY.fullmatch(text) if is_keyed else None
        written = keyed[1] if keyed is not None else text
        given = _without_clause(written)
        clause = written[len(given) :]
        if clause.lstrip().startswith("if"):  # one of two values
            return UNKNOWN
        names, separator, _ = clause.partition(" in ")
        first = read_calls(given)
        is_own = separator and first and first[0].path[0] in re.findall(r"\w+", names)
        if is_own or (is_keyed and keyed is None):
            return UNKNOWN
        return self.expression(given, scope, offset, excluding)

    def _of_items(
        self, text: str, scope: Scope, offset: int, excluding: NameBinding | None
    ) -> Value | None:
        """Return the result of the leading call, if its function is over items."""
        name, bracket, _ = text.removeprefix("await ").partition("(")
        shape = self.language.adapters.get(name)
        if shape is None or not bracket:
            return None
        if self.resolve_path((name,), scope, offset, excluding).binding is not FREE:
            return None
        written, _ = read_arguments(text, text.index(bracket))
        arguments = [argument.strip() for argument in written if not _KEYWORD.match(argument)]
        if shape in ONE_ITEM:
            is_read = len(arguments) == 1 or (arguments and shape is ItemShape.NEXT)
            return self.items(arguments[0], scope, offset, excluding) if is_read else UNKNOWN
        container = Value(FREE, name, (), RESULT)
        place = int(shape is ItemShape.SECOND)
        if shape in PAIRS or len(arguments) <= place:
            return container
        each = self.items(arguments[place], scope, offset, excluding)
        if each.written is None:
            each = member_value(each, INSTANCE) if each.member else each
            if each.binding is UNKNOWN.binding:
                return container
        return container._replace(written=Items(each))


def _without_clause(text: str) -> str:
    """Return the part before an `if` or `for` that is in no brackets."""
    depth = 0
    for found in _CLAUSE.finditer(text):
        sign = found[0]
        if depth == 0 and sign[0].isspace():
            return text[: found.start()].rstrip()
        depth += (sign in "([{") - (sign in ")]}")
    return text
