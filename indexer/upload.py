"""Cuts records into numbered batches and sends them while the next ones are being made."""

from typing import Final

from indexer.bundle.compression import compress
from indexer.bundle.encoding import encode_record
from indexer.bundle.lines import FileLine
from indexer.client import Central, OpenedRun
from indexer.lane import Lane
from indexer.records import Removal

_IN_FLIGHT: Final = 3  # batches in memory; more would not be sent any sooner
_TARGET_BYTES: Final = 2_000_000  # small enough that sending overlaps with making


class BatchUploader:
    """Batches of one run, numbered from 1. Leaving `with` by an exception waits for nothing.

    `add` and `finish` raise what sending raised.
    """

    def __init__(self, central: Central, run: OpenedRun) -> None:
        self._central = central
        self._run = run
        self._sending = Lane[None]("upload", ahead=_IN_FLIGHT)
        self._lines: list[bytes] = []
        self._size = 0
        self._batches = 0

    def __enter__(self) -> "BatchUploader":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._sending.__exit__(kind)

    def remove(self, path: str) -> None:
        """Queue a removal."""
        self._append(encode_record(Removal(path)))

    def add(self, file: FileLine) -> None:
        """Queue a file, which must not be larger than a batch."""
        self._append(file.line)

    def _append(self, line: bytes) -> None:
        full = self._size + len(line) > min(_TARGET_BYTES, self._run.batch_bytes)
        if full or len(self._lines) >= self._run.batch_files:
            self._cut()
        self._lines.append(line)
        self._size += len(line)

    def finish(self) -> int:
        """Send what is left and wait for all; answers how many batches there are."""
        self._cut()
        self._sending.finish()
        return self._batches

    def _cut(self) -> None:
        if not self._lines:
            return
        self._batches += 1
        body = b"".join(self._lines)
        self._lines, self._size = [], 0
        self._sending.submit(self._send, self._batches, body)

    def _send(self, number: int, body: bytes) -> None:
        self._central.put_batch(self._run.run_id, number, compress(body))
