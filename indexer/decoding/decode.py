"""Bytes to text, by the byte order mark, what the file or others declare, else by a guess.

A pure function of its arguments. Plain UTF-8 costs its decoding alone.
"""

from typing import Final

from indexer.decoding.codec import MARKS, UTF8, Decoded, codec_name, decoded, decoded_as, is_wide
from indexer.decoding.declarations import compiled_label, label_in
from indexer.decoding.detection import detect, is_text
from indexer.records.files import SkipReason

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
    return detect(content) or SkipReason.NOT_UTF8


def _by_others(content: bytes, declared: str) -> Decoded | SkipReason:
    """Decode by the declaration of another file, whose pattern may cover files that are no text."""
    found = decoded_as(content, declared)
    return found if found and is_text(found.text) else SkipReason.ENCODING_INVALID
