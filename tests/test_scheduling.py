"""A process of the tests that dies takes one test with it, and no more."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.local_service import ROOT

CONFTEST = """
def pytest_xdist_make_scheduler(config, log):
    from tests.scheduling import Scheduling
    return Scheduling(config, log)
"""
FILE = """
import os
import time
import pytest

@pytest.mark.parametrize("number", range(8))
def test_number(number):
    time.sleep({pause})
    if number == {fatal}:
        time.sleep(1)  # meanwhile the other process is given what is left
        os._exit(3)
"""


@pytest.mark.parametrize("fatal", [0, 3, 6, 7])
def test_the_others_are_run_when_a_test_ends_its_process(tmp_path: Path, fatal: int) -> None:
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "conftest.py").write_text(CONFTEST)
    for name, number, pause in (("a", -1, 0.1), ("b", fatal, 0), ("c", -1, 0)):
        (tmp_path / f"test_{name}.py").write_text(FILE.format(fatal=number, pause=pause))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile",
         "--no-loadscope-reorder", "--import-mode=importlib", "-p", "no:django",
         "-p", "no:cacheprovider", "-p", "no:randomly",
         "-c", tmp_path / "pytest.ini", tmp_path],
        env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "1 failed, 23 passed" in done.stdout, done.stdout + done.stderr
