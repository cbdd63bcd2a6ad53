"""Shutdown of an embedded service that no command uses; standard library only.

Each command holds a shared lock on `users.lock`. A server that a command started stops once it gets
the lock exclusively. The operating system releases the lock when a process ends.
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

_ASK_SECONDS = 0.5
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
        yield


def _is_shared(lock: IO[str]) -> bool:
    """Try to lock for a second."""
    deadline = time.monotonic() + _SILENT_SECONDS
    while time.monotonic() < deadline:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return True
        time.sleep(0.02)
    return False


def stop_when_idle(directory: Path) -> None:
    """Stop this process with SIGTERM once no client holds `directory`."""
    # Never closed: a new client waits until this process is gone, and then starts another.
    lock = os.open(directory / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
    threading.Thread(target=_end_alone, args=(lock,), name="users", daemon=True).start()


def _end_alone(lock: int) -> None:
    while not locks_alone(lock):
        time.sleep(_ASK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
