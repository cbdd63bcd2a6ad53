"""What people and repositories wrote, as text that rearranges nothing around it. Pure.

Escaping is the templates'. What is no sign and no blank is shown as �: controls, and those of
Unicode's bidirectional algorithm, with which a title could turn the words around it about.
"""

import unicodedata
from typing import Final

_LINES: Final = "\n\t"
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS: Final = "\u200c\u200d"  # which scripts and emoji are written with


def plain_text(text: str) -> str:
    """Lines and tabs stay."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char if char in _LINES else _shown(char) for char in unified)


def plain_line(text: str) -> str:
    """On one line."""
    return plain_text(text).translate({ord(char): " " for char in _LINES})


def _shown(char: str) -> str:
    hidden = unicodedata.category(char) in _HIDDEN and char not in _JOINERS
    return "�" if hidden else char
