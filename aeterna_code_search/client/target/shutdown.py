"""The end of a service that a command has started: by `stop`, or because its identity differs.

It must be unused. Commands that come meanwhile wait, and start another.
"""

import fcntl
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from central.runtime.data_directory import (
    ServerRecord,
    is_in_use,
    locked,
    private_opener,
    running_server,
)
from indexer.errors import CentralUnreachableError, ConfigurationError

_END_SECONDS: Final = 120.0  # an apply is finished first
_POLL_SECONDS: Final = 0.02


def stop_service(data_dir: Path) -> ServerRecord | None:
    """End the service of `data_dir` and return its record; None if none runs.

    Raises ConfigurationError if other commands use it, or if no command has started it.
    """
    server = started_service(data_dir)
    if server is None:
        return None
    what = f"the service at {server['url']} (pid {server['pid']})"
    if server["idle_minutes"] is None:
        raise ConfigurationError(
            f"{what} was not started by a command: end `codesearch serve` with Ctrl-C where it runs"
        )
    if not end_unused_service(data_dir, server):
        raise ConfigurationError(
            f"{what} is used by other commands: wait for them, or end `codesearch watch` and "
            "`codesearch mcp`, and run this again"
        )
    return server


def end_idle_service(data_dir: Path) -> None:
    """End a service that a command has started and that no command uses any more."""
    server = running_server(data_dir)
    if server and server["idle_minutes"] is not None:
        end_unused_service(data_dir, server)


def replace_service(data_dir: Path, identity: str) -> ServerRecord | None:
    """End a service of another identity that no command uses; return its record, else None.

    One that a person started stays.
    """
    if not _is_replaceable(running_server(data_dir), identity):
        return None
    with open(data_dir / "start.lock", "w", opener=private_opener) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        server = running_server(data_dir)  # another command may have replaced it
        if server and _is_replaceable(server, identity) and end_unused_service(data_dir, server):
            return server
    return None


def _is_replaceable(server: ServerRecord | None, identity: str) -> bool:
    return (
        server is not None and server["idle_minutes"] is not None and server["identity"] != identity
    )


def started_service(data_dir: Path) -> ServerRecord | None:
    """Return the record of the running service, once it has started; None if none runs."""
    while (server := running_server(data_dir)) is None and is_in_use(data_dir):
        time.sleep(_POLL_SECONDS)
    return server


def end_unused_service(data_dir: Path, server: ServerRecord) -> bool:
    """End `server` and wait for that; False if other commands use it.

    Raises CentralUnreachableError if it does not end.
    """
    with open(data_dir / "users.lock", "w", opener=private_opener) as users:
        if not locked(users):
            return False
        _terminate(data_dir, server["pid"])
        deadline = time.monotonic() + _END_SECONDS
        while is_in_use(data_dir) and running_server(data_dir) in (None, server):
            if time.monotonic() > deadline:
                raise CentralUnreachableError(
                    f"the service of {data_dir} (pid {server['pid']}) does not end: see "
                    f"{data_dir / 'server.log'}, and end it with `kill -9 {server['pid']}`"
                )
            time.sleep(_POLL_SECONDS)
    return True


def _terminate(data_dir: Path, pid: int) -> None:
    """Send SIGTERM to the server, unless it has ended: its number may be another process's now.

    A service that a command has started works in its data directory.
    """
    import psutil  # only here: most commands end no service

    with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        process = psutil.Process(pid)
        if Path(process.cwd()) == data_dir.resolve():
            process.terminate()
