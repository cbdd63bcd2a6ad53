"""File changes as the kernel reports them, and its limits."""

import ctypes
import errno
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from indexer.errors import GitError
from indexer.git.local import WorkingCopy

_NOISE_MILLISECONDS: Final = 1_000  # the longest burst of changes that is collected
_SILENCE_MILLISECONDS: Final = 100  # a burst ends after this time without a further path
_TIMEOUT_MILLISECONDS: Final = 5_000
_POLL_SECONDS: Final = 2.0
_CHECK_SECONDS: Final = 1.0
_MAX_PATHS: Final = 2_000  # for more, scanning the work tree is faster than asking git

_EXCLUDE: Final = Path(".git/info/exclude")

Warn = Callable[[str], object]
Condition = Callable[[], bool]
_Changes = set[tuple[int, str]] | Exception


class Events:
    """File changes in a checkout. `warn` is called if the kernel cannot report them.

    `wait` reports every change since construction, except in `.git` and in ignored files. Changes
    of ignore rules are reported.
    """

    def __init__(self, repository: WorkingCopy, warn: Warn) -> None:
        self._repository = repository
        self._root = repository.root.resolve()  # as the kernel names it
        self._warn = warn
        self._changes: SimpleQueue[_Changes] = SimpleQueue()
        self._stopped = threading.Event()
        self._notify = self._opened()

    def close(self) -> None:
        """Stop listening."""
        self._stopped.set()

    def wait(self, seconds: float, *, while_: Condition = lambda: True) -> frozenset[str]:
        """Wait for changed paths; an empty set means that the time is up: scan the work tree.

        It also returns once `while_`, which is checked about each second, is false.
        """
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0 and while_():
            if self._notify is None:
                self._stopped.wait(min(remaining, _POLL_SECONDS))
                break
            with suppress(Empty):
                changes = self._changes.get(timeout=min(remaining, _CHECK_SECONDS))
                if isinstance(changes, Exception):  # such as a path that is not UTF-8
                    self.reopen()
                    break
                if paths := self._relevant_paths(changes):
                    return paths
        return frozenset()

    def reopen(self) -> None:
        """Start listening again: events were lost, and new directories may not be watched."""
        if self._notify is None:
            return
        self._stopped.set()
        self._stopped = threading.Event()
        self._notify = self._opened()

    def _opened(self) -> RustNotify | None:
        """Listen to the kernel's events in a thread; None if it reports none."""
        try:
            notify = RustNotify([str(self._root)], False, False, 0, True, True)
        except (OSError, WatchfilesRustInternalError) as exc:
            self._warn_of_polling(str(exc))
            return None
        if not can_add_watch():
            self._warn_of_polling("this user has as many watches as the kernel allows")
            return None
        listen = threading.Thread(
            target=_listen, args=(notify, self._stopped, self._changes), name="events", daemon=True
        )
        listen.start()
        return notify

    def _warn_of_polling(self, problem: str) -> None:
        self._warn(
            f"The kernel does not report all changes ({problem}), so git is polled every "
            f"{_POLL_SECONDS:.0f} s. Raise the limits: `sudo sysctl "
            "fs.inotify.max_user_watches=1048576 fs.inotify.max_user_instances=1024`."
        )

    def _relevant_paths(self, changes: set[tuple[int, str]]) -> frozenset[str]:
        inside = (Path(path).relative_to(self._root) for _change, path in changes)
        paths = {str(path) for path in inside if path.parts and _is_relevant(path)}
        if len(paths) > _MAX_PATHS or not paths:
            return frozenset(paths)
        try:
            ignored = self._repository.ignored(paths)
            return frozenset(path for path in paths if path not in ignored or _is_rule(path))
        except GitError:  # a path in a submodule or behind a link
            return frozenset(paths)


def _is_relevant(path: Path) -> bool:
    return ".git" not in path.parts or path == _EXCLUDE


def _is_rule(path: str) -> bool:
    """Whether the file contains ignore rules; it may be ignored itself."""
    return path.rpartition("/")[2] == ".gitignore" or path == str(_EXCLUDE)


def _listen(notify: RustNotify, stopped: threading.Event, changes: "SimpleQueue[_Changes]") -> None:
    """Run in a thread, because it would block signals in the main thread."""
    while not stopped.is_set():
        try:
            answer = notify.watch(
                _NOISE_MILLISECONDS, _SILENCE_MILLISECONDS, _TIMEOUT_MILLISECONDS, stopped
            )
        except (OSError, WatchfilesRustInternalError) as exc:
            changes.put(exc)
            return
        if isinstance(answer, set):
            changes.put(answer)


_IN_CREATE: Final = 0x100  # any event would do: see inotify(7)


def can_add_watch() -> bool:
    """Whether one more directory can be watched. Only Linux has a limit."""
    if sys.platform != "linux":
        return True
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_CLOEXEC)
    if descriptor < 0:
        return False
    try:
        added = libc.inotify_add_watch(descriptor, b"/", _IN_CREATE)
        return added >= 0 or ctypes.get_errno() != errno.ENOSPC
    finally:
        os.close(descriptor)
