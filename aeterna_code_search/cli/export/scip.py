"""A project's index as a file of SCIP, compressed if its name says so."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from aeterna_code_search.cli.export.graph import EXPORTED_BYTES
from aeterna_code_search.client.part_file import locked_part, require_free, sync
from indexer.errors import CentralError, ScipInvalidError

if TYPE_CHECKING:
    from aeterna_code_search.client.api import ServiceApi


@dataclass(frozen=True, slots=True)
class Exported:
    """Bytes of the index before compression, and the commit that it is of."""

    size: int
    commit: str


def export_scip(
    api: "ServiceApi",
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
    require_free(target, may_overwrite=may_overwrite)
    with locked_part(target, is_resumable=lambda _: False) as part:
        download = _Download(part, target.suffix == ".gz", received)
        given = {"project": project, "project_root": project_root}
        api.scip({name: value for name, value in given.items() if value}, download.receive)
        sync(part)
        commit = _commit(part)
        part.replace(target)
    return Exported(download.size, commit)


class _Download:
    def __init__(self, part: Path, is_compressed: bool, received: Callable[[int], None]) -> None:
        self._part = part
        self._is_compressed = is_compressed
        self._received = received
        self.size = 0

    def receive(self, pieces: Iterator[bytes], _: int | None) -> None:
        self.size = 0
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
        self._received(self.size)


def _commit(part: Path) -> str:
    """Return the commit that an index names. Raises CentralError for what is no index."""
    from indexer.scip.reading import IndexFile

    try:
        with IndexFile(part, part.name) as file:
            named = dict(argument.partition("=")[::2] for argument in file.head.arguments)
    except ScipInvalidError as exc:
        raise CentralError("the service's answer is no index of SCIP") from exc
    return named.get("commit", "")
