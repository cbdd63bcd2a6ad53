"""Symbols of what a program names: no locals, parameters or modules, and without versions."""

from functools import lru_cache
from typing import Final, NamedTuple

from indexer.limits import SCIP_SYMBOL_CHARACTERS
from indexer.records.scip import ScipSymbol, Suffix, format_symbol, parse_symbol

_KNOWN_SYMBOLS: Final = 1 << 16
_CONSTRUCTORS: Final = frozenset({"<constructor>", "__init__", "<init>", ".ctor"})
_DROPPED: Final = frozenset({Suffix.NAMESPACE, Suffix.PARAMETER, Suffix.TYPE_PARAMETER})
_MODULE_META: Final = "__init__"


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


@lru_cache(maxsize=_KNOWN_SYMBOLS)
def named_symbol(text: str) -> NamedSymbol | None:
    """Return the symbol if it names what we store; None for a local, a parameter or a module."""
    symbol = parse_symbol(text)
    if symbol is None or not symbol.descriptors or "\0" in text:
        return None
    *outer, last = symbol.descriptors
    if last.suffix in _DROPPED or (last.suffix is Suffix.META and last.name == _MODULE_META):
        return None
    symbol = symbol._replace(version="")
    normal = format_symbol(symbol)
    if len(normal) > SCIP_SYMBOL_CHARACTERS:
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
