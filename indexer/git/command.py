"""A running git command: its three streams, its time limit and its memory limit.

The only import of GitPython, which starts the process.
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from select import PIPE_BUF
from selectors import EVENT_READ, EVENT_WRITE, PollSelector
from subprocess import PIPE, Popen, TimeoutExpired
from types import ModuleType
from typing import IO, Final, Self, cast

from indexer.errors import ConfigurationError, GitError, GitTimeoutError
from indexer.git.parse import explain_git_error
from indexer.process_group import CHILDREN, limit_memory

GIT_COMMAND_SECONDS: Final = 900.0
GIT_END_SECONDS: Final = 5.0  # after SIGTERM, before SIGKILL
GIT_ANSWER_BYTES: Final = 16 * 1024 * 1024  # of a command that lists no files of a commit
GIT_MESSAGE_BYTES: Final = 16_384  # of standard error: its end
_READ_BYTES: Final = 1 << 20


@contextmanager
def _bare_package(name: str) -> Iterator[None]:
    """Let modules of a package be imported without running its `__init__`."""
    spec = find_spec(name)
    if name in sys.modules or spec is None:
        yield
        return
    package = sys.modules[name] = ModuleType(name)
    package.__path__ = spec.submodule_search_locations or []
    try:
        yield
    finally:
        del sys.modules[name]


with _bare_package("git"):  # which would import everything else, and run git twice
    from git.cmd import Git
    from git.exc import GitCommandNotFound


class GitCommand:
    """A git command with `arguments` in a directory, which ends with its `with` block.

    Its streams are served together, so that none of them blocks it. Only the end of standard error
    is kept. Each method may raise GitTimeoutError, `seconds` after the start or the last `send`.
    """

    def __init__(
        self,
        directory: Path,
        arguments: tuple[str, ...],
        environment: Mapping[str, str],
        *,
        seconds: float | None = None,
    ) -> None:
        self.name = command_name(arguments)
        self._seconds = seconds or GIT_COMMAND_SECONDS
        self._deadline = time.monotonic() + self._seconds
        # Ends the process if this object has no reference left.
        self._keeper = _started(directory, arguments, environment)
        self._process = cast("Popen[bytes]", self._keeper.proc)
        self._stdin, self._stdout, self._stderr = (
            cast("IO[bytes]", stream)
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        limit_memory(self._process.pid)
        self._unsent = memoryview(b"")
        self._is_last = False
        self._problem = b""
        self._streams = PollSelector()
        self._streams.register(self._stdout, EVENT_READ)
        self._streams.register(self._stderr, EVENT_READ)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def send(self, data: bytes, *, last: bool) -> None:
        """Write to standard input while output is read; close it after the last data."""
        self._deadline = time.monotonic() + self._seconds
        self._unsent, self._is_last = memoryview(data), last
        self._streams.register(self._stdin, EVENT_WRITE)

    def read(self) -> bytes:
        """Return the next part of standard output; empty at its end."""
        while self._stdout in self._streams.get_map():
            if part := self._advance():
                return part
        return b""

    def parts(self) -> Iterator[bytes]:
        """Yield standard output in parts."""
        while part := self.read():
            yield part

    def answer(self) -> bytes:
        """Return the whole of standard output. Raises GitError if it has no bounded size."""
        answer = bytearray()
        for part in self.parts():
            answer += part
            if len(answer) > GIT_ANSWER_BYTES:
                raise GitError(
                    f"git {self.name} printed more than {GIT_ANSWER_BYTES:,} bytes and was "
                    "stopped: the repository or its settings are too large to be read"
                )
        return bytes(answer)

    def finish(self) -> tuple[int, str]:
        """Wait for the end; return the exit status and the error message in one line."""
        while self._streams.get_map():
            self._advance()
        try:
            status = self._process.wait(self._remaining())
        except TimeoutExpired as exc:
            raise self._timed_out() from exc
        return status, explain_git_error(self._problem.decode(errors="replace").strip())

    def end(self) -> None:
        """End the process, unless it has ended, and close its streams."""
        self._process.terminate()
        for stream in (self._stdin, self._stdout, self._stderr):
            with suppress(BrokenPipeError):
                stream.close()
        try:
            self._process.wait(GIT_END_SECONDS)
        except TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _advance(self) -> bytes:
        """Wait for a stream and serve those that are ready; return what was printed."""
        ready = self._streams.select(self._remaining())
        if not ready:
            raise self._timed_out()
        printed = b""
        for key, _ in ready:
            if key.fileobj is self._stdin:
                self._feed()
                continue
            part = os.read(key.fd, _READ_BYTES)
            if not part:
                self._streams.unregister(key.fileobj)
            elif key.fileobj is self._stdout:
                printed = part
            else:
                self._problem = (self._problem + part)[-GIT_MESSAGE_BYTES:]
        return printed

    def _feed(self) -> None:
        try:  # a pipe that is ready takes this much without blocking
            sent = os.write(self._stdin.fileno(), self._unsent[:PIPE_BUF])
            self._unsent = self._unsent[sent:]
        except BrokenPipeError:  # its exit status and its message say why
            self._unsent = memoryview(b"")
        if not self._unsent:
            self._streams.unregister(self._stdin)
            if self._is_last:
                with suppress(BrokenPipeError):
                    self._stdin.close()

    def _remaining(self) -> float:
        return max(0.0, self._deadline - time.monotonic())

    def _timed_out(self) -> GitTimeoutError:
        return GitTimeoutError(
            f"git {self.name} did not end within {self._seconds:,.0f} s and was stopped. Try again "
            "on a faster disk or network; if it still fails, look for complicated patterns in "
            ".gitattributes and .gitignore"
        )


def command_name(arguments: tuple[str, ...]) -> str:
    """Return the command's name, after git's own options."""
    words = iter(arguments)
    for word in words:
        if word in {"-c", "-C"}:
            next(words)
        elif not word.startswith("-"):
            return word
    return ""


def _started(
    directory: Path, arguments: tuple[str, ...], environment: Mapping[str, str]
) -> Git.AutoInterrupt:
    try:
        return Git(str(directory)).execute(
            ["git", *arguments],
            PIPE,
            as_process=True,
            env=environment,
            process_group=CHILDREN.number(),
        )
    except GitCommandNotFound as exc:
        raise ConfigurationError("git is not installed, or not on the PATH: install git") from exc
