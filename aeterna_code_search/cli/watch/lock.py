"""The lock that allows one watcher per checkout, and its record for other commands.

The lock shows whether a watcher runs. The record does not: a killed watcher leaves it behind.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from central.runtime.data_directory import is_locked, locked, private_directory
from indexer.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class WatchRecord:
    """A checkout whose work tree is in the local index, as the snapshot `commit`.

    `directory` has the git objects that are not in the repository itself.
    """

    root: Path
    project: str
    commit: str
    indexed_at: str
    pid: int
    directory: Path


def watch_directory(data_dir: Path, root: Path) -> Path:
    """Return the data directory of a checkout's watcher."""
    key = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
    return data_dir / "watch" / key


@contextmanager
def lock_checkout(data_dir: Path, root: Path) -> Iterator[Path]:
    """Lock a checkout for this process and yield the watcher's directory.

    The lock ends with the process. Raises ConfigurationError with the process that holds it.
    """
    directory = watch_directory(data_dir, root)
    private_directory(data_dir)
    for path in (directory.parent, directory):  # uncommitted work is private
        path.mkdir(mode=0o700, exist_ok=True)
        path.chmod(0o700)
    with (directory / "lock").open("a+") as lock:
        if not locked(lock):
            raise ConfigurationError(f"{root} is watched already, by {_holder(lock)}")
        (directory / "state.json").unlink(missing_ok=True)  # of a killed watcher
        since = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
        lock.truncate(0)
        lock.write(json.dumps({"pid": os.getpid(), "since": since}))
        lock.flush()
        try:
            yield directory
        finally:
            (directory / "state.json").unlink(missing_ok=True)


def write_watch_record(directory: Path, *, root: Path, project: str, commit: str) -> WatchRecord:
    """Publish the indexed commit; other processes see the complete record or the previous one."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    state = WatchRecord(root, project, commit, now, os.getpid(), directory)
    record = asdict(state) | {"root": str(root)}
    del record["directory"]
    partial = directory / "state.json.partial"
    partial.write_text(json.dumps(record), encoding="utf-8")
    partial.replace(directory / "state.json")
    return state


def watched(data_dir: Path, root: Path) -> WatchRecord | None:
    """Read the record of a checkout's watcher; None without one, or before its first index."""
    directory = watch_directory(data_dir, root)
    return _state(directory) if is_locked(directory / "lock") else None


def _state(directory: Path) -> WatchRecord | None:
    try:
        record = json.loads((directory / "state.json").read_text(encoding="utf-8"))
    except FileNotFoundError:  # the watcher is starting or ending
        return None
    return WatchRecord(**(record | {"root": Path(record["root"]), "directory": directory}))


def _holder(lock: IO[str]) -> str:
    lock.seek(0)
    try:
        record = json.loads(lock.read())
    except ValueError:  # it has not written its record yet
        return "a process that is starting"
    return f"process {record['pid']} since {record['since']}"
