"""Rewrites: constructs that a grammar does not know, replaced before parsing by ones that it knows.

An edit keeps the number of bytes and every line feed, so all positions stay; texts are read from
the source as it was written. Patterns are linear: repetitions are bounded or exclude what follows.
They are compiled when a file needs them, and kept by `re`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

_OPENING: Final = {b"(": b")", b"[": b"]", b"{": b"}", b"<": b">"}
# An escaped quote is a token, or a line of these would be read again from each.
_BRACKETS: Final = re.compile(rb"[][(){}]|\\[\"']|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_SPACES: Final = bytes(byte if byte == 0x0A else 0x20 for byte in range(256))
_FILLER: Final = bytes(byte if byte in b"\n\r" else 0x78 for byte in range(256))
_BRACKETED_BYTES: Final = 8_192
_TYPE_ARGUMENTS_BYTES: Final = 200
_IN_NAME: Final = re.compile(rb"[\w$\x80-\xff]")
_MAX_OCCURRENCES: Final = 1_000  # of a pattern in a file, in code or not


class Edit(NamedTuple):
    """A replacement at `start` by a text of the same length.

    `piece`, if any, is also parsed, at `start` and in a tree of its own, so it may be longer.
    """

    start: int
    text: bytes
    piece: bytes = b""

    @property
    def end(self) -> int:
        """The offset after the replaced bytes."""
        return self.start + len(self.text)


# The edits of each occurrence of a construct, in order; the first begins where it begins.
FindEdits: TypeAlias = Callable[[bytes], Iterable[Sequence[Edit]]]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite of one construct. It is tried on files with errors, and kept if fewer are left.

    `always`: the grammar misreads the construct without an error, so it is tried on every file, and
    kept if no more are left. `within`: only occurrences in a node of this type, or in an error, are
    edited. `in_error`: only those in an error, because the same words are right elsewhere. `words`:
    an occurrence has one of them; to look for a word costs far less than a pattern.
    """

    find: FindEdits
    always: bool = False
    within: str = ""
    in_error: bool = False
    words: tuple[bytes, ...] = ()

    def may_occur(self, source: bytes) -> bool:
        """Whether the source has one of the words."""
        return not self.words or any(word in source for word in self.words)


def occurrences(pattern: re.Pattern[bytes], source: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the matches of a pattern, within the limit."""
    return islice(pattern.finditer(source), _MAX_OCCURRENCES)


def spaces(source: bytes) -> bytes:
    """Return a space for each byte, and the line feeds."""
    return source.translate(_SPACES)


def blank(source: bytes, start: int, end: int) -> Edit:
    """Return the edit that leaves spaces and line feeds."""
    return Edit(start, spaces(source[start:end]))


def string_piece(source: bytes, start: int, end: int) -> Edit:
    """Return the edit that leaves a string literal in place of source that becomes a piece."""
    inner = source[start + 1 : end - 1].translate(_FILLER)
    return Edit(start, b'"' + inner + b'"', source[start:end])


def blanked(pattern: bytes, *words: bytes, always: bool = False) -> Rewrite:
    """Return the rewrite that blanks the groups of each match, which has one of the words."""

    def find(source: bytes) -> Iterator[Sequence[Edit]]:
        for found in occurrences(re.compile(pattern, re.MULTILINE), source):
            yield [blank(source, *span) for span in found.regs[1:] if span[0] >= 0]

    return Rewrite(find, always, words=words)


def type_arguments_blanked(inside: bytes, before: bytes) -> Rewrite:
    """Return the rewrite that blanks type arguments which the grammar reads as comparisons.

    `inside` is a pattern of one of their parts, `before` of what they stand before.
    """

    def find(source: bytes) -> Iterator[Sequence[Edit]]:
        last = re.compile(rb">(?<!->)(?=%s)" % before)
        parts = re.compile(rb"(?:%s)++" % inside)
        for found in occurrences(last, source):
            start = _opening(source, found.start())
            is_called = start > 0 and _IN_NAME.match(source, start - 1)
            if is_called and parts.fullmatch(source, start + 1, found.start()):
                yield [blank(source, start, found.end())]

    return Rewrite(find, always=True, within="binary_expression")


def _opening(source: bytes, closing: int) -> int:
    """Return the offset of the `<` of the `>` at `closing`; -1 if none is near."""
    depth = 0
    for offset in range(closing, max(-1, closing - _TYPE_ARGUMENTS_BYTES), -1):
        depth += (source[offset] == ord(">")) - (source[offset] == ord("<"))
        if not depth:
            return offset
    return -1


def replaced(pattern: bytes, *texts: bytes, words: tuple[bytes, ...] = ()) -> Rewrite:
    """Return the rewrite that puts a text in place of each group of each match, with spaces."""

    def find(source: bytes) -> Iterator[Sequence[Edit]]:
        for found in occurrences(re.compile(pattern, re.MULTILINE), source):
            spans = zip(found.regs[1:], texts, strict=True)
            put = [(*span, text) for span, text in spans if span[0] >= 0]
            is_one_line = all(source.find(b"\n", start, end) < 0 for start, end, _ in put)
            if is_one_line and all(len(text) <= end - start for start, end, text in put):
                yield [Edit(start, text.ljust(end - start)) for start, end, text in put]

    return Rewrite(find, words=words)


def blanked_brackets(pattern: bytes, after: bytes = b"") -> Rewrite:
    """Return the rewrite that blanks from group 1 to the bracket that closes the match's last byte.

    `after`: what must follow.
    """

    def find(source: bytes) -> Iterator[Sequence[Edit]]:
        following = re.compile(after)
        for found in occurrences(re.compile(pattern, re.MULTILINE), source):
            end = closing(source, found.end() - 1)
            if end >= 0 and following.match(source, end):
                yield [blank(source, found.start(1), end)]

    return Rewrite(find)


def closing(source: bytes, opening: int) -> int:
    """Return the offset after the bracket that closes the one at `opening`; -1 if there is none.

    Brackets in strings of one line do not count. Looks at 8 KiB.
    """
    expected: list[bytes] = []
    for found in _BRACKETS.finditer(source, opening, opening + _BRACKETED_BYTES):
        token = found[0]
        if token in _OPENING:
            expected.append(_OPENING[token])
        elif len(token) == 1:
            if not expected or expected.pop() != token:
                return -1
            if not expected:
                return found.end()
    return -1


def parts(source: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges between the commas that are outside of inner brackets."""
    depth = 0
    begin = start
    for found in islice(re.finditer(rb"[][(){},]", source[start:end]), 1_000):
        sign = found[0]
        if sign == b"," and not depth:
            yield begin, start + found.start()
            begin = start + found.end()
        depth += (sign in _OPENING) - (sign != b"," and sign not in _OPENING)
    yield begin, end
