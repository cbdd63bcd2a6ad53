"""The service that stays after a command: used again, replaced, and ended."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.client.target.local_token import LocalToken
from aeterna_code_search.client.target.shutdown import (
    end_idle_service,
    end_unused_service,
    replace_service,
    stop_service,
)
from central.runtime.data_directory import (
    ServerRecord,
    is_in_use,
    lock_data_directory,
    running_server,
    write_server_record,
)
from central.runtime.idle_shutdown import keep_alive
from indexer.errors import ConfigurationError
from indexer.exits import Exit
from scripts.local_service import Organization, Service, clean_environment
from tests.cli.command import PROGRAM, codesearch
from tests.cli.target.test_embedded import processes_of
from tests.e2e.conftest import MakeRepository, has_postgres, prepared_data_directory
from tests.waiting import wait_until

WELL = (Exit.OK, Exit.NOT_INDEXED)  # of `status`, by what other tests have indexed


@pytest.fixture(scope="module")
def directory() -> Iterator[Path]:
    """A data directory with tables, for all tests of this file."""
    with prepared_data_directory() as prepared:
        yield prepared


@pytest.fixture
def data_dir(directory: Path) -> Iterator[Path]:
    """The same, which a test leaves without a service."""
    yield directory
    end_idle_service(directory)
    wait_until(lambda: not is_in_use(directory) and not has_postgres(directory))
    wait_until(lambda: not processes_of(directory), "a process is left behind")


def staying(data_dir: Path, **environ: str) -> dict[str, str]:
    return {"AETERNA_DATA_DIR": str(data_dir), "AETERNA_IDLE_MINUTES": "10", **environ}


def run(
    *arguments: str, data_dir: Path, directory: Path | None = None, **environ: str
) -> "subprocess.CompletedProcess[Any]":
    return codesearch(
        *arguments, directory=directory or data_dir.parent, environ=staying(data_dir, **environ)
    )


def server_of(data_dir: Path) -> ServerRecord:
    server = running_server(data_dir)
    assert server is not None
    return server


def test_the_next_command_uses_it_and_stop_ends_it(data_dir: Path) -> None:
    first = run("status", data_dir=data_dir)
    assert "It stays until 10 minutes pass without a command; `codesearch stop` ends it." in (
        first.stderr
    )
    server = server_of(data_dir)
    second = run("status", data_dir=data_dir)
    assert "Starting" not in second.stderr
    assert (
        f"Service on this machine: {server['url']}, pid {server['pid']}; it ends after 10 minutes "
        "without a command, or by `codesearch stop`."
    ) in second.stderr
    assert server_of(data_dir) == server

    stopped = run("stop", data_dir=data_dir)
    assert (stopped.returncode, stopped.stdout) == (0, "")
    assert stopped.stderr == f"The service of {data_dir} (pid {server['pid']}) has ended.\n"
    assert not is_in_use(data_dir)
    again = run("stop", data_dir=data_dir)
    assert (again.returncode, again.stderr) == (0, f"No service runs on {data_dir}.\n")


def test_other_settings_replace_it_unless_it_is_used(data_dir: Path) -> None:
    run("status", data_dir=data_dir)
    server = server_of(data_dir)
    with keep_alive(data_dir):
        shared = run("status", data_dir=data_dir, AETERNA_LOG_LEVEL="ERROR")
        assert "Starting" not in shared.stderr
        assert server_of(data_dir) == server
    replaced = run("status", data_dir=data_dir, AETERNA_LOG_LEVEL="ERROR")
    assert replaced.stderr.startswith(
        f"The service on this machine (pid {server['pid']}) had other code or settings and has "
        "ended.\nStarting the service"
    )
    assert server_of(data_dir)["pid"] != server["pid"]


def test_commands_that_replace_it_at_once_share_the_new_one(data_dir: Path) -> None:
    run("status", data_dir=data_dir)
    old = server_of(data_dir)
    commands = [
        subprocess.Popen(
            [*PROGRAM, "status"],
            cwd=data_dir.parent,
            env=clean_environment(staying(data_dir, AETERNA_LOG_LEVEL="ERROR")),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    said = [command.communicate(timeout=300)[1] for command in commands]
    assert all(command.returncode in WELL for command in commands), said
    assert sum("had other code or settings" in text for text in said) <= 1
    if all("Starting" not in text for text in said):  # each saw the others use the old one
        assert server_of(data_dir) == old


def test_a_killed_one_is_in_nobodys_way(data_dir: Path) -> None:
    run("status", data_dir=data_dir)
    killed = server_of(data_dir)["pid"]
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: not is_in_use(data_dir))
    assert "No service runs" in run("stop", data_dir=data_dir).stderr
    after = run("status", data_dir=data_dir)
    assert after.returncode in WELL
    assert "Starting" in after.stderr
    assert server_of(data_dir)["pid"] != killed


def test_one_that_is_used_is_not_stopped(data_dir: Path) -> None:
    run("status", data_dir=data_dir)
    server = server_of(data_dir)
    with keep_alive(data_dir):
        refused = run("stop", data_dir=data_dir)
    assert refused.returncode == 2
    assert "is used by other commands" in refused.stderr
    assert server_of(data_dir) == server


def test_serve_takes_its_place(data_dir: Path) -> None:
    run("status", data_dir=data_dir)
    started = server_of(data_dir)
    serving = subprocess.Popen(
        [*PROGRAM, "serve", "--bind", "127.0.0.1:0"],
        env=clean_environment(staying(data_dir)),
        stderr=subprocess.PIPE,
        text=True,
    )
    with serving:
        assert serving.stderr
        assert serving.stderr.readline().startswith("Aeterna Code Search is at ")
        assert server_of(data_dir)["pid"] == serving.pid != started["pid"]
        refused = run("stop", data_dir=data_dir)
        assert refused.returncode == 2
        assert "end `codesearch serve` with Ctrl-C" in refused.stderr
        serving.terminate()


def test_a_run_that_is_being_applied_survives(
    data_dir: Path, make_repository: MakeRepository
) -> None:
    files = {
        f"module_{number}.py": "".join(f"def f{number}_{at}():\n    pass\n" for at in range(100))
        for number in range(50)
    }
    repository = make_repository("large", files)
    environ = staying(data_dir)
    indexing = subprocess.Popen(
        [*PROGRAM, "index"],
        cwd=repository,
        env=clean_environment(environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def is_queued() -> bool:
        if indexing.poll() is not None:
            return True
        if running_server(data_dir) is None:
            return False
        token = LocalToken(data_dir, "local").bearer()
        return Organization(Service(data_dir), "local", token).is_applying("large")

    with indexing:
        wait_until(is_queued)
        indexing.kill()
    wait_until(lambda: run("stop", data_dir=data_dir).returncode == 0)
    assert not is_in_use(data_dir)
    assert run("index", data_dir=data_dir, directory=repository).returncode == 0
    found = run("search", "f49_99", data_dir=data_dir, directory=repository)
    assert "module_49.py" in found.stdout


def test_a_wrong_number_of_minutes_is_told(tmp_path: Path) -> None:
    done = codesearch(
        "status",
        directory=tmp_path,
        environ={"AETERNA_DATA_DIR": str(tmp_path / "data"), "AETERNA_IDLE_MINUTES": "often"},
    )
    assert done.returncode == 2
    assert "AETERNA_IDLE_MINUTES must be a number of minutes, such as 10, or 0" in done.stderr


def test_one_that_a_person_has_started_stays(tmp_path: Path) -> None:
    with lock_data_directory(tmp_path):
        write_server_record(tmp_path, "http://127.0.0.1:1")
        assert replace_service(tmp_path, "another") is None
        with pytest.raises(ConfigurationError, match="was not started by a command"):
            stop_service(tmp_path)


def test_another_process_with_its_number_gets_no_signal(tmp_path: Path) -> None:
    """A server that was killed leaves its record, and the next one reads it a moment later."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        left = ServerRecord(url="http://127.0.0.1:1", pid=other.pid, idle_minutes=10, identity="")
        assert end_unused_service(tmp_path, left)
        other.communicate(b"\n", timeout=60)
    assert other.returncode == 0


def test_one_of_the_same_identity_stays(tmp_path: Path) -> None:
    with lock_data_directory(tmp_path):
        write_server_record(tmp_path, "http://127.0.0.1:1", idle_minutes=10, identity="same")
        assert replace_service(tmp_path, "same") is None
