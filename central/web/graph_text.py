"""Text that must fit a box: cut by the columns that it takes, with an ellipsis. Pure."""

import unicodedata

_WIDE = frozenset({"W", "F"})


def columns(text: str) -> int:
    """How many digits wide the text is in a font of fixed width."""
    return sum(_width(character) for character in text)


def shortened(text: str, limit: int) -> str:
    """The text, or as much of its beginning as fits into `limit` columns with `…`."""
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
