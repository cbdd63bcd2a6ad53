"""Files of the cache directory, which are private and written atomically, and locks."""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError
from aeterna_code_search.integrations.codequery.retry import Deadline

CODEQUERY_CACHE_BYTES: Final = 16 * 1024 * 1024  # of a file of the cache
_POLL_SECONDS: Final = 0.05


def read_private(path: Path) -> bytes | None:
    """Read a file; None if it does not exist, b"" if it is too large."""
    try:
        with path.open("rb") as file:
            content = file.read(CODEQUERY_CACHE_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(path, error) from error
    return content if len(content) <= CODEQUERY_CACHE_BYTES else b""


def write_private(path: Path, content: bytes) -> None:
    """Replace the file atomically. Raises CodeQueryError."""
    partial = None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
            partial = Path(file.name)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        if partial:
            with suppress(OSError):
                partial.unlink()
        raise _unusable(path, error) from error


@contextmanager
def locked_file(path: Path, deadline: Deadline, busy: str) -> Iterator[None]:
    """Lock the file; wait for another process until the deadline.

    The lock ends with its process. Raises CodeQueryError, with the message `busy` at the deadline.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise _unusable(path, error) from error
    try:
        while not _locks(number):
            if not deadline.seconds:
                raise CodeQueryError(Code.STORE_BUSY, busy)
            time.sleep(min(_POLL_SECONDS, deadline.seconds))
        yield
    finally:
        os.close(number)


def _locks(number: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _unusable(path: Path, error: OSError) -> CodeQueryError:
    return CodeQueryError(
        Code.CONFIGURATION,
        f"the cache {path} cannot be used ({error.strerror}): set cache_path of [codequery] to a "
        "path in a writable directory",
    )
