"""SCIP: symbols, and what one document of an index says of its file.

The grammar of symbols is the comment of `message Symbol` in scip.proto, version 0.10.0.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

SCIP_SYMBOL_BYTES: Final = 1_000
SCIP_TOOL_CHARACTERS: Final = 100  # of an indexer's name, and of its version
SCIP_DEFINITIONS: Final = 20_000  # of a document
SCIP_OCCURRENCES: Final = 60_000  # of a document, without definitions
SCIP_RELATIONSHIPS: Final = 20_000  # of a document
# The binding of a reference that only an index knows, by its symbol; no file's rows have it.
SCIP_BINDING: Final = "scip"
CONSTRUCTOR: Final = "<constructor>"  # the name of a class's constructor in scip-typescript


class Suffix(StrEnum):
    """What a descriptor names, by the character that ends it."""

    NAMESPACE = "/"
    TYPE = "#"
    TERM = "."
    METHOD = "()."
    TYPE_PARAMETER = "[]"
    PARAMETER = "()"
    META = ":"
    MACRO = "!"


class Descriptor(NamedTuple):
    """A part of a symbol; the disambiguator is of a method alone."""

    name: str
    suffix: Suffix
    disambiguator: str = ""


class ScipSymbol(NamedTuple):
    """A global symbol. Empty are a manager, package or version that it leaves out (`.`)."""

    scheme: str
    manager: str
    package: str
    version: str
    descriptors: tuple[Descriptor, ...]


_FIELD: Final = re.compile(r"((?:[^ ]|  )*+) ")
_NAME: Final = r"`(?P<escaped{n}>(?:[^`]|``)++)`|(?P<simple{n}>[^\s`/#.:!()\[\]]++)"
_DESCRIPTOR: Final = re.compile(
    rf"\[(?:{_NAME.format(n=1)})\]|\((?:{_NAME.format(n=2)})\)"
    rf"|(?:{_NAME.format(n=3)})(?:\((?P<disambiguator>[^\s`/#.:!()\[\]]*+)\)\.|(?P<suffix>[/#.:!]))"
)
_SIMPLE: Final = re.compile(r"[A-Za-z0-9_+$-]+\Z")
_LOCAL: Final = "local "


def parse_symbol(text: str) -> ScipSymbol | None:
    """Read a global symbol; None for a local one, and for what is no symbol.

    Simple identifiers may have characters beyond ASCII, which some indexers do not escape.
    """
    if text.startswith(_LOCAL):
        return None
    fields, at = [], 0
    for _ in range(4):
        if (found := _FIELD.match(text, at)) is None:
            return None
        fields.append(found[1])
        at = found.end()
    descriptors = []
    while at < len(text):
        if (found := _DESCRIPTOR.match(text, at)) is None:
            return None
        descriptors.append(_descriptor(found))
        at = found.end()
    scheme, *package = fields
    manager, name, version = ("" if field == "." else field.replace("  ", " ") for field in package)
    return ScipSymbol(scheme.replace("  ", " "), manager, name, version, tuple(descriptors))


def format_symbol(symbol: ScipSymbol) -> str:
    """Write a symbol as `parse_symbol` reads it."""
    package = (symbol.manager, symbol.package, symbol.version)
    fields = [_field(symbol.scheme), *(_field(field) if field else "." for field in package)]
    return " ".join(fields) + " " + "".join(map(_formatted, symbol.descriptors))


def _field(text: str) -> str:
    return text.replace(" ", "  ")


def _descriptor(found: re.Match[str]) -> Descriptor:
    kind = next(n for n in "123" if found[f"escaped{n}"] or found[f"simple{n}"])
    escaped = found[f"escaped{kind}"]
    name = escaped.replace("``", "`") if escaped else found[f"simple{kind}"]
    if kind == "1":
        return Descriptor(name, Suffix.TYPE_PARAMETER)
    if kind == "2":
        return Descriptor(name, Suffix.PARAMETER)
    if (suffix := found["suffix"]) is not None:
        return Descriptor(name, Suffix(suffix))
    return Descriptor(name, Suffix.METHOD, found["disambiguator"])


def _formatted(descriptor: Descriptor) -> str:
    name = (
        descriptor.name
        if _SIMPLE.match(descriptor.name)
        else f"`{descriptor.name.replace('`', '``')}`"
    )
    match descriptor.suffix:
        case Suffix.TYPE_PARAMETER:
            return f"[{name}]"
        case Suffix.PARAMETER:
            return f"({name})"
        case Suffix.METHOD:
            return f"{name}({descriptor.disambiguator})."
    return name + descriptor.suffix


class ScipPlace(NamedTuple):
    """Where a symbol's name stands: `line` is 1-based, `column` 0-based in characters.

    `symbol` is an index into the document's symbols.
    """

    line: int
    column: int
    symbol: int


@dataclass(frozen=True, slots=True)
class ScipDocument:
    """What an index says of a file, checked against that file's text; all of it is sorted.

    `tool` is the indexer's name and version. `digest` (32 hexadecimal digits) is of what the
    document says without versions: equal digests of one blob are equal documents. `symbols` are
    global ones of what a program names, without versions; a constructor's is that of its class.
    `relationships` are pairs of symbols, of which the first implements the second. `cut` is the
    number of occurrences that a limit left out.
    """

    path: str
    blob: str
    tool: str
    digest: str
    symbols: tuple[str, ...]
    definitions: tuple[ScipPlace, ...]
    references: tuple[ScipPlace, ...]
    relationships: tuple[tuple[int, int], ...] = ()
    cut: int = 0


@dataclass(frozen=True, slots=True)
class ScipRemoval:
    """A path of which nothing is known any more but what its rules say."""

    path: str
