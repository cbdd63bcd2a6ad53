"""User text without characters that rearrange the text around it, and cut to fit a box.

Templates escape it. Controls of text direction and tags are shown as code points, others as �.
"""

import unicodedata
from typing import Final

from indexer.output.terminal import HIDDEN, show_hidden

_WIDE: Final = frozenset({"W", "F"})
_LINES: Final = "\n\t"
_CONTROLS: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS: Final = "\u200c\u200d"  # which scripts and emoji are written with


def plain_text(text: str) -> str:
    return show_hidden(without_controls(text))


def without_controls(text: str) -> str:
    """Return the text with LF as its only line end; what `show_hidden` shows stays."""
    if text.isprintable():  # nearly always
        return text
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char if char in _LINES else _shown(char) for char in unified)


def plain_line(text: str) -> str:
    return plain_text(text).translate({ord(char): " " for char in _LINES})


def _shown(char: str) -> str:
    stays = char in _JOINERS or HIDDEN.match(char)
    return "�" if unicodedata.category(char) in _CONTROLS and not stays else char


def columns(text: str) -> int:
    """Return the text's width in columns of a fixed-width font."""
    return sum(_width(character) for character in text)


def shortened(text: str, limit: int) -> str:
    """Return the text, cut with `…` to `limit` columns."""
    if columns(text) <= limit:
        return text
    kept = []
    room = limit - 1
    for character in text:
        room -= _width(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1
