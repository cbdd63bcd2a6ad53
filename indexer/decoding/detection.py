"""A guess of the encoding of text that declares none, and what a guess must withstand."""

import re
from typing import Final

from indexer.decoding.codec import Decoded, decoded_as

_LOOKED_AT_BYTES: Final = 65_536
_NOT_ASCII: Final = re.compile(rb"[\x80-\xff]")
# No text has these; C1 controls are what text of one code page has when it is read by another.
_NOT_TEXT: Final = re.compile(r"[\0-\x07\x0e-\x19\x1c-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
# Of random UTF-16 a tenth is for private use.
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")
_PRIVATE_SHARE: Final = 1 / 50
# In Latin script most letters are of ASCII: of random bytes half are not.
_LATIN: Final = frozenset({
    "cp1250", "cp1252", "cp1254", "cp1257", "cp1258", "iso8859-2",
    "iso8859-4",
})  # fmt: skip
_LATIN_SHARE: Final = 1 / 3


def is_text(text: str) -> bool:
    """Whether it has no characters that only binary data has, and few of private use."""
    return _NOT_TEXT.search(text) is None and (
        text.isascii() or len(_PRIVATE.findall(text)) <= _PRIVATE_SHARE * len(text)
    )


def detect(content: bytes) -> Decoded | None:
    """Return the text by the best guess; None if no guess is good enough.

    A guess is good if all bytes are characters of it that give the same bytes again, no character
    is a control, and Latin letters are mostly of ASCII. UTF-8 with a few wrong bytes is refused.
    """
    if _is_broken_utf8(content):
        return None
    found = decoded_as(content, _guess(content))
    return found if found and _is_good(found, content) else None


def _is_good(found: Decoded, content: bytes) -> bool:
    if not is_text(found.text) or found.text.encode(found.encoding) != content:
        return False
    others = len(_NOT_ASCII.findall(content)) if found.encoding in _LATIN else 0
    return others <= _LATIN_SHARE * len(content)


def _guess(content: bytes) -> str:
    import chardetng_py  # native code that few files need

    lines = [line for line in content.split(b"\n") if not line.isascii()]
    label: str = chardetng_py.detect(b"\n".join(lines)[:_LOOKED_AT_BYTES])
    return label


def _is_broken_utf8(content: bytes) -> bool:
    text = content.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(not character.isascii() for character in text) - bad
    return good >= 2 * bad
