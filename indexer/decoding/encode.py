"""The bytes of a file's blob from its stored text, which is stored without them."""

import hashlib

from indexer.decoding.codec import MARKS, UTF8, codec_name

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
