"""What a grammar does not understand: its lines, the names in it, and uses that look like calls.

The scan knows no grammar, so nothing tells what a name means: such a use is of unknown binding.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from indexer.languages import Language
from indexer.records.files import (
    NAME_CHARACTERS,
    UNPARSED_NAMES,
    UNPARSED_RANGES,
    Unparsed,
    UnparsedLines,
)
from indexer.records.references import Access, Binding, Reference, ReferenceKind
from indexer.syntax.source_text import SourceText
from indexer.syntax.trees import ByteRange, grammar_words

UNPARSED_CALLS: Final = 1_000  # uses like calls in them, which become references
_CALL: Final = re.compile(rb"!?[ \t]?(?:<[\w\s,.:<>?&*\[\]]{0,200}>|::<[^()\n]{0,200}>)?\(")
_DEFINES: Final = re.compile(
    rb"\b(?:def|defp|fun|func|function|fn|sub|class|struct|interface|trait|enum|object|record|macro)"
    rb"\s+(?:[\w.]*\.)?$"
)
_NO_CALLS: Final = frozenset(
    b"if elif else for foreach while until unless switch match when case catch except with using"
    b" return throw await yield and or not in is as new delete sizeof typeof lock do try func fun"
    b" function fn def lambda end then select go defer".split()
)
_MEMBER_OPERATORS: Final = (b".", b"->", b"::")
_LOOK_BACK_BYTES: Final = 80


class _Token(NamedTuple):
    start: int
    name: bytes
    is_call: bool


@dataclass(frozen=True, slots=True)
class UnparsedFile:
    """What is unparsed of a file, and the references that stand for uses in it, by position."""

    unparsed: Unparsed
    references: tuple[Reference, ...]


def read_unparsed(
    language: Language,
    text: SourceText,
    ranges: Sequence[ByteRange],
    *,
    known: Container[tuple[int, int]] = frozenset(),
    defined: Container[tuple[str, int]] = frozenset(),
    callers: Callable[[Iterable[int]], Sequence[str]] = lambda offsets: ["" for _ in offsets],
) -> UnparsedFile | None:
    """Scan the ranges, which ascend; None if no unknown name is in them.

    `known` are the positions of references, `defined` the names of definitions by line, `callers`
    returns the definitions around offsets.
    """
    scan = _Scan(text, known, defined)
    lines = []
    for span, covered in _by_lines(text, ranges):
        names, calls = scan.add(_tokens(language, text, covered))
        if names:
            lines.append(UnparsedLines(*span, calls))
    if not lines:
        return None
    return UnparsedFile(
        Unparsed(tuple(lines), tuple(sorted(scan.names)), not scan.is_cut),
        tuple(scan.references(callers)),
    )


def merge_unparsed(found: Sequence[Unparsed]) -> Unparsed | None:
    """Return what is unparsed of a file that was parsed in parts; None if nothing is."""
    if not found:
        return None
    lines: list[UnparsedLines] = []
    for unparsed_lines in sorted(chain.from_iterable(part.lines for part in found)):
        if lines and (unparsed_lines.start <= lines[-1].end or len(lines) >= UNPARSED_RANGES):
            last = lines.pop()
            lines.append(
                UnparsedLines(
                    last.start, max(last.end, unparsed_lines.end), last.calls + unparsed_lines.calls
                )
            )
        else:
            lines.append(unparsed_lines)
    names = sorted(set(chain.from_iterable(part.names for part in found)))
    is_complete = all(part.is_complete for part in found) and len(names) <= UNPARSED_NAMES
    return Unparsed(tuple(lines), tuple(names[:UNPARSED_NAMES]), is_complete)


def _by_lines(
    text: SourceText, ranges: Sequence[ByteRange]
) -> Iterator[tuple[tuple[int, int], list[ByteRange]]]:
    """Yield spans of lines that do not overlap, with the byte ranges in each."""
    span, count = (0, 0), 0
    covered: list[ByteRange] = []
    for start, end in ranges:
        first, last = text.line(start), text.line(max(start, end - 1))
        if covered and (first <= span[1] + 1 or count >= UNPARSED_RANGES):
            span = span[0], max(span[1], last)
            covered.append((max(start, covered[-1][1]), end))
            continue
        if covered:
            yield span, covered
        count += 1
        span, covered = (first, last), [(start, end)]
    if covered:
        yield span, covered


class _Scan:
    """The names and the calls of the ranges, within the limits."""

    def __init__(
        self,
        text: SourceText,
        known: Container[tuple[int, int]],
        defined: Container[tuple[str, int]],
    ) -> None:
        self._text = text
        self._known = known
        self._defined = defined
        self._calls: list[tuple[int, str, int, int]] = []
        self.names: set[str] = set()
        self.is_cut = False

    def add(self, tokens: Iterable[_Token]) -> tuple[int, int]:
        """Add a range's tokens; return how many are unknown so far, and how many of them calls."""
        names = calls = 0
        for token in tokens:
            line, column = self._text.position(token.start)
            name = token.name.decode("utf-8", "replace")[:NAME_CHARACTERS]
            if (line, column) in self._known or (name, line) in self._defined:
                continue
            names += 1
            self._add_name(name)
            if token.is_call:
                calls += 1
                self._add_call(token.start, name, line, column)
        return names, calls

    def references(self, callers: Callable[[Iterable[int]], Sequence[str]]) -> Iterator[Reference]:
        """Yield a reference for each call."""
        around = callers([start for start, *_ in self._calls])
        for (_, name, line, column), caller in zip(self._calls, around, strict=True):
            yield Reference(
                ReferenceKind.CALL, name, Binding.UNKNOWN, "", "", Access.PATH, caller, line, column
            )

    def _add_name(self, name: str) -> None:
        if len(self.names) < UNPARSED_NAMES:
            self.names.add(name)
        elif name not in self.names:
            self.is_cut = True

    def _add_call(self, start: int, name: str, line: int, column: int) -> None:
        if len(self._calls) < UNPARSED_CALLS:
            self._calls.append((start, name, line, column))
        else:
            self.is_cut = True


def _tokens(language: Language, text: SourceText, ranges: Iterable[ByteRange]) -> Iterator[_Token]:
    """Yield the names outside of strings and comments, but for those of the language.

    As a member's name such a one is anything.
    """
    pattern = language.lexis.token
    source, builtins = text.source, language.builtins
    words = _NO_CALLS & grammar_words(language.grammar) if language.grammar else _NO_CALLS
    for start, end in ranges:
        for found in pattern.finditer(source, start, end):
            name, offset = found["name"], found.start()
            if name is None:
                continue
            before = source[max(0, offset - _LOOK_BACK_BYTES) : offset]
            is_own = name in words or name.decode("utf-8", "replace") in builtins
            if is_own and not before.rstrip().endswith(_MEMBER_OPERATORS):
                continue
            called = _CALL.match(source, found.end())
            is_call = called is not None and not language.calls_commands
            yield _Token(offset, name, is_call and not _DEFINES.search(before))
