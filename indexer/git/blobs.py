"""Content of blobs, through one long-lived `git cat-file --batch`.

GitPython's reader is not used because it supports SHA-1 repositories only.
"""

from collections.abc import Iterable, Iterator

from indexer.errors import BlobTooLargeError, GitError, GitTimeoutError
from indexer.git.command import GitCommand
from indexer.git.parse import missing_blob
from indexer.git.process import GitProcess
from indexer.records.files import BLOB_BYTES, SourceFile, TreeEntry


class Blobs:
    """A reader of blobs. Not thread-safe. The process starts with the first read."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git
        self._command: GitCommand | None = None
        self._buffer = bytearray()

    def close(self) -> None:
        """End the process."""
        if self._command:
            self._command.end()
            self._command = None

    def sources(self, entries: Iterable[TreeEntry]) -> Iterator[SourceFile]:
        """Yield each entry with its content, read when it is asked for. Raises GitError."""
        for entry in entries:
            yield SourceFile(entry, self.read(entry.blob))

    def read(self, blob: str) -> bytes:
        """Return the content. Raises GitError, also if the clone has no such blob.

        BlobTooLargeError if it is larger than BLOB_BYTES, before it is read.
        """
        command = self._command = self._command or self._started()
        command.send(blob.encode() + b"\n", last=False)
        header = self._line(command).split()  # name, type, size; or name, "missing"
        if len(header) != 3:
            raise missing_blob(blob)
        size = int(header[2])
        if size > BLOB_BYTES:
            self.close()  # the rest is not read
            raise BlobTooLargeError(
                f"the blob {blob} has {size:,} bytes; at most {BLOB_BYTES:,} are read"
            )
        content = self._bytes(command, size + 1)  # and the LF that ends it
        if header[1] != b"blob":
            raise missing_blob(blob)
        return content[:-1]

    def _started(self) -> GitCommand:
        self._buffer = bytearray()
        return self._git.start("cat-file", "--batch")

    def _line(self, command: GitCommand) -> bytes:
        while (end_of_line := self._buffer.find(b"\n")) < 0:
            self._buffer += self._receive(command)
        return self._take(end_of_line + 1)

    def _bytes(self, command: GitCommand, count: int) -> bytes:
        while len(self._buffer) < count:
            self._buffer += self._receive(command)
        return self._take(count)

    def _take(self, count: int) -> bytes:
        part = bytes(self._buffer[:count])
        del self._buffer[:count]
        return part

    def _receive(self, command: GitCommand) -> bytes:
        try:
            part = command.read()
            if part:
                return part
            _, problem = command.finish()
        except GitTimeoutError:
            self.close()
            raise
        self.close()
        raise GitError(f"git cat-file failed: {problem}")
