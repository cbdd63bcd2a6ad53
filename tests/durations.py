"""Measure which tests `make check` leaves out, besides those that conftest.py knows to be slow.

    HYPOTHESIS_PROFILE=fast .venv/bin/python -m pytest -q -n 2 --dist loadfile -p tests.durations

writes `slow.txt`: a file if its tests take long together, else the tests of it that take long.
"""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

SLOW_TESTS: Final = Path(__file__).with_name("slow.txt")
_TEST_SECONDS: Final = 0.1
_FILE_SECONDS: Final = 2.2

_calls: Final = Counter[str]()
_all: Final = Counter[str]()


def slow_tests(calls: Mapping[str, float], files: Mapping[str, float]) -> list[str]:
    """Return the files, and the functions (`file::function`) of other files, that take long.

    `calls` has the seconds of each test without its fixtures, by node id; `files` the seconds of
    each file with them.
    """
    slow = {file for file, seconds in files.items() if seconds > _FILE_SECONDS}
    for test, seconds in calls.items():
        function = test.partition("[")[0]
        if seconds > _TEST_SECONDS and function.partition("::")[0] not in slow:
            slow.add(function)
    return sorted(slow)


@cache
def read_slow_tests() -> frozenset[str]:
    """Return what `slow.txt` names: files, and functions as `file::function`."""
    return frozenset(SLOW_TESTS.read_text(encoding="utf-8").split())


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    file = report.nodeid.partition("::")[0]
    _all[file] += report.duration
    if report.when == "call":
        _calls[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        return
    from tests.conftest import SLOW

    calls = {test: seconds for test, seconds in _calls.items() if not test.startswith(SLOW)}
    files = {file: seconds for file, seconds in _all.items() if not file.startswith(SLOW)}
    SLOW_TESTS.write_text("\n".join((*slow_tests(calls, files), "")), encoding="utf-8")
