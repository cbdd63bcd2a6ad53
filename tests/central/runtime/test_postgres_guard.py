"""The embedded PostgreSQL is started again, so often and no more; one that hangs is ended first."""

import atexit
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import psycopg
import pytest
from structlog.testing import capture_logs

from central.runtime.postgres import EmbeddedServer, opened_postgres
from central.runtime.postgres_guard import STARTS, WITHIN_SECONDS, Guard, pause_seconds
from central.runtime.postgres_paths import SOCKET
from scripts.local_service import clean_environment, temporary_workspace
from tests.database import copy_template

WAIT_SECONDS = 60


class Doomed:
    """PostgreSQL that dies as soon as it has started; or does not start at all."""

    def __init__(self) -> None:
        self.starts = 0
        self.lack = ""
        self.error: Exception | None = None

    def is_running(self) -> bool:
        return False

    def answers(self, seconds: float) -> bool:
        raise AssertionError(seconds)

    def kill(self) -> None:
        raise AssertionError

    def disk_space_error(self) -> str:
        return self.lack

    def start_again(self) -> None:
        self.starts += 1
        if self.error:
            raise self.error


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("central.runtime.postgres_guard.pause_seconds", lambda _: 0)


@pytest.mark.usefixtures("no_pauses")
def test_what_dies_again_and_again_is_given_up_and_what_dies_now_and_then_is_not() -> None:
    doomed, clock = Doomed(), Clock()
    guard = Guard(doomed, stop_server=lambda: None, clock=clock)
    for _ in range(3 * STARTS):
        assert guard.look()
        clock.now += WITHIN_SECONDS / STARTS
    assert [guard.look() for _ in range(2 * STARTS)].count(True) < STARTS
    assert doomed.starts == 3 * STARTS + 1


def test_pauses_grow() -> None:
    assert [pause_seconds(starts) for starts in range(STARTS)] == [0, 1, 3, 7, 15]


@pytest.mark.usefixtures("no_pauses")
def test_what_cannot_start_is_given_up_once_by_a_thread_that_outlives_each_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("central.runtime.postgres_guard._LOOK_SECONDS", 0.01)
    doomed, given_up = Doomed(), threading.Event()
    doomed.error = OSError("no such file")
    guard = Guard(doomed, stop_server=given_up.set)
    with capture_logs() as logs:
        guard.start()
        assert given_up.wait(WAIT_SECONDS)
        guard.stop()
    assert doomed.starts == STARTS
    assert [entry["event"] for entry in logs].count("postgres_given_up") == 1


def test_on_a_full_disk_it_waits_for_space_and_says_so_once() -> None:
    doomed = Doomed()
    doomed.lack = "The disk is full."
    guard = Guard(doomed, stop_server=lambda: None)
    with capture_logs() as logs:
        assert [guard.look() for _ in range(10 * STARTS)] == [True] * 10 * STARTS
    assert [entry["event"] for entry in logs] == ["postgres_waits_for_space"]
    assert doomed.starts == 0
    doomed.lack = ""
    assert guard.look()
    assert doomed.starts == 1


# --- PostgreSQL itself --------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    with temporary_workspace("aeterna-guard-") as directory:
        copy_template(directory / "data")
        server = opened_postgres(directory / "data" / "postgres")
        yield server
        server._cleanup()
        atexit.unregister(server._cleanup)


def processes(server: EmbeddedServer) -> list[psutil.Process]:
    postmaster = psutil.Process(server.get_pid() or 0)
    return [postmaster, *postmaster.children()]


def guarded(server: EmbeddedServer) -> Guard:
    return Guard(server, stop_server=lambda: None, hung_seconds=0, ask_seconds=0)


def test_a_process_has_one_server_of_a_directory(server: EmbeddedServer) -> None:
    assert opened_postgres(server._directory) is server


def test_one_that_was_killed_starts_although_its_own_processes_hang_on(
    server: EmbeddedServer,
) -> None:
    """As one that computes: it does not notice, and PostgreSQL does not start beside it."""
    with psycopg.connect(server.get_uri()) as client:
        left = psutil.Process(client.info.backend_pid)
        left.suspend()
        postmaster = processes(server)[0]
        postmaster.kill()
        postmaster.wait(WAIT_SECONDS)
        assert guarded(server).look()
        assert not left.is_running() or left.status() == psutil.STATUS_ZOMBIE
    with psycopg.connect(server.get_uri()) as client:
        assert client.execute("SELECT 1").fetchone() == (1,)


def test_one_that_was_killed_starts_while_its_id_is_not_free(server: EmbeddedServer) -> None:
    """A process that nobody has waited for yet counts as one that holds the lock of the socket."""
    server.kill()
    lock = server.pgdata / f"{SOCKET}.lock"
    _, *rest = lock.read_text().splitlines()
    with subprocess.Popen(["true"], user=server.system_user) as dead:
        os.waitid(os.P_PID, dead.pid, os.WEXITED | os.WNOWAIT)
        lock.write_text("\n".join([str(dead.pid), *rest]))
        server.start_again()
        assert server.answers(WAIT_SECONDS)


def test_what_a_killed_one_left_is_not_taken_for_one_that_runs(
    server: EmbeddedServer, subtests: pytest.Subtests
) -> None:
    """Its id may be another process's by now, or the disk was full when the file was written."""
    for left in (f"{os.getpid()}\nelsewhere\n1\n5432\n", "", "4\n", "none\n"):
        with subtests.test(left):
            server.kill()
            (server.pgdata / "postmaster.pid").write_text(left)
            assert not server.is_running()
            server.start_again()
            assert server.answers(WAIT_SECONDS)


def test_one_that_hangs_is_ended_and_started_again(server: EmbeddedServer) -> None:
    assert server.answers(WAIT_SECONDS)
    hanging = processes(server)
    for process in hanging:
        process.suspend()
    assert not server.answers(0.2)
    guard = guarded(server)
    while server.is_running():
        assert guard.look()
    assert guard.look()
    assert server.answers(WAIT_SECONDS)
    assert {process.pid for process in processes(server)}.isdisjoint(p.pid for p in hanging)


def test_one_that_refuses_clients_answers(server: EmbeddedServer) -> None:
    with psycopg.connect(server.get_uri(), autocommit=True) as client:
        client.execute("ALTER SYSTEM SET max_connections = 4")
        client.execute("ALTER SYSTEM SET superuser_reserved_connections = 0")
        client.execute("ALTER SYSTEM SET reserved_connections = 0")
        client.execute("ALTER SYSTEM SET max_wal_senders = 0")
    server.kill()
    server.start_again()
    with ExitStack() as clients:
        for _ in range(4):
            clients.enter_context(psycopg.connect(server.get_uri()))
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(server.get_uri())
        assert server.answers(WAIT_SECONDS)


def test_a_broken_one_says_why_it_does_not_start(server: EmbeddedServer) -> None:
    (server.pgdata / "postgresql.conf").write_text("no_such_setting = 1\n")
    server.kill()
    with pytest.raises(Exception, match=r"does not start in .*[\s\S]*no_such_setting"):
        server.start_again()
    (server.pgdata / "postgresql.conf").write_text("")


# --- The end of the server's process ------------------------------------------------------------

ENDING = """
import signal, sys, threading, time
signal.signal(signal.SIGHUP, signal.Handlers(int(sys.argv[1])))  # whatever the tests were given
from central.serve import _End
end = _End()
end.by_signals()
print("waits", flush=True)
if sys.argv[2] == "failure":
    threading.Thread(target=end.in_failure).start()
while True:
    time.sleep(0.05)  # one long wait would miss a signal that comes just before it begins
"""


@pytest.mark.parametrize(
    ("is_hup_ignored", "sent", "code"),
    [(0, "SIGHUP", 0), (0, "SIGTERM", 0), (0, "SIGINT", 0), (1, "SIGTERM", 0), (0, "failure", 1)],
)
def test_a_server_ends_in_order_and_tells_a_supervisor_of_a_failure(
    tmp_path: Path, is_hup_ignored: int, sent: str, code: int
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENDING, str(is_hup_ignored), sent],
        env=clean_environment({"AETERNA_DATA_DIR": str(tmp_path)}),
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdout
        assert server.stdout.readline() == b"waits\n"
        if is_hup_ignored:
            server.send_signal(signal.SIGHUP)  # nohup
        if sent != "failure":
            server.send_signal(signal.Signals[sent])
        assert server.wait(WAIT_SECONDS) == code
