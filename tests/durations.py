"""Measure which tests `make check` leaves out, besides those that conftest.py knows to be slow.

    HYPOTHESIS_PROFILE=fast .venv/bin/python -m pytest -q -n 2 --dist loadfile -p tests.durations

writes `slow.txt`: each function whose cases take long on average, and each file whose other
functions take long together, or are less than half of it.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Final

import pytest

SLOW_TESTS: Final = Path(__file__).with_name("slow.txt")
_TEST_SECONDS: Final = 0.1
_FILE_SECONDS: Final = 0.7
_LEFT: Final = 0.5  # of the functions of a file

_seconds: Final = Counter[str]()


def slow_tests(seconds: Mapping[str, float]) -> list[str]:
    """Return the files, and the functions (`file::function`) of other files, that take long.

    `seconds` has those of each test with its fixtures, by node id.
    """
    files: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for test, duration in seconds.items():
        function = test.partition("[")[0]
        files[function.partition("::")[0]][function].append(duration)
    slow: list[str] = []
    for file, functions in files.items():
        quick = {name for name, cases in functions.items() if mean(cases) <= _TEST_SECONDS}
        together = sum(sum(functions[name]) for name in quick)
        if together > _FILE_SECONDS or len(quick) < _LEFT * len(functions):
            slow.append(file)
        else:
            slow += functions.keys() - quick
    return sorted(slow)


@cache
def read_slow_tests() -> frozenset[str]:
    """Return what `slow.txt` names: files, and functions as `file::function`."""
    return frozenset(SLOW_TESTS.read_text(encoding="utf-8").split())


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        return
    from tests.conftest import SLOW

    seconds = {test: duration for test, duration in _seconds.items() if not test.startswith(SLOW)}
    SLOW_TESTS.write_text("\n".join((*slow_tests(seconds), "")), encoding="utf-8")
