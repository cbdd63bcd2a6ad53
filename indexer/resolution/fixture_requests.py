"""The places of a test file that name a fixture: parameters, and strings of pytest's functions.

And its decorators, with what those of pytest say.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from indexer.records.references import Import
from indexer.resolution.name_uses import NameUse
from indexer.resolution.scopes import ScopeTree
from indexer.syntax.calls import Call, node_at, read_call, read_strings, string_nodes, string_value
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS, OutlineEntry
from indexer.syntax.parser import Node, ParsedFile, QueryMatch
from indexer.syntax.source_text import SourceText

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


_REQUEST: Final = "request.getfixturevalue"
_MARK: Final = "mark.usefixtures"
_AROUND: Final = CLASS_KINDS | FUNCTION_KINDS
_UNFILLED: Final = frozenset({  # parameters with a default, *args, **kwargs
    "default_parameter", "typed_default_parameter", "list_splat_pattern",
    "dictionary_splat_pattern",
})  # fmt: skip


class FixtureFunction(NamedTuple):
    """A test or a fixture.

    Parameters that are `given`, and the first that are `injected`, have their value from elsewhere.
    """

    entry: OutlineEntry
    fixture: str  # its name as a fixture, "" for a test
    given: tuple[frozenset[str], ...] = ()  # by it and by each class around it
    injected: int = 0


class FixtureRequest(NamedTuple):
    """A place that names a fixture, and the function or class `around` it, if any.

    `value_at` is the offset of an untyped name that holds the fixture's value.
    """

    name: str
    start: int
    around: OutlineEntry | None
    value_at: int | None

    @property
    def caller(self) -> str:
        """The qualified name of the function or class."""
        return self.around.qualified_name if self.around else ""


def fixture_functions(
    outlined: Iterable[OutlineEntry], decorators: Decorators, *, has_tests: bool
) -> Iterator[FixtureFunction]:
    """Yield fixtures and, with `has_tests`, tests, of the module and its classes."""
    # A class is read once, however many tests it has.
    given, injected = cache(decorators.given), cache(decorators.injected)
    for outline_entry in outlined:
        if (
            outline_entry.kind not in FUNCTION_KINDS
            or not outline_entry.name
            or not all(around.kind in CLASS_KINDS for around in outwards(outline_entry.parent))
        ):
            continue
        fixture = decorators.fixture(outline_entry.definition.start_byte)
        if fixture is not None:
            yield FixtureFunction(outline_entry, fixture or outline_entry.name)
        elif has_tests and outline_entry.name.startswith("test"):
            starts = [around.definition.start_byte for around in outwards(outline_entry)]
            of_each = tuple(filter(None, map(given, starts)))
            yield FixtureFunction(outline_entry, "", of_each, sum(map(injected, starts)))


def requests_of_parameters(
    functions: Sequence[FixtureFunction],
    locals_and_fields: Iterable[QueryMatch],
    parsed: ParsedFile,
    tree: ScopeTree,
    text: SourceText,
) -> Iterator[FixtureRequest]:
    """Yield the parameters that pytest gives a value: all but `self` and those with a default."""
    matches = [match for match in locals_and_fields if "local" in match]
    matches.sort(key=lambda match: match["local"])
    starts = [match["local"][0] for match in matches]
    found = []
    for function in functions:
        definition = function.entry.definition
        first = bisect_left(starts, definition.start_byte)
        last = bisect_left(starts, definition.body_byte or definition.end_byte)
        found += [(match, function) for match in matches[first:last]]
    scopes = tree.at(match["local"][0] for match, _ in found)
    filled: Counter[int] = Counter()
    for (match, function), scope in zip(found, scopes, strict=True):
        name, (start, _) = text.slice(match["local"]), match["local"]
        begin = function.entry.definition.start_byte
        is_other = scope.start != begin or start == begin  # a lambda's, and its own name
        if is_other or not _is_filled(match, name, function, parsed):
            continue
        filled[begin] += 1
        is_given = any(name in names for names in function.given)
        if filled[begin] > function.injected and not is_given:
            value_at = None if "local.type" in match else start
            yield FixtureRequest(name, start, function.entry, value_at)


def requests_of_strings(
    uses: Iterable[NameUse],
    outlined: Iterable[OutlineEntry],
    decorators: Decorators,
    parsed: ParsedFile,
) -> Iterator[FixtureRequest]:
    """Yield the fixtures of `usefixtures("x")`, and of `request.getfixturevalue("x")`."""
    entries = {
        outline_entry.definition.start_byte: outline_entry
        for outline_entry in outlined
        if outline_entry.kind in _AROUND
    }
    starts = sorted(entries)
    for use in uses:
        if not use.written.endswith((_REQUEST, _MARK)):
            continue
        callee = node_at(parsed, (use.start, use.end))
        call = callee.parent if callee is not None else None
        if call is None or call.type != "call":
            continue
        around = entries.get(decorators.decorated(use.start))
        around = around or _enclosing(use.start, starts, entries)
        value_at = _assigned(call) if use.written.endswith(_REQUEST) else None
        for argument in read_call(parsed, call).arguments:
            for string in string_nodes(argument):
                name = string_value(parsed, string)
                if name.isidentifier():
                    start = parsed.source.find(name.encode(), *string.byte_range)
                    # A name of several strings is nowhere as a whole.
                    start = string.start_byte if start < 0 else start
                    yield FixtureRequest(name, start, around, value_at)


def _assigned(call: Node) -> int | None:
    """Return the offset of the name to which the value of a call is assigned, if any."""
    local = call.parent.child_by_field_name("left") if call.parent is not None else None
    return local.start_byte if local is not None and local.type == "identifier" else None


def _enclosing(
    offset: int, starts: Sequence[int], entries: dict[int, OutlineEntry]
) -> OutlineEntry | None:
    """Return the innermost function or class around an offset."""
    position = bisect_right(starts, offset)
    nearest = entries[starts[position - 1]] if position else None
    around = (outlined for outlined in outwards(nearest) if outlined.kind in _AROUND)
    return next((outlined for outlined in around if offset < outlined.definition.end_byte), None)


def outwards(outlined: OutlineEntry | None) -> Iterator[OutlineEntry]:
    """Yield a definition and those around it."""
    while outlined is not None:
        yield outlined
        outlined = outlined.parent


def _is_filled(match: QueryMatch, name: str, function: FixtureFunction, parsed: ParsedFile) -> bool:
    selves = parsed.language.self_names | parsed.language.class_names
    if function.entry.kind == "method" and name in selves:
        return False
    node = node_at(parsed, match["local"])
    return node is None or node.parent is None or node.parent.type not in _UNFILLED
