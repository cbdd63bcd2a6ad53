"""Bytes to text, by the byte order mark, what the file or others declare, else by a guess.

A pure function of its arguments. Plain UTF-8 costs its decoding alone.
"""

import codecs
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from indexer.languages import detect
from indexer.records.files import SkipReason

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


_NUL: Final = b"\0"
_ESCAPE: Final = b"\x1b"  # by which ISO-2022 leaves ASCII


def decode_text(path: str, content: bytes, declared: str = "") -> Decoded | SkipReason:
    """Decode a file; return the reason if it is no text or not in the encoding that it should be.

    `declared` is the label that another file gives it, see indexer.git. It counts only for what is
    no UTF-8: git converts what `working-tree-encoding` names to UTF-8.
    """
    for codec, mark in MARKS.items():
        if content.startswith(mark):
            return _marked(content[len(mark) :], codec)
    if _NUL in content:
        return _by_others(content, declared) if is_wide(declared) else SkipReason.BINARY
    if not content.isascii() or _ESCAPE in content:
        compiler = codec_name(compiled_label(path, content))
        if compiler and (found := decoded(content, compiler)):
            return found
    return decoded(content, UTF8) or _not_utf8(path, content, declared)


def _marked(content: bytes, codec: str) -> Decoded | SkipReason:
    if codec == UTF8 and _NUL in content:
        return SkipReason.BINARY
    found = decoded(content, codec)
    if not found:
        return SkipReason.ENCODING_INVALID
    return found if codec == UTF8 or is_text(found.text) else SkipReason.BINARY


def _not_utf8(path: str, content: bytes, declared: str) -> Decoded | SkipReason:
    label = label_in(path, content)
    if label:
        return decoded_as(content, label) or SkipReason.ENCODING_INVALID
    if codec_name(declared) not in {None, UTF8}:
        return _by_others(content, declared)
    return detected(content) or SkipReason.NOT_UTF8


def _by_others(content: bytes, declared: str) -> Decoded | SkipReason:
    """Decode by the declaration of another file, whose pattern may cover files that are no text."""
    found = decoded_as(content, declared)
    return found if found and is_text(found.text) else SkipReason.ENCODING_INVALID


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


def detected(content: bytes) -> Decoded | None:
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


_SHA1_DIGITS = 40


def has_mark(*, text: str, encoding: str, size: int) -> bool:
    """Whether a file of `size` bytes begins with a byte order mark, which `text` does not have."""
    data = _encoded(text, encoding)
    mark = MARKS.get(encoding or UTF8)
    return data is not None and mark is not None and size == len(mark) + len(data)


def blob_bytes(*, text: str, encoding: str, size: int, blob: str) -> bytes | None:
    """Return the bytes of the blob; None if its text does not tell them.

    A few encodings write a character in several ways, so the bytes are compared with the blob's
    hash. UTF-8 has one way: another size is that of a file whose encoding was not stored, because
    the service of that time did not ask for it.
    """
    data = _encoded(text, encoding)
    if data is not None and has_mark(text=text, encoding=encoding, size=size):
        data = MARKS[encoding or UTF8] + data
    if data is None:
        return None
    is_same = _git_hash(data, blob) == blob if encoding else len(data) == size
    return data if is_same else None


def _encoded(text: str, encoding: str) -> bytes | None:
    if encoding and codec_name(encoding) != encoding:  # of an indexer that knows others
        return None
    try:
        return text.encode(encoding or UTF8)
    except UnicodeEncodeError:
        return None


def _git_hash(data: bytes, blob: str) -> str:
    kind = hashlib.sha1 if len(blob) == _SHA1_DIGITS else hashlib.sha256
    return kind(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


_HEAD_BYTES: Final = 1_024  # in which the HTML standard looks for a `meta` element
_DECLARED: Final = rb"([A-Za-z0-9][\w.:+-]{0,39})"
# PEP 263, and Ruby's magic comment, which is of the same form.
_COMMENT: Final = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*" + _DECLARED)
_NOT_CODE: Final = re.compile(rb"[ \t\f]*(?:#.*)?\r?")
_COMPILED: Final = frozenset({"python", "ruby"})
_EDITOR: Final = re.compile(
    rb"-\*-.{0,200}?\bcoding:[ \t]*" + _DECLARED
    + rb"|\bvim?:.{0,200}?\b(?:fenc|fileencoding)=" + _DECLARED
)  # fmt: skip
_XML: Final = re.compile(rb"""<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']""" + _DECLARED)
_CSS: Final = re.compile(rb'@charset "' + _DECLARED)
_HTML: Final = re.compile(
    rb"""<meta\s[^>]{0,200}?\bcharset\s*=\s*["']?\s*""" + _DECLARED
    + rb"""|<%@[^>]{0,400}?\bpageEncoding\s*=\s*["']""" + _DECLARED,
    re.IGNORECASE,
)  # fmt: skip
_HTML_SUFFIXES: Final = frozenset({
    ".asp", ".aspx", ".cshtml", ".ejs", ".erb", ".htm", ".html", ".jsp", ".jspf", ".php", ".phtml",
    ".shtml", ".vue", ".xhtml",
})  # fmt: skip


def compiled_label(path: str, content: bytes) -> str:
    """Return the label by which the file's compiler decodes it, whatever its bytes look like."""
    if b"coding" not in content[:_HEAD_BYTES]:
        return ""
    return _comment_label(content) if detect(path, content).name in _COMPILED else ""


def label_in(path: str, content: bytes) -> str:
    """Return the label that the file declares; "" if it declares none."""
    head = content[:_HEAD_BYTES]
    found = _XML.match(head) or _CSS.match(head) or _EDITOR.search(_first_lines(head))
    if not found and PurePosixPath(path).suffix.lower() in _HTML_SUFFIXES:
        found = _HTML.search(head)
    return compiled_label(path, content) or _label(found)


def _comment_label(content: bytes) -> str:
    first, _, rest = content[:_HEAD_BYTES].partition(b"\n")
    found = _COMMENT.match(first)
    if not found and _NOT_CODE.fullmatch(first):
        found = _COMMENT.match(rest)
    return _label(found)


def _first_lines(head: bytes) -> bytes:
    """Return the first line, with the next one if it names an interpreter."""
    lines = head.split(b"\n", 2)
    return b"\n".join(lines[:2]) if lines[0].startswith(b"#!") else lines[0]


def _label(found: re.Match[bytes] | None) -> str:
    return found[found.lastindex or 0].decode("ascii") if found else ""
