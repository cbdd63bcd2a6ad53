"""Symbols of what a program names, and whether the name of one stands where an index says so.

There are no symbols of locals, parameters and modules, and none has a version. The exceptions are
those of scip-typescript 0.4.0 and scip-python 0.6.6, which write no name that differs from the text
for any other reason.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from indexer.errors import ScipDocumentError
from indexer.records.scip import (
    CONSTRUCTOR,
    SCIP_SYMBOL_BYTES,
    ScipSymbol,
    Suffix,
    format_symbol,
    parse_symbol,
)

_KNOWN_SYMBOLS: Final = 1 << 16
_CONSTRUCTORS: Final = frozenset({CONSTRUCTOR, "__init__", "__new__", "<init>", ".ctor"})
_LOCAL: Final = "local "
# Namespaces, parameters, type parameters, and modules as scip-python writes them.
_DROPPED: Final = (Suffix.NAMESPACE.value, ")", "]", "/__init__:", " __init__:")


class NamedSymbol(NamedTuple):
    """A symbol, and what stands for it in a program's text.

    `used` is what a reference to it refers to: the class of a constructor. `owner` is the name of
    what contains it.
    """

    text: str
    used: str
    name: str
    owner: str
    suffix: Suffix
    is_constructor: bool


def is_too_long(text: str) -> bool:
    """Whether a symbol has more bytes than are stored."""
    if text.isascii():
        return len(text) > SCIP_SYMBOL_BYTES
    return len(text.encode(errors="replace")) > SCIP_SYMBOL_BYTES


def symbol_key(text: str) -> str:
    """Return a symbol without its version; "" for one that is not stored. Nothing is parsed.

    The last character says what a symbol names.
    """
    if is_too_long(text) or text.startswith(_LOCAL) or text.endswith(_DROPPED):
        return ""
    fields = text.split(" ", 4)
    if len(fields) < 5 or "" in fields or fields[-1].startswith(" "):  # a space is doubled
        symbol = parse_symbol(text)
        return format_symbol(symbol._replace(version="")) if symbol else ""
    scheme, manager, package, _, descriptors = fields
    return f"{scheme} {manager} {package} . {descriptors}"


@lru_cache(maxsize=_KNOWN_SYMBOLS)
def named_symbol(text: str) -> NamedSymbol | None:
    """Return the symbol of a key; None for what is no symbol."""
    symbol = parse_symbol(text)
    if symbol is None or not symbol.descriptors or "\0" in text:
        return None
    *outer, last = symbol.descriptors
    normal = format_symbol(symbol)
    if is_too_long(normal):
        return None
    is_constructor = (
        last.suffix is Suffix.METHOD
        and last.name in _CONSTRUCTORS
        and bool(outer)
        and outer[-1].suffix is Suffix.TYPE
    )
    return NamedSymbol(
        text=normal,
        used=format_symbol(_owner(symbol)) if is_constructor else normal,
        name=last.name,
        owner=outer[-1].name if outer else "",
        suffix=last.suffix,
        is_constructor=is_constructor,
    )


def _owner(symbol: ScipSymbol) -> ScipSymbol:
    return symbol._replace(descriptors=symbol.descriptors[:-1])


class Units(StrEnum):
    """The units of columns."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


# scip-python gives a member of a module the symbol of another one of that module (`httpx.Client` is
# `AsyncClient#`), also the module in `from .client import *`, and an attribute in `__slots__` that
# of its class. They say nothing, of the file neither.
_CONFUSES_MEMBERS: Final = frozenset({"scip-python"})
# `__class__`; `__doc__` of a class, which is its symbol, too.
_OF_CLASS: Final = re.compile(r"__\w+__")
_QUOTES: Final = frozenset("\"'`")
_ACCESSOR: Final = re.compile(r"<[gs]et>")
_CONSTRUCTOR_WORDS: Final = frozenset({"constructor", "__init__", "__new__"})
_WORDS_FOR_TYPES: Final = frozenset({"this", "super", "self", "Self", "base"})
_DEFAULT: Final = "default"
_WORD_CHARACTER: Final = re.compile(r"[\w$]")
_WORD: Final = re.compile(r"[\w$]+")
_IMPORTS: Final = re.compile(
    r"^[ \t]*(?:from[ \t]+[.\w]+[ \t]+import[ \t]*(?:\([^)]*\)|[^\n]*)"
    r"|import\b[^;\n{]*(?:\{[^}]*\})?|export\s*(?:type\s*)?\{[^}]*\}|use\b[^;]*;)",
    re.MULTILINE,
)
_MEMBER: Final = re.compile(r"([\w$.]*)\s*\??(?:\.|::|->)\s*\Z")
_MEMBER_CHARACTERS: Final = 200
_RENAMED: Final = re.compile(r"\w+\s+as\s+\w+")
_FROM: Final = re.compile(r"\s*from\s+")
_NUMBER: Final = re.compile("[0-9]+")


class NameCheck:
    """Compares occurrences of one document with its file's text. `tool`: the indexer's name."""

    def __init__(self, text: str, *, units: Units, tool: str) -> None:
        self._text = text
        self._lines = text.split("\n")
        self._units = units
        self._confuses_members = tool in _CONFUSES_MEMBERS
        self._offsets: dict[int, Sequence[int]] = {}
        self._own_names: set[str] = set()  # symbols that stand under their own name
        self._other_names: dict[tuple[str, str], bool] = {}
        self._imported_as: dict[str, int] = {}  # symbols that an import names otherwise, by line

    def column(
        self, symbol: NamedSymbol, line: int, start: int, end: int, *, is_definition: bool
    ) -> int | None:
        """Return where the name stands in the line, in characters; None if nothing can be said.

        Lines and columns are from 0. Raises ScipDocumentError if another text stands there.
        """
        start, end = self._range(line, start, end)
        if start < 0:
            raise ScipDocumentError(_is_not_there(symbol.name, line))
        word = self._lines[line][start:end]
        if word == symbol.name or _stands_for(word, symbol):
            self._own_names.add(symbol.used)
            return start + (word[0] in _QUOTES)
        if is_definition and not (self._confuses_members and _OF_CLASS.fullmatch(word)):
            raise ScipDocumentError(_is_not_there(symbol.name, line))
        return self._other_column(symbol, line, start, word)

    def _other_column(self, symbol: NamedSymbol, line: int, start: int, word: str) -> int | None:
        """Return the column of a reference by another name than the symbol's own."""
        if self._is_renamed(symbol, word):
            return start
        if _WORD.fullmatch(word) and word in self._imported:
            self._imported_as[symbol.used] = line
            is_confused = self._confuses_members and symbol.suffix is Suffix.TYPE
            return None if is_confused else start  # another file renames what it passes on
        if self._says_nothing(symbol, line, start, word):
            return None
        raise ScipDocumentError(_is_not_there(symbol.name, line))

    def _range(self, line: int, start: int, end: int) -> tuple[int, int]:
        """Return the range in characters; -1 if it is not there, or not of whole words."""
        if line >= len(self._lines):
            return -1, -1
        text = self._lines[line]
        if not text.isascii():
            start, end = self._in_characters(line, start), self._in_characters(line, end)
        is_whole = 0 <= start < end <= len(text) and _is_whole(text, start, end)
        return (start, end) if is_whole else (-1, -1)

    def finish(self) -> None:
        """Check the names of imports, of which another file says what they are.

        A symbol that stands under its own name, too, is imported by it. Raises ScipDocumentError.
        """
        if self._confuses_members:
            return
        for symbol in self._own_names.intersection(self._imported_as):
            raise ScipDocumentError(_is_not_there(symbol, self._imported_as[symbol]))

    def _in_characters(self, line: int, column: int) -> int:
        """Return the column in characters; -1 if it is within one or behind the line."""
        if self._units is Units.UTF32:
            return column
        if line not in self._offsets:
            self._offsets[line] = _offsets(self._lines[line], self._units)
        offsets = self._offsets[line]
        return offsets[column] if column < len(offsets) else -1

    def _is_renamed(self, symbol: NamedSymbol, word: str) -> bool:
        """Whether this file gives the symbol the name."""
        name = symbol.owner if symbol.is_constructor else _written_name(symbol)
        if word == _DEFAULT or word.startswith((f"{name} ", f"{name}\t")):
            return True
        key = (name, word)
        if key not in self._other_names:
            self._other_names[key] = bool(_renaming(name, word).search(self._text))
        return self._other_names[key]

    def _says_nothing(self, symbol: NamedSymbol, line: int, start: int, word: str) -> bool:
        if not _WORD_CHARACTER.search(symbol.name):
            return True  # an operator
        if self._confuses_members and (
            _RENAMED.fullmatch(word) or _FROM.fullmatch(self._lines[line][:start])
        ):
            return True
        if not _WORD.fullmatch(word):
            return False
        owner = self._member_of(line, start)
        if self._confuses_members:
            return bool(_OF_CLASS.fullmatch(word)) or (
                owner is not None
                and (symbol.suffix is Suffix.TYPE or owner.partition(".")[0] in self._imported)
            )
        return owner is not None and self._is_namespace(owner)

    @cached_property
    def _imported(self) -> frozenset[str]:
        statements = (found[0] for found in _IMPORTS.finditer(self._text))
        return frozenset(word for statement in statements for word in _WORD.findall(statement))

    def _member_of(self, line: int, start: int) -> str | None:
        """Return the name before the dot in front of a name; None without a dot."""
        before = self._lines[line][:start][-_MEMBER_CHARACTERS:]
        while line and not before.strip():
            line -= 1
            before = self._lines[line][-_MEMBER_CHARACTERS:]
        found = _MEMBER.search(before)
        return found[1] if found else None

    def _is_namespace(self, name: str) -> bool:
        return bool(name) and bool(re.search(rf"\*\s+as\s+{re.escape(name)}(?![\w$])", self._text))


def _offsets(text: str, units: Units) -> Sequence[int]:
    """Return the character at each column, and -1 within one."""
    offsets: list[int] = []
    for number, character in enumerate(text):
        width = len(character.encode()) if units is Units.UTF8 else 1 + (character > "\uffff")
        offsets.append(number)
        offsets.extend([-1] * (width - 1))
    offsets.append(len(text))
    return offsets


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word begins before the range and goes into it, or goes on behind it."""
    return not any(
        _WORD_CHARACTER.match(text[at - 1]) and _WORD_CHARACTER.match(text[at])
        for at in (start, end)
        if 0 < at < len(text)
    )


def _written_name(symbol: NamedSymbol) -> str:
    name = _ACCESSOR.sub("", symbol.name, count=1)
    return name[1:-1] if _is_quoted(name) else name


def _stands_for(word: str, symbol: NamedSymbol) -> bool:
    if symbol.suffix is Suffix.META:  # the members of an object are numbered
        bare = word[1:-1] if _is_quoted(word) else word
        return any(_NUMBER.fullmatch(symbol.name.removeprefix(prefix)) for prefix in (word, bare))
    if symbol.is_constructor:
        return word in _CONSTRUCTOR_WORDS or word == symbol.owner or word in _WORDS_FOR_TYPES
    if symbol.suffix is Suffix.TYPE and word in _WORDS_FOR_TYPES:
        return True
    return (word[1:-1] if _is_quoted(word) else word) == _written_name(symbol)


def _is_quoted(word: str) -> bool:
    return len(word) > 1 and word[0] == word[-1] and word[0] in _QUOTES


def _renaming(name: str, other: str) -> re.Pattern[str]:
    """Return the pattern of what gives a name, or a module's default, another one."""
    name, other = re.escape(name), re.escape(other)
    return re.compile(
        rf"(?<![\w$])(?:{name}|default)\s+(?:as|=>)\s+{other}(?![\w$])"
        rf"|^[ \t]*import\s+(?:type\s+)?{other}\s*(?:,|=|from\b)",
        re.MULTILINE,
    )


def _is_not_there(name: str, line: int) -> str:
    return f"`{name}` does not stand in line {line + 1:,}"
