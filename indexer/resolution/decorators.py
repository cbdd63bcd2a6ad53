"""Decorators of a file's definitions, and what those of pytest say."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from indexer.records.references import Import
from indexer.syntax.parser import ParsedFile

_FIXTURES: Final = frozenset({
    "pytest.fixture", "pytest.yield_fixture", "pytest_asyncio.fixture", "_pytest.fixtures.fixture",
})  # fmt: skip
_GAP: Final = re.compile(rb"(?:\s|\\\n|#[^\n]*\n)*")
_CALLEE: Final = re.compile(rb"@\s*([A-Za-z_][\w.]*)\s*(\(?)")
_IN_BRACKETS: Final = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]")
_NAME: Final = re.compile(r"(?:^|,)\s*name\s*=\s*[\"'](\w+)[\"']\s*(?:,|$)")
_FIRST: Final = re.compile(r"\s*(?:argnames\s*=\s*)?([\[(]?)")
_STRINGS: Final = re.compile(r"\s*[\"']([\w\s,]*)[\"']\s*(,?)")
_INDIRECT: Final = re.compile(r"\bindirect\s*=\s*(True\b|[\[(][^\])]*[\])])")
_WORD: Final = re.compile(r"\w+")
_PATCH: Final = re.compile(r"(?:^|\.)mock\.patch(\.object)?$")
_STRING: Final = re.compile(r"\"[^\"\\\n]*\"|'[^'\\\n]*'")
_KEYWORD: Final = re.compile(r"\s*(\w+)\s*=(?!=)")
_MAX_CHARACTERS: Final = 2_000  # of a fixture's arguments: nested brackets are read once a level


class _Decorator(NamedTuple):
    """The path of its name through the file's imports, and its arguments, if it is called."""

    path: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Decorators:
    """The decorators of definitions, by the definition's start."""

    _spans: Sequence[tuple[int, int, int]]  # start and end of each, and its definition's start
    _of: Mapping[int, list[_Decorator]]

    def decorated(self, offset: int) -> int:
        """Return the start of the definition with a decorator at an offset, or -1."""
        position = bisect_right(self._spans, (offset, 1 << 62, 0)) - 1
        if position < 0 or offset >= self._spans[position][1]:
            return -1
        return self._spans[position][2]

    def fixture(self, definition: int) -> str | None:
        """Return the name that makes a definition a fixture, "" for its own; None if it is none."""
        for one in self._of.get(definition, ()):
            if one.path in _FIXTURES:
                found = _NAME.search(_without_brackets(one.arguments[:_MAX_CHARACTERS]))
                return found[1] if found else ""
        return None

    def given(self, definition: int) -> frozenset[str]:
        """Return the parameters to which `parametrize` gives values itself."""
        names: set[str] = set()
        for one in self._of.get(definition, ()):
            if one.path.rpartition(".")[2] == "parametrize":
                names |= _given(one.arguments)
        return frozenset(names)

    def injected(self, definition: int) -> int:
        """Return how many of the first parameters `mock.patch` fills."""
        return sum(
            _injects_mock(one.arguments[:_MAX_CHARACTERS], is_object=bool(found[1]))
            for one in self._of.get(definition, ())
            if (found := _PATCH.search(one.path))
        )


def read_decorators(parsed: ParsedFile, imports: Iterable[Import]) -> Decorators:
    """Return the decorators of a Python file."""
    paths = {one.local: one.path for one in imports if one.local}
    spans: list[tuple[int, int, int]] = []
    found: dict[int, list[_Decorator]] = {}
    pending: list[tuple[int, int]] = []
    for start, end in sorted(parsed.decorators.items()):
        pending.append((start, end))
        following = _end(_GAP.match(parsed.source, end), end)
        if following not in parsed.decorators:
            spans += [(*span, following) for span in pending]
            found[following] = list(_decorators(parsed, pending, paths))
            pending = []
    return Decorators(spans, found)


def _decorators(
    parsed: ParsedFile, spans: Iterable[tuple[int, int]], paths: Mapping[str, str]
) -> Iterator[_Decorator]:
    """Yield the decorators that matter here; the arguments of others may be long."""
    for start, end in spans:
        callee = _CALLEE.match(parsed.source, start)
        if callee is None:
            continue
        first, dot, rest = callee[1].decode().partition(".")
        path = paths.get(first, first) + dot + rest
        if path not in _FIXTURES and not path.endswith(("parametrize", "patch", "patch.object")):
            continue
        arguments = parsed.source[callee.end() : end] if callee[2] else b""
        yield _Decorator(path, arguments.decode(errors="replace").strip().removesuffix(")"))


def _end(found: re.Match[bytes] | None, otherwise: int) -> int:
    return found.end() if found else otherwise


def _without_brackets(text: str) -> str:
    shorter = _IN_BRACKETS.sub("", text)
    while shorter != text:
        text, shorter = shorter, _IN_BRACKETS.sub("", shorter)
    return text


def _injects_mock(arguments: str, *, is_object: bool) -> bool:
    """Whether the call of `patch` or `patch.object` names no object of its own to put in place."""
    parts = _without_brackets(_STRING.sub("_", arguments)).split(",")
    keywords = [_KEYWORD.match(part) for part in parts if part.strip()]
    positional = sum(keyword is None for keyword in keywords)
    return positional < (3 if is_object else 2) and not any(
        keyword and keyword[1] == "new" for keyword in keywords
    )


def _given(arguments: str) -> set[str]:
    """Return the names of `parametrize`, without those that it passes on to a fixture."""
    first = _FIRST.match(arguments)
    position = first.end() if first else 0
    is_list = bool(first and first[1])
    names: set[str] = set()
    while string := _STRINGS.match(arguments, position):
        names.update(_WORD.findall(string[1]))
        position = string.end()
        if string[2] and not is_list:
            break
    indirect = _INDIRECT.search(arguments, position)
    if indirect is None:
        return names
    return set() if indirect[1] == "True" else names - set(_WORD.findall(indirect[1]))
