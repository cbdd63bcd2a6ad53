"""A server that commands share ends after the last of them."""

import fcntl
import shutil
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
requests = 0

def count_requests():
    global requests
    requests += requests < int(sys.argv[3])
    print(requests, flush=True)
    return requests

stop_when_idle(
    Path(sys.argv[1]), idle_seconds=float(sys.argv[2]), count_requests=count_requests
)
time.sleep(60)
"""
DAY = 86_400.0


def start_server(
    directory: Path, idle_seconds: float = 0.0, *, requests: int = 0
) -> "subprocess.Popen[str]":
    """Start one that gets a request before each of the first `requests` looks for users."""
    return subprocess.Popen(
        [sys.executable, "-c", SERVER, directory, str(idle_seconds), str(requests)],
        env=clean_environment({}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def next_line(server: "subprocess.Popen[str]") -> str:
    assert server.stdout
    return server.stdout.readline().strip()


def next_event(server: "subprocess.Popen[str]") -> str:
    """The next line that is no number of requests."""
    while (line := next_line(server)).isdigit():
        pass
    return line


def look_for_users(server: "subprocess.Popen[str]", times: int) -> None:
    """Let it look so often, without ending."""
    for _ in range(times):
        assert next_line(server).isdigit()
    assert server.poll() is None


def test_it_lasts_as_long_as_anyone_uses_the_directory(tmp_path: Path) -> None:
    with keep_alive(tmp_path), keep_alive(tmp_path):
        server = start_server(tmp_path)
        assert next_line(server) == "begun"
        look_for_users(server, 2)
    with server:
        assert next_event(server) == "ending"


def test_it_stays_between_commands(tmp_path: Path) -> None:
    with start_server(tmp_path, DAY) as server:
        assert next_line(server) == "begun"
        for _ in range(2):
            with keep_alive(tmp_path):
                look_for_users(server, 2)
            look_for_users(server, 2)
        server.kill()


def test_it_ends_after_a_while_without_commands(tmp_path: Path) -> None:
    with keep_alive(tmp_path):
        server = start_server(tmp_path, 0.1)
        assert next_line(server) == "begun"
        look_for_users(server, 3)
    with server:
        assert next_event(server) == "ending"


def test_a_request_counts_as_a_use(tmp_path: Path) -> None:
    with start_server(tmp_path, 0.1, requests=4) as server:
        assert next_line(server) == "begun"
        look_for_users(server, 4)
        assert next_event(server) == "ending"


def test_it_ends_if_its_directory_is_removed(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    with start_server(directory, DAY) as server:
        assert next_line(server) == "begun"
        look_for_users(server, 2)
        shutil.rmtree(directory)
        assert next_event(server) == "ending"


def test_who_comes_while_it_ends_waits_until_it_is_gone(tmp_path: Path) -> None:
    with start_server(tmp_path) as server:
        assert [next_event(server), next_event(server)] == ["begun", "ending"]
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
