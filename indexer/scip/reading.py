"""Reads the file of a SCIP index in parts: its metadata, then the bytes of one document at a time.

The format has no end mark: what is cut off between two documents looks like a shorter index.
"""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from google.protobuf.message import DecodeError
from isal import igzip
from isal.igzip_lib import IsalError

from indexer.errors import ScipInvalidError
from indexer.records.scip import SCIP_TOOL_CHARACTERS
from indexer.scip.scip_pb2 import Metadata, TextEncoding

SCIP_FILE_BYTES: Final = 8 * 1024**3  # also inflated
SCIP_DOCUMENT_BYTES: Final = 64 * 1024 * 1024
_GZIP_MAGIC: Final = b"\x1f\x8b"
_METADATA_BYTES: Final = 1_048_576  # it has the arguments of the indexer, too
_SKIPPED_AT_ONCE: Final = 1_048_576
_VARINT_BYTES: Final = 10
_BROKEN: Final = (EOFError, IsalError, OSError, zlib.error)


class _Field(IntEnum):
    """Fields of the message Index."""

    METADATA = 1
    DOCUMENT = 2
    EXTERNAL_SYMBOL = 3


class _Wire(IntEnum):
    """Protobuf's wire types. Groups are not used any more."""

    VARINT = 0
    FIXED64 = 1
    LENGTH = 2
    FIXED32 = 5


class IndexHead(NamedTuple):
    """What an index says of all its documents. `root` is the path of its `project_root`.

    `arguments` are those that the indexer was called with, or so it says.
    """

    tool: str
    version: str
    root: str
    is_utf16: bool  # of the text encoding
    arguments: tuple[str, ...] = ()


class IndexFile:
    """An open index: `head`, then `documents`, once. A context manager.

    Raises ScipInvalidError with the file's `name` for anything that is malformed or over a limit.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        self._left = SCIP_FILE_BYTES
        with self._problems():
            with path.open("rb") as file:
                is_gzip = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
            self._file: BinaryIO = _inflating(path) if is_gzip else path.open("rb")
        try:
            self.head = self._read_head()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "IndexFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def documents(self) -> Iterator[bytes]:
        """Yield the bytes of each document."""
        while (tag := self._varint(may_end=True)) is not None:
            field, wire = tag >> 3, tag & 7
            if field == _Field.DOCUMENT:
                yield self._message(wire, SCIP_DOCUMENT_BYTES)
            elif field == _Field.METADATA:
                raise self._invalid("it has metadata twice, or behind its documents")
            else:
                self._skip(field, wire)

    def _read_head(self) -> IndexHead:
        tag = self._varint(may_end=True)
        if tag is None or tag >> 3 != _Field.METADATA:
            raise self._invalid("it does not begin with metadata")
        data = self._message(tag & 7, _METADATA_BYTES)
        try:
            metadata = Metadata.FromString(data)
        except DecodeError as exc:
            raise self._invalid("its metadata are malformed") from exc
        tool = metadata.tool_info
        if not tool.name or max(len(tool.name), len(tool.version)) > SCIP_TOOL_CHARACTERS:
            raise self._invalid("its metadata name no indexer, or one with too long a name")
        return IndexHead(
            tool.name,
            tool.version,
            _url_path(metadata.project_root),
            metadata.text_document_encoding == TextEncoding.UTF16,
            tuple(tool.arguments),
        )

    def _message(self, wire: int, limit: int) -> bytes:
        if wire != _Wire.LENGTH:
            raise self._invalid("a field has a wrong type")
        size = self._length()
        if size > limit:
            raise self._invalid(f"a part has {size:,} bytes; at most {limit:,} are read")
        return self._bytes(size)

    def _skip(self, field: int, wire: int) -> None:
        if field == 0 or (field == _Field.EXTERNAL_SYMBOL and wire != _Wire.LENGTH):
            raise self._invalid("a field has a wrong type")
        match wire:
            case _Wire.VARINT:
                self._varint()
                return
            case _Wire.FIXED64:
                size = 8
            case _Wire.LENGTH:
                size = self._length()
            case _Wire.FIXED32:
                size = 4
            case _:
                raise self._invalid("a field has a wrong type")
        while size > 0:
            size -= len(self._bytes(min(size, _SKIPPED_AT_ONCE)))

    def _length(self) -> int:
        return self._varint() or 0

    def _varint(self, *, may_end: bool = False) -> int | None:
        value = 0
        for place in range(_VARINT_BYTES):
            if may_end and not place:
                byte = self._read(1)
                if not byte:
                    return None
            else:
                byte = self._bytes(1)
            value |= (byte[0] & 0x7F) << (7 * place)
            if byte[0] < 0x80:
                return value
        raise self._invalid("a number has too many bytes")

    def _bytes(self, size: int) -> bytes:
        data = self._read(size)
        if len(data) < size:
            raise self._invalid("it is cut off")
        return data

    def _read(self, size: int) -> bytes:
        self._left -= size
        if self._left < 0:
            raise self._invalid(f"at most {SCIP_FILE_BYTES:,} bytes are read")
        with self._problems():
            data: bytes = self._file.read(size)
        return data

    @contextmanager
    def _problems(self) -> Iterator[None]:
        try:
            yield
        except _BROKEN as exc:  # type: ignore[misc] # the stub of IsalError gives no class
            problem = getattr(exc, "strerror", "") or "it is no whole gzip file"
            raise self._invalid(problem) from exc

    def _invalid(self, problem: str) -> ScipInvalidError:
        return invalid_index(self._name, problem)


def invalid_index(name: str, problem: str) -> ScipInvalidError:
    """Return the error of an index that is not used."""
    return ScipInvalidError(
        f"{name} is not a SCIP index that can be read ({ScipInvalidError.code}): {problem}. Make "
        "it again, or leave it out"
    )


def _inflating(path: Path) -> BinaryIO:
    file: BinaryIO = igzip.open(path)  # type: ignore[no-untyped-call]
    return file


def _url_path(url: str) -> str:
    try:
        return unquote(urlsplit(url).path)
    except ValueError:
        return ""
