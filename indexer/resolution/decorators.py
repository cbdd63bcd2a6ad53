"""Decorators of a file's definitions, and what those of pytest say."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from indexer.records.references import Import
from indexer.syntax.calls import Call, node_at, read_call, read_strings
from indexer.syntax.parser import ParsedFile

_FIXTURES: Final = frozenset({
    "pytest.fixture", "pytest.yield_fixture", "pytest_asyncio.fixture", "_pytest.fixtures.fixture",
})  # fmt: skip
_READ: Final = ("parametrize", "patch", "patch.object")  # the arguments of others may be long
_PATCH: Final = re.compile(r"(?:^|\.)mock\.patch(\.object)?$")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Decorators:
    """The decorators of definitions, by the definition's start.

    The callee of each is its path through the file's imports.
    """

    _parsed: ParsedFile
    _spans: Sequence[tuple[int, int, int]]  # start and end of each, and its definition's start
    _of: Mapping[int, Sequence[Call]]

    def decorated(self, offset: int) -> int:
        """Return the start of the definition with a decorator at an offset, or -1."""
        position = bisect_right(self._spans, (offset, 1 << 62, 0)) - 1
        if position < 0 or offset >= self._spans[position][1]:
            return -1
        return self._spans[position][2]

    def fixture(self, definition: int) -> str | None:
        """Return the name that makes a definition a fixture, "" for its own; None if it is none."""
        for call in self._of.get(definition, ()):
            if call.callee in _FIXTURES:
                names = read_strings(self._parsed, call.keywords.get("name"))
                return names[0] if names and names[0].isidentifier() else ""
        return None

    def given(self, definition: int) -> frozenset[str]:
        """Return the parameters to which `parametrize` gives values itself."""
        names: set[str] = set()
        for call in self._of.get(definition, ()):
            if call.callee.rpartition(".")[2] == "parametrize":
                names |= self._given(call)
        return frozenset(names)

    def injected(self, definition: int) -> int:
        """Return how many of the first parameters `mock.patch` fills."""
        return sum(
            len(call.arguments) < (3 if found[1] else 2) and "new" not in call.keywords
            for call in self._of.get(definition, ())
            if (found := _PATCH.search(call.callee))
        )

    def _given(self, call: Call) -> set[str]:
        """Return the names of `parametrize`, without those that it passes on to a fixture."""
        written = read_strings(self._parsed, call.argument(0, "argnames"))
        names = {name for text in written for name in _WORD.findall(text)}
        indirect = call.argument(2, "indirect")
        if indirect is not None and indirect.type == "true":
            return set()
        return names.difference(read_strings(self._parsed, indirect))


def read_decorators(parsed: ParsedFile, imports: Iterable[Import]) -> Decorators:
    """Return the decorators of a Python file."""
    paths = {import_.local: import_.path for import_ in imports if import_.local}
    spans: list[tuple[int, int, int]] = []
    found: dict[int, list[Call]] = {}
    for definition, mark, call in _decorators(parsed):
        spans.append((*mark, definition))
        first, dot, rest = call.callee.partition(".")
        path = paths.get(first, first) + dot + rest
        if path in _FIXTURES or path.endswith(_READ):
            found.setdefault(definition, []).append(call._replace(callee=path))
    return Decorators(parsed, spans, found)


def _decorators(parsed: ParsedFile) -> Iterator[tuple[int, tuple[int, int], Call]]:
    """Yield the start of the definition, the bytes and the call of each decorator."""
    for mark in sorted(parsed.decorators.items()):
        decorator = node_at(parsed, mark)
        around = decorator.parent if decorator is not None else None
        definition = around.child_by_field_name("definition") if around is not None else None
        if decorator is None or definition is None:
            continue
        expression = next(node for node in decorator.named_children if node.type != "comment")
        yield definition.start_byte, mark, read_call(parsed, expression)
