"""A conservative parser of RE2's syntax: what the characters of a match can be, and where.

It may accept what RE2 refuses, which matches nothing. What it cannot read, it refuses. Case and
flags do not matter: characters are folded, and `AnyText` stands for what flags could change. A line
also begins and ends where the text does.
"""

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from central.corpus.trigrams.hashes import fold_table

MOST_CHARACTERS: Final = 4_096  # of a pattern
_MOST_DEPTH: Final = 100
_MOST_OF_CLASS: Final = 16  # characters; a larger class is `AnyText`
_MOST_OF_RANGE: Final = 128  # code points: both cases of letters fold to one

_GROUP: Final = re.compile(r"\((?:\?(?:P?<\w+>|[imsU]*(?:-[imsU]+)?:))?(?!\?)")
_FLAGS: Final = re.compile(r"\(\?[imsU]*(?:-[imsU]+)?\)")
_REPEAT: Final = re.compile(r"(?:([*+?])|\{(\d{1,4})(,(\d{1,4})?)?\})\??")
_PROPERTY: Final = re.compile(r"\\[pP](?:[A-Z]|\{\^?\w+\})")
_NAMED_CLASS: Final = re.compile(r"\[:\^?[a-z]+:\]")
_CODE: Final = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]{1,8})\}|(0[0-7]{0,2}|[1-7][0-7]{1,2}))"
)
_CONTROLS: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
# Characters of the empty texts where a line begins or ends; no pattern can have them.
LINE_START: Final = chr(0xD800)
LINE_END: Final = chr(0xDFFF)
_ANCHORS: Final = {"^": LINE_START, "$": LINE_END, "\\A": LINE_START, "\\z": LINE_END}
_EMPTY_ESCAPES: Final = frozenset(("\\b", "\\B"))
_SURROGATES: Final = range(0xD800, 0xE000)
_GAP_ESCAPES: Final = frozenset(("\\C", "\\d", "\\D", "\\s", "\\S", "\\w", "\\W"))


class UnreadablePatternError(ValueError):
    """The pattern is none of RE2, is too large, or has what this parser does not know."""


@dataclass(frozen=True, slots=True)
class Characters:
    """One character, which folds to one of these."""

    casefolded: frozenset[str]


@dataclass(frozen=True, slots=True)
class AnyText:
    """Any text."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts one after another; without any, the empty text."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of the parts."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A part so many times; `most` is None without an end."""

    part: "Node"
    least: int
    most: int | None


Node: TypeAlias = Characters | AnyText | Sequence | Alternatives | Repeated


def parse_pattern(pattern: str, *, folds: bool = True) -> Node:
    """Parse a pattern. Raises UnreadablePatternError.

    Without `folds`, characters stay as they are written: for a pattern that respects case.
    """
    if len(pattern) > MOST_CHARACTERS or any(
        ord(character) in _SURROGATES for character in pattern
    ):
        raise UnreadablePatternError
    parser = _Parser(pattern, folds=folds)
    node = parser.alternatives(0)
    if parser.at < len(pattern):
        raise UnreadablePatternError
    return node


class _Parser:
    """A place in a pattern, which moves as parts are read."""

    def __init__(self, pattern: str, *, folds: bool) -> None:
        self._pattern = pattern
        self._folds = folds
        self.at = 0

    def _one(self, character: str) -> Characters:
        return Characters(self._characters(range(ord(character), ord(character) + 1)))

    def _characters(self, codes: range) -> frozenset[str]:
        if not self._folds:
            return frozenset(map(chr, codes))
        return frozenset(chr(code) for code in fold_table()[codes.start : codes.stop])

    def _follows(self, text: str) -> bool:
        return self._pattern.startswith(text, self.at)

    def _take(self, size: int = 1) -> str:
        taken = self._pattern[self.at : self.at + size]
        if len(taken) < size:
            raise UnreadablePatternError
        self.at += size
        return taken

    def _match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        found = expression.match(self._pattern, self.at)
        if found:
            self.at = found.end()
        return found

    def alternatives(self, depth: int) -> Node:
        """Read up to the end of the group or pattern."""
        if depth > _MOST_DEPTH:
            raise UnreadablePatternError
        parts = [self._sequence(depth)]
        while self._follows("|"):
            self._take()
            parts.append(self._sequence(depth))
        return Alternatives(tuple(parts)) if len(parts) > 1 else parts[0]

    def _sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.at < len(self._pattern) and not (self._follows("|") or self._follows(")")):
            atoms = self._atoms(depth)
            parts += atoms
            if found := self._match(_REPEAT):
                if not atoms:
                    raise UnreadablePatternError
                parts[-1] = _repeated(parts[-1], found)
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _atoms(self, depth: int) -> list[Node]:
        """Read what stands before a repetition, which is of the last of these."""
        if self._follows("("):
            return [self._group(depth)]
        if self._follows("["):
            return [self._class()]
        if self._follows("\\"):
            return self._escape()
        if self._match(_REPEAT):
            raise UnreadablePatternError
        character = self._take()
        if character == ".":
            return [AnyText()]
        return [self._one(_ANCHORS.get(character, character))]

    def _group(self, depth: int) -> Node:
        if found := self._match(_FLAGS):
            self._check_flags(found[0])
            return Sequence(())
        if not (found := self._match(_GROUP)):
            raise UnreadablePatternError
        self._check_flags(found[0])
        node = self.alternatives(depth + 1)
        if self._take() != ")":
            raise UnreadablePatternError
        return node

    def _check_flags(self, group: str) -> None:
        """Refuse what may ignore case, if that matters."""
        if not self._folds and "i" in group and "<" not in group:
            raise UnreadablePatternError

    def _escape(self) -> list[Node]:
        if self._follows("\\Q"):
            self._take(2)
            quoted, end, _ = self._pattern[self.at :].partition("\\E")
            self._take(len(quoted) + len(end))
            return [self._one(character) for character in quoted]
        start = self._pattern[self.at : self.at + 2]
        if start in _ANCHORS:
            self._take(2)
            return [self._one(_ANCHORS[start])]
        if start in _EMPTY_ESCAPES:
            self._take(2)
            return [Sequence(())]
        return [AnyText() if self._is_gap() else self._one(self._escaped_character())]

    def _is_gap(self) -> bool:
        """Read a class of characters or bytes, if one follows."""
        if self._pattern[self.at : self.at + 2] in _GAP_ESCAPES:
            self._take(2)
            return True
        return bool(self._match(_PROPERTY))

    def _escaped_character(self) -> str:
        if found := self._match(_CODE):
            byte, code, octal = found.groups()
            value = int(octal, 8) if octal else int(byte or code, 16)
            if value >= len(fold_table()) or value in _SURROGATES:
                raise UnreadablePatternError
            return chr(value)
        self._take()
        character = self._take()
        if character in _CONTROLS:
            return _CONTROLS[character]
        if not character.isascii() or character.isalnum():
            raise UnreadablePatternError
        return character

    def _class(self) -> Node:
        self._take()
        is_gap = self._follows("^")
        if is_gap:
            self._take()
        characters: set[str] = set()
        is_first = True
        while is_first or not self._follows("]"):
            is_first = False
            if self._match(_NAMED_CLASS) or self._is_gap():
                is_gap = True
                continue
            first, last = self._range()
            if last - first >= _MOST_OF_RANGE:
                is_gap = True
                continue
            characters |= self._characters(range(first, last + 1))
        self._take()
        if is_gap or not characters or len(characters) > _MOST_OF_CLASS:
            return AnyText()
        return Characters(frozenset(characters))

    def _range(self) -> tuple[int, int]:
        first = last = self._class_character()
        if self._follows("-") and not self._follows("-]"):
            self._take()
            last = self._class_character()
        return ord(first), ord(last)

    def _class_character(self) -> str:
        return self._escaped_character() if self._follows("\\") else self._take()


def _repeated(part: Node, found: re.Match[str]) -> Node:
    sign, least, has_end, most = found.groups()
    if sign:
        return Repeated(part, int(sign == "+"), 1 if sign == "?" else None)
    return Repeated(part, int(least), int(least) if not has_end else int(most) if most else None)
