"""A server that commands share ends after the last of them."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from central.runtime.idle_shutdown import keep_alive
from scripts.local_service import ROOT, clean_environment

# A server that takes until its standard input ends to shut down.
SERVER = """
import signal, sys, time
from pathlib import Path
from central.runtime.idle_shutdown import stop_when_idle

def end(*_):
    print("ending", flush=True)
    sys.stdin.read()
    sys.exit(0)

signal.signal(signal.SIGTERM, end)
print("begun", flush=True)
stop_when_idle(Path(sys.argv[1]))
time.sleep(60)
"""


def start_server(directory: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", SERVER, directory],
        env=clean_environment({}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def next_line(server: "subprocess.Popen[str]") -> str:
    assert server.stdout
    return server.stdout.readline().strip()


def test_it_lasts_as_long_as_anyone_uses_the_directory(tmp_path: Path) -> None:
    with keep_alive(tmp_path), keep_alive(tmp_path):
        server = start_server(tmp_path)
        assert next_line(server) == "begun"
        assert server.poll() is None
    with server:
        assert next_line(server) == "ending"


def test_who_comes_while_it_ends_waits_until_it_is_gone(tmp_path: Path) -> None:
    with start_server(tmp_path) as server:
        assert [next_line(server), next_line(server)] == ["begun", "ending"]
        with (tmp_path / "users.lock").open() as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)

        def told(line: str) -> None:
            assert str(tmp_path) in line
            assert server.poll() is None
            assert server.stdin
            server.stdin.close()

        with keep_alive(tmp_path, tell=told):
            assert server.wait(timeout=30) == 0


def test_what_the_command_line_imports_of_central_needs_no_package() -> None:
    command = "from central.runtime import data_directory, idle_shutdown, loopback"
    environ = {"PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-S", "-c", command], env=environ, check=True)
