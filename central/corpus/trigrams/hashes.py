"""Hashes of the trigrams of a text: of any three neighbouring characters, folded by case.

The fold, the hash and what is taken of a file are the stored format. A change of any needs another
FORMAT, so that every segment is built again (decisions 0038, 0042).
"""

import sys
from functools import cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint32]  # ascending, distinct

FORMAT: Final = 2  # of segments; the first one had no line feeds around a file's content
HASH_BITS: Final = 32
LENGTH: Final = 3  # characters of a trigram

_CASED_END: Final = 0x20000  # no character from here on has a case
# Case pairs of Unicode 15 to 17, so that every version of Python has the same table.
_LATER_PAIRS: Final = (
    *((0x0390, 0x1FD3), (0x03B0, 0x1FE3), (0xFB05, 0xFB06)),
    *((0x019B, 0xA7DC), (0x0264, 0xA7CB), (0x1C89, 0x1C8A)),
    *((upper, upper + 1) for upper in (0xA7CC, 0xA7CE, 0xA7D2, 0xA7D4, 0xA7DA)),
    *((0x10D50 + n, 0x10D70 + n) for n in range(22)),  # Garay
    *((0x16EA0 + n, 0x16EBB + n) for n in range(25)),  # Beria Erfe
)
_SECOND: Final = np.uint32(0x9E3779B1)
_THIRD: Final = np.uint32(0x85EBCA77)
_SPREAD: Final = np.uint32(0xC2B2AE3D)
_SHIFT: Final = np.uint32(15)


def _case_pairs() -> list[tuple[int, int]]:
    pairs = list(_LATER_PAIRS)
    for code in range(_CASED_END):
        character = chr(code)
        for other in {
            character.lower(),
            character.upper(),
            character.title(),
            character.casefold(),
        } - {character}:
            if len(other) == 1:
                pairs.append((code, ord(other)))
    return pairs


@cache
def fold_table() -> NDArray[np.uint32]:
    """Map each code point to the smallest of all that conversions of case link with it.

    RE2's `(?i)` never matches across two of them: it folds K and the Kelvin sign, s and the long s.
    """
    table = np.arange(sys.maxunicode + 1, dtype=np.uint32)
    pairs = _case_pairs()
    is_changed = True
    while is_changed:
        is_changed = False
        for code, other in pairs:
            if table[code] != table[other]:
                table[code] = table[other] = min(table[code], table[other])
                is_changed = True
    return table


@cache
def _ascii_fold() -> NDArray[np.uint32]:
    return fold_table()[:128].copy()


def folded_codes(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text, folded."""
    if text.isascii():
        table, codes = _ascii_fold(), np.frombuffer(text.encode("ascii"), np.uint8)
    else:
        encoded = text.encode("utf-32-le", "surrogatepass")
        table, codes = fold_table(), np.frombuffer(encoded, "<u4")
    return table.take(codes)


def window_hashes(text: str) -> NDArray[np.uint32]:
    """Return the hash of each trigram of a text in its order; none below three characters."""
    codes = folded_codes(text)
    hashes: NDArray[np.uint32] = codes[:-2] + codes[1:-1] * _SECOND + codes[2:] * _THIRD
    hashes ^= hashes >> _SHIFT
    hashes *= _SPREAD
    hashes ^= hashes >> _SHIFT
    return hashes


def content_hashes(content: str) -> Hashes:
    """Return the hashes of all trigrams of a file: its first line begins as all others do.

    So the anchors `^` and `$` of a regular expression are line feeds.
    """
    return trigram_hashes(f"\n{content}\n")


def trigram_hashes(text: str) -> Hashes:
    """Return the hashes of all trigrams of a text."""
    hashes = window_hashes(text)
    hashes.sort()
    is_first = np.ones(len(hashes), bool)
    np.not_equal(hashes[1:], hashes[:-1], out=is_first[1:])
    return hashes[is_first]
