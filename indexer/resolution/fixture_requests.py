"""The places of a test file that name a fixture: parameters, and strings of pytest's functions."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from indexer.resolution.decorators import Decorators
from indexer.resolution.scopes import ScopeTree
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS, OutlineEntry
from indexer.syntax.parser import ParsedFile, QueryMatch
from indexer.syntax.source_text import SourceText

_DEFAULT: Final = re.compile(rb"(?:\s|\\\n|#[^\n]*\n)*=")
_STARS: Final = re.compile(rb"\*\s*$")
_MAX_GAP: Final = 20  # bytes between a star and its parameter
_STRINGS: Final = re.compile(
    rb"request\.getfixturevalue\(\s*[\"'](?P<name>\w+)[\"']\s*\)"
    rb"|mark\.usefixtures\((?P<names>[^()]{0,500})\)"
)
_ASSIGNED: Final = re.compile(rb"(?<![\w.])([A-Za-z_]\w*)[ ]*=[ ]*$")
_AROUND: Final = CLASS_KINDS | FUNCTION_KINDS
_QUOTED: Final = re.compile(rb"[\"'](\w+)[\"']")


class FixtureFunction(NamedTuple):
    """A test or a fixture.

    Parameters that are `given`, and the first that are `injected`, have their value from elsewhere.
    """

    entry: OutlineEntry
    fixture: str  # its name as a fixture, "" for a test
    given: frozenset[str] = frozenset()
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
    for one in outlined:
        if one.kind not in FUNCTION_KINDS or not one.name or not _is_outside_functions(one):
            continue
        fixture = decorators.fixture(one.definition.start_byte)
        if fixture is not None:
            yield FixtureFunction(one, fixture or one.name)
        elif has_tests and one.name.startswith("test"):
            starts = [around.definition.start_byte for around in outwards(one)]
            given = frozenset[str]().union(*map(decorators.given, starts))
            yield FixtureFunction(one, "", given, sum(map(decorators.injected, starts)))


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
        is_inner = scope.start != begin  # a lambda's
        if is_inner or not _is_filled(match, name, function, parsed):
            continue
        filled[begin] += 1
        if filled[begin] > function.injected and name not in function.given:
            value_at = None if "local.type" in match else start
            yield FixtureRequest(name, start, function.entry, value_at)


def requests_of_strings(
    outlined: Iterable[OutlineEntry], decorators: Decorators, parsed: ParsedFile
) -> Iterator[FixtureRequest]:
    """Yield the fixtures of `usefixtures("x")`, and of `request.getfixturevalue("x")`."""
    if b"fixture" not in parsed.source:
        return
    entries = {one.definition.start_byte: one for one in outlined if one.kind in _AROUND}
    starts = sorted(entries)
    for call in _STRINGS.finditer(parsed.source):
        around = entries.get(decorators.decorated(call.start()))
        if call["name"]:
            around = around or _enclosing(call.start(), starts, entries)
            line = parsed.source.rfind(b"\n", 0, call.start()) + 1
            local = _ASSIGNED.search(parsed.source[line : call.start()])
            value_at = line + local.start(1) if local else None
            yield FixtureRequest(call["name"].decode(), call.start("name"), around, value_at)
            continue
        for name in _QUOTED.finditer(parsed.source, *call.span("names")):
            yield FixtureRequest(name[1].decode(), name.start(1), around, None)


def _enclosing(
    offset: int, starts: Sequence[int], entries: dict[int, OutlineEntry]
) -> OutlineEntry | None:
    """Return the innermost function or class around an offset."""
    position = bisect_right(starts, offset)
    nearest = entries[starts[position - 1]] if position else None
    around = (one for one in outwards(nearest) if one.kind in _AROUND)
    return next((one for one in around if offset < one.definition.end_byte), None)


def _is_outside_functions(one: OutlineEntry) -> bool:
    return all(around.kind in CLASS_KINDS for around in outwards(one.parent))


def outwards(one: OutlineEntry | None) -> Iterator[OutlineEntry]:
    """Yield a definition and those around it."""
    while one is not None:
        yield one
        one = one.parent


def _is_filled(match: QueryMatch, name: str, function: FixtureFunction, parsed: ParsedFile) -> bool:
    start, _ = match["local"]
    _, end = match.get("local.type", match["local"])
    selves = parsed.language.self_names | parsed.language.class_names
    if function.entry.kind == "method" and name in selves:
        return False
    before = parsed.source[max(start - _MAX_GAP, 0) : start]
    return _DEFAULT.match(parsed.source, end) is None and _STARS.search(before) is None
