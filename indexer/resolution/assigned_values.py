"""The values of local names: by their type, what is assigned to them, or the items of a loop."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from indexer.languages import PAIRS, ItemShape
from indexer.resolution.expression_reader import MAX_NESTING, ExpressionReader
from indexer.resolution.scopes import NameBinding, ValueSource
from indexer.resolution.value import TYPE, UNKNOWN, Value, as_instance
from indexer.resolution.written_types import WrittenTypes
from indexer.syntax.expressions import read_arguments

_ADAPTER: Final = re.compile(r"(\w+)\(")
# Module constants, because the hash of a member takes longer than the test.
_UNKNOWN: Final = ValueSource.UNKNOWN
_TYPE_PARAMETER: Final = ValueSource.TYPE_PARAMETER
_MAX_STEPS: Final = 16  # from a local to the expression that it was assigned from


class AssignedValues:
    """The values of a file's local names, each worked out once."""

    __slots__ = ("_assumed", "_resolver", "_steps", "_types", "_values")

    def __init__(self, resolver: ExpressionReader, types: WrittenTypes) -> None:
        self._resolver = resolver
        self._types = types
        self._assumed: Mapping[int, Value] = {}
        self._values: dict[NameBinding, Value] = {}
        self._steps = 0

    def assume(self, values: Mapping[int, Value]) -> None:
        """Set the values of names by their offsets."""
        self._assumed = values

    def value(self, name: NameBinding) -> Value:
        """Return the value of a local name, by its type or by the assigned expression."""
        known = self._assumed.get(name.start) or self._values.get(name)
        if known is not None:
            return known
        has_none = name.source is _UNKNOWN or name.source is _TYPE_PARAMETER
        if has_none or self._steps >= _MAX_STEPS:
            return UNKNOWN
        self._values[name] = UNKNOWN  # a name that is assigned from itself
        self._steps += 1
        value = self._values[name] = self._assigned_value(name)
        self._steps -= 1
        return value

    def _assigned_value(self, name: NameBinding) -> Value:
        context = (name.text, name.scope, name.start, name)
        match name.source:
            case ValueSource.ITEMS:
                return self._items(name)
            case ValueSource.TYPE | ValueSource.CLASS:
                value = self._types.instance(*context)
            case ValueSource.CALL:
                value = self._resolver.call_result(*context)
            case ValueSource.NEW:
                value = as_instance(self._resolver.expression(*context, TYPE))
            case ValueSource.LITERAL:
                value = self._resolver.literal(*context)
            case _:
                value = self._resolver.expression(*context)
        return self._after(value, name.steps)

    def _items(self, name: NameBinding) -> Value:
        """Return what iterating over the written expression gives, as far as a name takes it."""
        text, steps = name.text, name.steps
        adapters = self._resolver.language.adapters
        for _ in range(MAX_NESTING):
            adapted = _ADAPTER.match(text)
            if adapted is None or adapters.get(adapted[1]) not in PAIRS:
                break
            arguments, _ = read_arguments(text, adapted.end() - 1)
            place = int(steps[0]) if steps and steps[0].isdigit() else -1
            place -= adapters[adapted[1]] is ItemShape.NUMBERED  # the first is the number
            if not 0 <= place < len(arguments):
                return UNKNOWN
            text, steps = arguments[place].strip(), steps[1:]
        value = self._resolver.items(text, name.scope, name.start, name)
        return self._after(value, steps)

    def _after(self, value: Value, steps: Sequence[str]) -> Value:
        for step in steps:
            value = self._resolver.member(value, step)
        return value
