"""Python's codecs that may decode a file, by the labels that files declare."""

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

UTF8: Final = "utf-8"
# Byte order marks. In this order: that of UTF-32 begins as that of UTF-16.
MARKS: Final = {
    "utf-8": b"\xef\xbb\xbf",
    "utf-32-le": b"\xff\xfe\x00\x00",
    "utf-32-be": b"\x00\x00\xfe\xff",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
}
# Only what encodes text. `utf-7`, `idna`, `unicode_escape` and the like are ways of writing text in
# ASCII, and some of them take time that is the square of the length.
_FAMILIES: Final = re.compile(
    r"ascii|utf-(?:8|16|32)(?:-[lb]e)?|iso(?:8859|2022)[-_].+|cp\d+|big5.*|gb\d*.*|hz|euc_.+|johab"
    r"|shift_jis.*|koi8.+|mac[-_].+|hp-roman8|kz1048|ptcp154|tis-620"
)
_LABEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,39}")
# Without a mark nothing says which byte is first. It is the lower one, as the Encoding Standard has
# it and Windows writes it.
_WITHOUT_ORDER: Final = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}
# Names of vendors, and of git, that Python does not know.
_ALIASES: Final = {
    "utf-16le-bom": "utf-16-le",
    "windows-31j": "cp932",
    "windows-949": "cp949",
    "x-gbk": "gbk",
    "x-sjis": "cp932",
}
# What programs write under the name of a standard: its extension by a vendor, as in the Encoding
# Standard.
_WIDER: Final = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text without a byte order mark; `source` is the text in UTF-8.

    `encoding` is the name of Python's codec, "" for UTF-8.
    """

    text: str
    source: bytes
    encoding: str = ""


def decoded(content: bytes, codec: str) -> Decoded | None:
    """Decode all of it; None if it is not valid in the codec, or has a NUL."""
    try:
        text = content.decode(codec)
    except UnicodeDecodeError:
        return None
    if codec == UTF8:
        return Decoded(text, content)
    return None if "\0" in text else Decoded(text, text.encode(), codec)


@lru_cache(maxsize=256)
def codec_name(label: str) -> str | None:
    """Return the name by which Python knows a label; None for one that decodes no files."""
    label = label.lower()
    if not _LABEL.fullmatch(label):
        return None
    try:
        name = codecs.lookup(_ALIASES.get(label, label)).name
    except (LookupError, ValueError):
        return None
    name = _WITHOUT_ORDER.get(name, name).removesuffix("-sig")
    return name if _FAMILIES.fullmatch(name) else None


def is_wide(label: str) -> bool:
    """Whether text in the encoding may hold NUL bytes."""
    name = codec_name(label) or ""
    return name.startswith(("utf-16", "utf-32"))


def decoded_as(content: bytes, label: str) -> Decoded | None:
    """Decode by the codec of a label, else by the wider one that vendors write under its name."""
    name = codec_name(label)
    tried = (encoding for encoding in (name, _WIDER.get(name or "")) if encoding)
    return next(filter(None, (decoded(content, codec) for codec in tried)), None)
