"""Upload of batches to central: in order, with few in memory."""

from collections.abc import Callable, Iterable
from typing import Final

from indexer.bundle.encode import FileLine, encode_record
from indexer.client.api import IndexingClient, OpenedRun
from indexer.pipeline.background_queue import BackgroundQueue
from indexer.pipeline.stats import RunCounters
from indexer.records.files import Removal

_MAX_PENDING: Final = 3  # batches in memory; more would not be sent any sooner
_TARGET_BYTES: Final = 2_000_000  # small enough that sending overlaps with extraction


class BatchUploader:
    """Batches of one run, numbered from 1. Leaving `with` by an exception waits for nothing.

    Files are added to `counters`, and `on_file` is called after each. `remove`, `add_files` and
    `finish` raise what sending raised.
    """

    def __init__(
        self,
        client: IndexingClient,
        run: OpenedRun,
        counters: RunCounters,
        on_file: Callable[[], None],
    ) -> None:
        self._client = client
        self._run = run
        self._counters = counters
        self._on_file = on_file
        self._queue = BackgroundQueue[None]("upload", max_pending=_MAX_PENDING)
        self._lines: list[bytes] = []
        self._size = 0
        self._batches = 0

    def __enter__(self) -> "BatchUploader":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._queue.close(wait=kind is None)

    def remove(self, path: str) -> None:
        """Queue a removal."""
        self._add(encode_record(Removal(path)))

    def add_lines(self, lines: Iterable[bytes]) -> None:
        """Queue lines that are no files. None may be larger than a batch."""
        for line in lines:
            self._add(line)

    def add_files(self, files: Iterable[FileLine]) -> None:
        """Queue files as they come. No line may be larger than a batch."""
        for file in files:
            self._add(file.line)
            self._counters.add(
                file.record,
                chunks=file.chunks,
                symbols=file.symbols,
                references=file.references,
                embedded=file.embedded,
            )
            self._on_file()

    def _add(self, line: bytes) -> None:
        full = self._size + len(line) > min(_TARGET_BYTES, self._run.batch_bytes)
        if full or len(self._lines) >= self._run.batch_files:
            self._send()
        self._lines.append(line)
        self._size += len(line)

    def finish(self) -> int:
        """Send the last batch and wait for all of them; return their number."""
        self._send()
        self._queue.finish()
        return self._batches

    def _send(self) -> None:
        if not self._lines:
            return
        self._batches += 1
        body = b"".join(self._lines)
        self._lines, self._size = [], 0
        self._queue.submit(self._client.put_batch, self._run.run_id, self._batches, body)
