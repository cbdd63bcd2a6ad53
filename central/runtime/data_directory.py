"""The data directory: whose it is, its secrets, and the lock of the server that holds it.

Imported by the settings and by the command line: standard library only.
"""

import fcntl
import json
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TypedDict

_PROBE_SECONDS = 0.5
_LEAST_BYTES = 32_000_000  # two segments of PostgreSQL's log


class DataDirectoryHeldError(Exception):
    """Another server process holds the data directory; the message says which."""


class ServerRecord(TypedDict):
    """What a running server writes about itself: `<data directory>/server.json`."""

    url: str
    pid: int


def data_directory(given: str | None) -> Path:
    """What AETERNA_DATA_DIR says; else `var/` of a checkout; else the user's own directory."""
    if given:
        return Path(os.path.expanduser(given)).resolve()  # noqa: PTH111 - ~nobody stays as it is
    beside = Path(__file__).resolve().parent.parent
    if (beside / "manage.py").is_file():
        return beside / "var"
    from platformdirs import user_data_path

    return user_data_path("aeterna-code-search", appauthor=False)


def private_directory(directory: Path) -> None:
    """Make `directory` its owner's alone; one that is another's, or everybody's, stays as it is."""
    directory.mkdir(mode=private_mode(), parents=True, exist_ok=True)
    status = directory.stat()
    is_ours = status.st_uid == os.geteuid() and not status.st_mode & stat.S_ISVTX
    if is_ours and stat.S_IMODE(status.st_mode) != private_mode():
        directory.chmod(private_mode())


def disk_space_error(directory: Path) -> str:
    """What to do about a disk with almost no space left; empty where there is some."""
    free = shutil.disk_usage(directory).free
    if free >= _LEAST_BYTES:
        return ""
    return (
        f"The disk of {directory} is full ({free // 1_000_000} MB are left): free some space, or "
        "set AETERNA_DATA_DIR to a directory of another disk."
    )


def private_mode() -> int:
    """Of a directory. As root, PostgreSQL has a user of its own, who must get to its data."""
    return 0o700 if os.geteuid() else 0o711


def private_opener(path: str, flags: int) -> int:
    """For `open`: a file that it makes is its owner's alone."""
    return os.open(path, flags, 0o600)


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """A file that is `path` once all of it is on the disk, its owner's alone; or nothing is left.

    Another one of that name is replaced.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        with open(partial, "wb", opener=private_opener) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def load_or_create_secret(path: Path) -> str:
    """The secret in `path`; made on first use, readable by its owner only."""
    if not path.exists():
        private_directory(path.parent)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48))
            file.flush()
            with suppress(FileExistsError):  # another process was first: its secret counts
                os.link(file.name, path)  # the secret is whole when it appears
    return path.read_text(encoding="ascii")


@contextmanager
def lock_data_directory(directory: Path) -> Iterator[None]:
    """Hold the data directory for one server process; the lock ends with the process.

    Raises DataDirectoryHeldError with the holder's address if there is one.
    """
    private_directory(directory)
    with open(directory / "server.lock", "w", opener=private_opener) as lock:
        if not locked(lock):
            holder = running_server(directory)
            who = f"pid {holder['pid']} at {holder['url']}" if holder else "a starting server"
            raise DataDirectoryHeldError(
                f"{directory} is held by {who}. Use that server, stop it, or set "
                "AETERNA_DATA_DIR to another directory."
            )
        (directory / "server.json").unlink(missing_ok=True)  # of one that was killed
        try:
            yield
        finally:
            (directory / "server.json").unlink(missing_ok=True)


def write_server_record(directory: Path, url: str) -> None:
    """Write the record by which commands find the running server."""
    record = ServerRecord(url=url, pid=os.getpid())
    partial = directory / "server.json.partial"
    partial.write_text(json.dumps(record), encoding="utf-8")
    partial.replace(directory / "server.json")


def running_server(directory: Path) -> ServerRecord | None:
    """The record of the server that holds `directory`, or None.

    The lock tells, not the record: a killed server leaves its record behind, and its process id
    may by now be another's.
    """
    return _record(directory / "server.json") if is_in_use(directory) else None


def is_in_use(directory: Path) -> bool:
    """Whether a server process holds `directory`; it may still be starting, or be ending."""
    return is_locked(directory / "server.lock")


def is_locked(path: Path) -> bool:
    """Whether a process has the lock of the file; not where there is no file."""
    try:
        with path.open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _record(path: Path) -> ServerRecord | None:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return ServerRecord(url=record["url"], pid=record["pid"])
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        return None  # the server is starting, or ending


def locked(lock: IO[str]) -> bool:
    """Lock for this process alone; tried for a while, as who only asks holds it an instant."""
    deadline = time.monotonic() + _PROBE_SECONDS
    while not locks_alone(lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def locks_alone(lock: IO[str] | int) -> bool:
    """Lock for this process alone, if that can be at once."""
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
