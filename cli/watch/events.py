"""Changes of files, as the system reports them, and its limits."""

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

_NOISE_MILLISECONDS: Final = 1_000  # so long a burst is waited for, at most
_SILENCE_MILLISECONDS: Final = 100  # seen at the second look without a further path
_ASK_MILLISECONDS: Final = 5_000
_POLL_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 1.0
_MOST_PATHS: Final = 2_000  # beyond, looking at the work tree costs less than asking git of each

_EXCLUDE: Final = Path(".git/info/exclude")

Warn = Callable[[str], object]
Holds = Callable[[], bool]
_Changes = set[tuple[int, str]] | Exception


class Events:
    """What happens below a checkout's top. `warn` is called if the kernel cannot help.

    `wait` reports every change after construction that counts: nothing in
    `.git`, and nothing that git ignores, but what says what it ignores.
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

    def wait(self, seconds: float, *, while_: Holds = lambda: True) -> frozenset[str]:
        """The paths below the top that were written to; empty: look anyway, as time is up.

        It is up at once if `while_`, asked each second or so, does not hold.
        """
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and while_():
            if self._notify is None:
                self._stopped.wait(min(left, _POLL_SECONDS))
                break
            with suppress(Empty):
                changes = self._changes.get(timeout=min(left, _LOOK_SECONDS))
                if isinstance(changes, Exception):  # such as a path that is not UTF-8
                    self.reopen()
                    break
                if paths := self._that_count(changes):
                    return paths
        return frozenset()

    def reopen(self) -> None:
        """Begin anew: something was missed, and directories in it may be unheard of."""
        if self._notify is None:
            return
        self._stopped.set()
        self._stopped = threading.Event()
        self._notify = self._opened()

    def _opened(self) -> RustNotify | None:
        """The kernel's events, in a thread; None: it gives none."""
        try:
            notify = RustNotify([str(self._root)], False, False, 0, True, True)
        except (OSError, WatchfilesRustInternalError) as exc:
            self._warn_of_polling(str(exc))
            return None
        if not has_watches_left():
            self._warn_of_polling("this user has as many watches as the kernel allows")
            return None
        listen = threading.Thread(
            target=_listen, args=(notify, self._stopped, self._changes), name="events", daemon=True
        )
        listen.start()
        return notify

    def _warn_of_polling(self, problem: str) -> None:
        self._warn(
            f"The kernel does not tell of all changes ({problem}), so git is asked every "
            f"{_POLL_SECONDS:.0f} s. Raise the limits: `sudo sysctl "
            "fs.inotify.max_user_watches=1048576 fs.inotify.max_user_instances=1024`."
        )

    def _that_count(self, changes: set[tuple[int, str]]) -> frozenset[str]:
        inside = (Path(path).relative_to(self._root) for _change, path in changes)
        paths = {str(path) for path in inside if path.parts and _counts(path)}
        if len(paths) > _MOST_PATHS or not paths:
            return frozenset(paths)
        try:
            ignored = self._repository.ignored(paths)
            return frozenset(path for path in paths if path not in ignored or _is_rule(path))
        except GitError:  # a path in a submodule or behind a link
            return frozenset(paths)


def _counts(path: Path) -> bool:
    return ".git" not in path.parts or path == _EXCLUDE


def _is_rule(path: str) -> bool:
    """Whether it says what is ignored; such a file may well ignore itself."""
    return path.rpartition("/")[2] == ".gitignore" or path == str(_EXCLUDE)


def _listen(notify: RustNotify, stopped: threading.Event, changes: "SimpleQueue[_Changes]") -> None:
    """In a thread: it would keep signals from the one that waits."""
    while not stopped.is_set():
        try:
            answer = notify.watch(
                _NOISE_MILLISECONDS, _SILENCE_MILLISECONDS, _ASK_MILLISECONDS, stopped
            )
        except (OSError, WatchfilesRustInternalError) as exc:
            changes.put(exc)
            return
        if isinstance(answer, set):
            changes.put(answer)


_IN_CREATE: Final = 0x100  # any event would do: see inotify(7)


def has_watches_left() -> bool:
    """Whether one more directory could be watched. Elsewhere than on Linux there is no limit."""
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
