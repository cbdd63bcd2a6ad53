"""Who uses an embedded service that commands share; standard library only.

A command holds `users.lock` together with others. A server that a command started ends once it has
the lock alone. A lock goes with its process, however that ends.
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
    """Keep the server of `directory` meanwhile. Waits while one that nobody used is ending.

    `tell` is told so if that takes more than a second.
    """
    private_directory(directory)
    with open(directory / "users.lock", "w", opener=private_opener) as lock:
        if not _is_shared(lock):
            tell(f"Waiting for the last service of {directory} to end.")
            fcntl.flock(lock, fcntl.LOCK_SH)
        yield


def _is_shared(lock: IO[str]) -> bool:
    """Tried for a second."""
    deadline = time.monotonic() + _SILENT_SECONDS
    while time.monotonic() < deadline:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return True
        time.sleep(0.02)
    return False


def stop_when_idle(directory: Path) -> None:
    """Have this process end, as by SIGTERM, as soon as nobody uses `directory`."""
    # Never closed: who comes meanwhile waits until this process is gone, and then starts another.
    lock = os.open(directory / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
    threading.Thread(target=_end_alone, args=(lock,), name="users", daemon=True).start()


def _end_alone(lock: int) -> None:
    while not locks_alone(lock):
        time.sleep(_ASK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
