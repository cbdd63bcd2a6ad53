"""A session of tests ends, however it was started and whatever a test waits for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import SERVICE_SECONDS
from tests.database import TEMPLATE
from tests.durations import read_slow_tests

ROOT = Path(__file__).resolve().parent.parent

# As `nohup COMMAND &`, which a shell starts with these signals ignored.
IN_THE_BACKGROUND = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""

A_CHILD = """
import subprocess, sys

def test_child():
    asks = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    assert subprocess.check_output([sys.executable, "-c", asks], text=True) == "False\\n"
"""

THAT_HANGS = """
import threading

def wait_for_ever():
    threading.Event().wait()

def test_hangs():
    wait_for_ever()
"""

THAT_IS_KILLED_ONCE = """
import os, signal
from pathlib import Path

def test_is_killed():
    first = Path(__file__).with_suffix(".killed")
    if not first.exists():
        first.touch()
        os.kill(os.getpid(), signal.SIGKILL)
"""


def session(
    directory: Path, *arguments: str | Path, prefix: tuple[str, ...] = ()
) -> "subprocess.CompletedProcess[str]":
    """A session of its own, without the plugins and the database that take long to start."""
    (directory / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, *prefix, "-m", "pytest", "-q", "-p", "pytest_timeout"]
    command += ["-p", "no:cacheprovider", "-c", str(directory / "pytest.ini")]
    without_plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    return subprocess.run(
        [*command, "--import-mode=importlib", *arguments],
        cwd=ROOT,
        env=os.environ | without_plugins | {TEMPLATE: "of no use here"},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_a_session_in_the_background_runs_tests_that_send_signals(tmp_path: Path) -> None:
    (tmp_path / "test_child.py").write_text(A_CHILD)
    tests = ("tests/indexer/pipeline/test_open_run.py", tmp_path / "test_child.py")
    done = session(tmp_path, *tests, prefix=("-c", IN_THE_BACKGROUND))
    assert done.returncode == pytest.ExitCode.OK, done.stdout
    assert "6 passed" in done.stdout


def test_a_test_that_hangs_ends_the_session_with_the_stacks_of_its_threads(tmp_path: Path) -> None:
    (tmp_path / "test_hanging.py").write_text(THAT_HANGS)
    done = session(tmp_path, "--timeout=1", "--timeout-method=thread", tmp_path)
    assert done.returncode not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
    assert "in wait_for_ever" in done.stdout


def test_a_process_that_is_killed_says_by_which_signal_and_another_goes_on(tmp_path: Path) -> None:
    (tmp_path / "test_first.py").write_text("def test_passes(): pass\n")
    (tmp_path / "test_killed.py").write_text(THAT_IS_KILLED_ONCE)
    plugins = ("-p", "xdist.plugin", "-p", "tests.conftest")
    done = session(tmp_path, *plugins, "--numprocesses=1", "--dist=loadfile", tmp_path)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert "1 failed, 2 passed" in done.stdout
    assert "The process gw0 has ended: signal 9\n" in done.stderr


def test_every_test_has_a_time_out(request: pytest.FixtureRequest) -> None:
    limit = float(request.config.getini("timeout"))
    assert 0 < limit < SERVICE_SECONDS
    assert request.config.getini("timeout_method") == "thread"


def test_slow_txt_names_files_and_functions_that_exist() -> None:
    for name in read_slow_tests():
        file, *names = name.split("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        for part in names or ["def test_"]:
            assert part in text or part == "runTest", name  # which a state machine inherits
