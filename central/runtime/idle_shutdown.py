"""Shutdown of an embedded service that no command uses; standard library only.

Each command holds a shared lock on `users.lock` and touches that file when it ends. A server that a
command started stops after a time without commands and requests: it then takes the lock
exclusively. The operating system releases the lock when a process ends.
"""

import fcntl
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from central.runtime.data_directory import locks_alone, private_directory, private_opener

_POLL_SECONDS = 0.5
_SILENT_SECONDS = 1.0


@contextmanager
def keep_alive(directory: Path, *, tell: Callable[[str], object] = str) -> Iterator[None]:
    """Keep the server of `directory` running. Waits while an idle server is stopping.

    `tell` gets a message if that takes more than a second.
    """
    private_directory(directory)
    with open(directory / "users.lock", "w", opener=private_opener) as lock:
        if not _is_shared(lock):
            tell(f"Waiting for the last service of {directory} to end.")
            fcntl.flock(lock, fcntl.LOCK_SH)
        try:
            yield
        finally:
            os.utime(lock.fileno())  # a command may come and go between two looks of the server


def _is_shared(lock: IO[str]) -> bool:
    """Try to lock for a second."""
    deadline = time.monotonic() + _SILENT_SECONDS
    while time.monotonic() < deadline:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return True
        time.sleep(0.02)
    return False


def stop_when_idle(
    directory: Path, *, idle_seconds: float = 0.0, count_requests: Callable[[], int] = int
) -> None:
    """Stop this process with SIGTERM after `idle_seconds` without a command and without a request.

    It stops as well if `directory` is removed. `count_requests` returns how many have come so far.
    """
    # Never closed: a new client waits until this process is gone, and then starts another.
    lock = os.open(directory / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
    watcher = threading.Thread(
        target=_end_idle,
        args=(directory / "users.lock", lock, idle_seconds, count_requests),
        name="users",
        daemon=True,
    )
    watcher.start()


def _end_idle(
    path: Path, lock: int, idle_seconds: float, count_requests: Callable[[], int]
) -> None:
    """Return from here only with the lock, which then stays taken until this process is gone.

    Before the time is over, the lock is not touched, so that no command finds it taken.
    """
    last_used, seen, was_locked = time.monotonic(), (0, 0), False
    while True:
        if (uses := _uses(lock, count_requests)) != seen:
            last_used, seen = time.monotonic(), uses
        is_named = _is_named(path, lock)
        if was_locked or not is_named or time.monotonic() - last_used >= idle_seconds:
            if not locks_alone(lock):
                was_locked = True
            else:
                if was_locked or _uses(lock, count_requests) != seen:  # until just now
                    last_used, was_locked = time.monotonic(), False
                if not is_named or time.monotonic() - last_used >= idle_seconds:
                    break
                fcntl.flock(lock, fcntl.LOCK_UN)
        time.sleep(_POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def _uses(lock: int, count_requests: Callable[[], int]) -> tuple[int, int]:
    """What changes with each command that ends, and with each request."""
    return os.fstat(lock).st_mtime_ns, count_requests()


def _is_named(path: Path, lock: int) -> bool:
    """Whether commands still find the open file at `path`."""
    try:
        return os.path.samestat(path.stat(), os.fstat(lock))
    except FileNotFoundError:
        return False
