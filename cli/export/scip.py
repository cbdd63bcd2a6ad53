"""A project's index as a file of SCIP, compressed if its name says so."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from cli.export.part_file import locked_part, sync
from indexer.errors import CentralError, ConfigurationError
from indexer.limits import EXPORTED_BYTES

if TYPE_CHECKING:
    from cli.api import HttpSearchApi

_HEAD_BYTES: Final = 64 * 1024  # has the metadata, which are the first field


@dataclass(frozen=True, slots=True)
class Exported:
    """Bytes of the index before compression, and the commit that it is of."""

    size: int
    commit: str


def export_scip(
    api: "HttpSearchApi",
    target: Path,
    *,
    project: str,
    project_root: str,
    may_overwrite: bool,
    received: Callable[[int], None],
) -> Exported:
    """Write a project's index to `target`, which is replaced when the index is complete.

    Raises ConfigurationError if it cannot be written, or exists and may not be overwritten. Raises
    CentralError.
    """
    if target.exists() and not (may_overwrite and target.is_file()):
        advice = (
            "exists already: overwrite it with --force, or name another file"
            if target.is_file()
            else "is not a file: name a file"
        )
        raise ConfigurationError(f"{target} {advice}")
    with locked_part(target, is_resumable=lambda _: False) as part:
        download = _Download(part, target.suffix == ".gz", received)
        api.scip({"project": project, **_given(project_root)}, download.receive)
        sync(part)
        part.replace(target)
    return Exported(download.size, _commit(download.head))


def _given(project_root: str) -> dict[str, str]:
    return {"project_root": project_root} if project_root else {}


class _Download:
    def __init__(self, part: Path, is_compressed: bool, received: Callable[[int], None]) -> None:
        self._part = part
        self._is_compressed = is_compressed
        self._received = received
        self.size = 0
        self.head = b""

    def receive(self, pieces: Iterator[bytes], _: int | None) -> None:
        self.size, self.head = 0, b""
        with self._part.open("r+b") as file:  # the file is locked, so it must not be replaced
            file.truncate()
            with self._writer(file) as writer:
                for piece in pieces:
                    self._add(piece)
                    writer.write(piece)

    def _writer(self, file: IO[bytes]) -> "nullcontext[IO[bytes]] | gzip.GzipFile":
        if not self._is_compressed:
            return nullcontext(file)
        return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)

    def _add(self, piece: bytes) -> None:
        self.size += len(piece)
        if self.size > EXPORTED_BYTES:
            raise CentralError(f"the index is larger than {EXPORTED_BYTES:,} bytes")
        if len(self.head) < _HEAD_BYTES:
            self.head += piece[:_HEAD_BYTES]
        self._received(self.size)


def _commit(head: bytes) -> str:
    """Return the commit that the metadata at the beginning of an index name."""
    from google.protobuf.message import DecodeError

    from indexer.scip.scip_pb2 import Metadata

    size, shift, at = 0, 0, 1
    while at < len(head):
        size |= (head[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if not head[at - 1] & 0x80:
            break
    try:
        about = Metadata.FromString(head[at : at + size])
    except DecodeError as exc:
        raise CentralError("the service's answer is no index of SCIP") from exc
    named = dict(one.partition("=")[::2] for one in about.tool_info.arguments)
    return str(named.get("commit", ""))
