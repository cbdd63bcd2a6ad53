"""Symbols of what a program names: no locals, parameters or modules, and without versions."""

from functools import lru_cache
from typing import Final, NamedTuple

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
