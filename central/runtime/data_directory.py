"""The data directory: its owner, its secrets, and the lock of the server that uses it.

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
    """The record of a running server: `<data directory>/server.json`.

    `idle_minutes`: a command started it, and it ends after so many minutes without one; None: it
    runs until it is stopped. `identity` is that of its code and settings, for such a server.
    """

    url: str
    pid: int
    idle_minutes: int | None
    identity: str


def data_directory(given: str | None) -> Path:
    """Return AETERNA_DATA_DIR, else `var/` of a checkout, else the user's data directory."""
    if given:
        return Path(os.path.expanduser(given)).resolve()  # noqa: PTH111 - `~name` of no user stays as it is
    beside = Path(__file__).resolve().parents[2]
    if (beside / "manage.py").is_file():
        return beside / "var"
    from platformdirs import user_data_path

    return user_data_path("aeterna-code-search", appauthor=False)


def private_directory(directory: Path) -> None:
    """Make `directory` private, unless it belongs to another user or is shared."""
    directory.mkdir(mode=private_mode(), parents=True, exist_ok=True)
    status = directory.stat()
    is_ours = status.st_uid == os.geteuid() and not status.st_mode & stat.S_ISVTX
    if is_ours and stat.S_IMODE(status.st_mode) != private_mode():
        directory.chmod(private_mode())


def disk_space_error(directory: Path) -> str:
    """Return what to do about an almost full disk; "" if there is space."""
    free = shutil.disk_usage(directory).free
    if free >= _LEAST_BYTES:
        return ""
    return (
        f"The disk of {directory} is full ({free // 1_000_000} MB are left): free some space, or "
        "set AETERNA_DATA_DIR to a directory of another disk."
    )


def private_mode() -> int:
    """Return the mode of a private directory; as root, PostgreSQL's user must pass through."""
    return 0o700 if os.geteuid() else 0o711


def private_opener(path: str, flags: int) -> int:
    """Open a file; a new one is readable by its owner only."""
    return os.open(path, flags, 0o600)


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Yield a private file that replaces `path` once it is complete and on disk.

    After an error nothing is left.
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
    """Return the secret in `path`; created on first use, readable by its owner only."""
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
    """Lock the data directory for one server process; the lock ends with the process.

    Raises DataDirectoryHeldError with the address of the other server.
    """
    private_directory(directory)
    with open(directory / "server.lock", "w", opener=private_opener) as lock:
        if not locked(lock):
            holder = running_server(directory)
            who = f"pid {holder['pid']} at {holder['url']}" if holder else "a starting server"
            is_of_command = holder is not None and holder["idle_minutes"] is not None
            raise DataDirectoryHeldError(
                f"{directory} is held by {who}. Use that server, stop it"
                f"{' (`codesearch stop`)' if is_of_command else ''}, or set "
                "AETERNA_DATA_DIR to another directory."
            )
        (directory / "server.json").unlink(missing_ok=True)  # of one that was killed
        try:
            yield
        finally:
            (directory / "server.json").unlink(missing_ok=True)


def write_server_record(
    directory: Path, url: str, *, idle_minutes: int | None = None, identity: str = ""
) -> None:
    """Write the record by which commands find the running server."""
    record = ServerRecord(url=url, pid=os.getpid(), idle_minutes=idle_minutes, identity=identity)
    partial = directory / "server.json.partial"
    partial.write_text(json.dumps(record), encoding="utf-8")
    partial.replace(directory / "server.json")


def running_server(directory: Path) -> ServerRecord | None:
    """Return the record of the server that uses `directory`, or None.

    The lock decides: a killed server leaves its record behind, and its process id may be reused.
    """
    return _record(directory / "server.json") if is_in_use(directory) else None


def is_in_use(directory: Path) -> bool:
    """Whether a server process uses `directory`; it may be starting or ending."""
    return is_locked(directory / "server.lock")


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock of the file; false without a file."""
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
        return ServerRecord(
            url=record["url"],
            pid=record["pid"],
            idle_minutes=record.get("idle_minutes"),  # older servers do not write these
            identity=record.get("identity", ""),
        )
    except (FileNotFoundError, ValueError, LookupError, TypeError, AttributeError):
        return None  # the server is starting, or ending


def locked(lock: IO[str]) -> bool:
    """Lock exclusively; retries briefly, because a probe holds the lock for an instant."""
    deadline = time.monotonic() + _PROBE_SECONDS
    while not locks_alone(lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def locks_alone(lock: IO[str] | int) -> bool:
    """Lock exclusively if that is possible at once."""
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
