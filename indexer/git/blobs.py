"""Content of blobs, through one long-lived `git cat-file --batch`.

GitPython's reader is not used because it supports SHA-1 repositories only.
"""

import os
import select
import time
from collections.abc import Iterable, Iterator
from typing import Final

from indexer.errors import GitError
from indexer.git.parse import explain_git_error, missing_blob
from indexer.git.process import GitProcess, Process, end, timed_out
from indexer.limits import GIT_COMMAND_SECONDS
from indexer.records.files import SourceFile, TreeEntry

_READ_BYTES: Final = 1 << 20


class Blobs:
    """A reader of blobs. Not thread-safe. The process starts with the first read."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git
        self._process: Process | None = None
        self._buffer = bytearray()

    def close(self) -> None:
        """End the process."""
        if self._process:
            end(self._process)
            self._process = None

    def sources(self, entries: Iterable[TreeEntry]) -> Iterator[SourceFile]:
        """Yield each entry with its content, read when it is asked for. Raises GitError."""
        for entry in entries:
            yield SourceFile(entry, self.read(entry.blob))

    def read(self, blob: str) -> bytes:
        """Return the content. Raises GitError, also if the clone has no such blob."""
        process = self._process = self._process or self._started()
        deadline = time.monotonic() + GIT_COMMAND_SECONDS
        try:
            process.stdin.write(blob.encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError as exc:
            raise self._ended(process) from exc
        header = self._line(process, deadline).split()  # name, type, size; or name, "missing"
        if len(header) != 3:
            raise missing_blob(blob)
        content = self._bytes(process, int(header[2]) + 1, deadline)  # and the LF that ends it
        if header[1] != b"blob":
            raise missing_blob(blob)
        return content[:-1]

    def _started(self) -> Process:
        self._buffer = bytearray()
        return self._git.start("cat-file", "--batch")

    def _line(self, process: Process, deadline: float) -> bytes:
        while (end_of_line := self._buffer.find(b"\n")) < 0:
            self._buffer += self._receive(process, deadline)
        return self._take(end_of_line + 1)

    def _bytes(self, process: Process, count: int, deadline: float) -> bytes:
        while len(self._buffer) < count:
            self._buffer += self._receive(process, deadline)
        return self._take(count)

    def _take(self, count: int) -> bytes:
        part = bytes(self._buffer[:count])
        del self._buffer[:count]
        return part

    def _receive(self, process: Process, deadline: float) -> bytes:
        poll = select.poll()
        poll.register(process.stdout)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1_000):
            self.close()
            raise timed_out("cat-file", GIT_COMMAND_SECONDS)
        part = os.read(process.stdout.fileno(), _READ_BYTES)
        if not part:
            raise self._ended(process)
        return part

    def _ended(self, process: Process) -> GitError:
        problem = explain_git_error(process.stderr.read().decode(errors="replace").strip())
        self.close()
        return GitError(f"git cat-file failed: {problem}")
