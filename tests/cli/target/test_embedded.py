"""The service that commands start for their own duration."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from aeterna_code_search.client.target.embedded import shared_service
from central.runtime.data_directory import is_in_use, running_server
from indexer.errors import CentralUnreachableError, ConfigurationError
from scripts.local_service import clean_environment
from tests.cli.command import PROGRAM, codesearch
from tests.e2e.conftest import new_data_directory
from tests.waiting import wait_until

# A command that uses the service until its standard input ends.
USER = """
import os, sys
from pathlib import Path
from aeterna_code_search.client.target.embedded import shared_service
with shared_service(Path(sys.argv[1]), environ=os.environ, notify=sys.stderr.write) as server:
    print(server["url"], server["pid"], flush=True)
    sys.stdin.read()
"""

# What a shell may have set for the program that is worked on: ours makes no tables there.
OTHERS = {
    "DATABASE_URL": "postgresql://127.0.0.1:9/of-another-program",
    "CELERY_BROKER_URL": "redis://127.0.0.1:9/0",
    "DJANGO_SETTINGS_MODULE": "another.settings",
}


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    """A data directory that no service has used."""
    with new_data_directory() as directory:
        yield directory


def start_user(data_dir: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", USER, data_dir],
        env=clean_environment(OTHERS),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def processes_of(data_dir: Path) -> list[str]:
    """Whatever runs on the data directory, PostgreSQL among it."""
    found = []
    for process in psutil.process_iter():
        try:
            if str(data_dir) in (*process.cmdline(), process.environ().get("AETERNA_DATA_DIR")):
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


def readable_by_others(data_dir: Path) -> list[Path]:
    """What is in it, but not below: nobody gets past a directory that is closed."""
    return [path for path in data_dir.iterdir() if path.lstat().st_mode & 0o077]


def test_commands_at_once_share_one_server_and_a_killed_one_leaves_none(data_dir: Path) -> None:
    users = [start_user(data_dir) for _ in range(2)]
    with ExitStack() as stack:
        for user in users:
            stack.enter_context(user)
        lines = {first_line(user) for user in users}
        assert len(lines) == 1, lines
        pid = int(lines.pop().split()[1])
        assert pid not in {user.pid for user in users}
        assert readable_by_others(data_dir) == []
        users[0].kill()
        users[0].wait()
        late = stack.enter_context(start_user(data_dir))
        assert int(first_line(late).split()[1]) == pid
        for user in (users[1], late):
            user.kill()
    wait_until(lambda: not is_in_use(data_dir))
    wait_until(lambda: not processes_of(data_dir))


def test_two_servers_on_one_data_directory(data_dir: Path, tmp_path: Path) -> None:
    """The second says who holds it; commands use the first, and leave it running."""
    environ = {"AETERNA_DATA_DIR": str(data_dir), "AETERNA_BIND": "127.0.0.1:0"}
    first = subprocess.Popen(
        [*PROGRAM, "serve"], env=clean_environment(environ), stderr=subprocess.PIPE, text=True
    )
    with first:
        assert first.stderr
        said = [first.stderr.readline() for _ in range(3)]
        server = running_server(data_dir)
        assert server
        assert server["pid"] == first.pid
        assert said == [
            f"Aeterna Code Search is at {server['url']}, data in {data_dir}\n",
            "Nothing is indexed yet. In another terminal:\n",
            "  codesearch init PATH_OF_A_REPOSITORY\n",
        ]

        second = codesearch(
            "serve", "--data-dir", data_dir, "--bind", "127.0.0.1:0", directory=tmp_path, environ={}
        )
        assert second.returncode == 2
        assert second.stderr == (
            f"{data_dir} is held by pid {first.pid} at {server['url']}. Use that server, stop it, "
            "or set AETERNA_DATA_DIR to another directory.\n"
        )

        told: list[str] = []
        with shared_service(data_dir, environ={}, notify=told.append) as used:
            assert used == server
        assert told == []
        assert first.poll() is None

        first.send_signal(signal.SIGTERM)
        assert first.wait(timeout=60) == 0


def test_why_it_does_not_start_is_told_with_what_to_do(tmp_path: Path) -> None:
    environ = {**os.environ, "AETERNA_SWEEP_SECONDS": "often"}
    (tmp_path / "server.log").write_text("of an earlier server\n" * 200_000)
    with (
        pytest.raises(CentralUnreachableError, match="AETERNA_SWEEP_SECONDS must be") as caught,
        shared_service(tmp_path, environ=environ, notify=str),
    ):
        pass
    assert "an earlier server" not in str(caught.value)
    assert str(tmp_path / "server.log") in str(caught.value)
    assert "AETERNA_URL" in str(caught.value)
    assert (tmp_path / "server.log").stat().st_size < 10_000, "a log is begun anew when it is large"


def test_a_full_disk_is_said_before_anything_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_234_567))
    with (
        pytest.raises(ConfigurationError, match=r"is full \(1 MB are left\): free some space"),
        shared_service(tmp_path, environ={}, notify=str),
    ):
        pass
    assert not (tmp_path / "server.log").exists()


@pytest.mark.parametrize("directory", ["file", "file/below"])
def test_a_directory_that_cannot_be_one_is_said(directory: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigurationError, match="set AETERNA_DATA_DIR to another directory"),
        shared_service(tmp_path / directory, environ={}, notify=str),
    ):
        pass


def test_where_only_the_command_line_is_installed_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "django", None)  # as if it were not there
    with (
        pytest.raises(ConfigurationError, match=r"AETERNA_URL.*pip install aeterna-code-search"),
        shared_service(tmp_path, environ={}, notify=str),
    ):
        pass
