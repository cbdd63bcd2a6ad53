"""Which definition each call reaches, seen while tests run."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.callers.truth_executed import PLUGIN, meaning, names_of_calls
from tests.benchmarks.callers.tiny import DEFINITIONS, OPEN, STORE_GET

PROGRAM = """
import record_calls
record_calls.pytest_configure()
import test_it
test_it.test_store(test_it.store())
record_calls.pytest_unconfigure()
"""
LIBRARY = """
class Store:
    def get(self):
        return 1


class Cache(Store):
    def __init__(self):
        self.made = True


async def opened():
    return Cache()
"""
TESTS = """
import asyncio
from lib import Store, opened


def store():
    return asyncio.run(twice())


async def twice():
    return await opened()


def test_store(store):
    assert store.get()
"""


def test_calls_are_known_by_where_they_end() -> None:
    assert names_of_calls("a.b(c(1),\n  é.d())") == {(2, 9): (1, 2), (1, 8): (1, 4), (2, 8): (2, 4)}


def test_a_method_that_is_called_by_a_bare_name_is_what_a_variable_holds() -> None:
    assert meaning((STORE_GET,), DEFINITIONS, "") == ((), True, None, (STORE_GET,))
    assert meaning((STORE_GET,), DEFINITIONS, "fixture") == ((STORE_GET,), True, None, ())
    assert meaning((OPEN,), DEFINITIONS, "") == ((OPEN,), True, None, ())


def test_a_value_is_what_it_was_when_the_test_ran(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    written = tmp_path / "calls.json"
    subprocess.run(
        [sys.executable, "-c", PROGRAM],
        check=True,
        env={
            "CALLS_BELOW": str(tmp_path),
            "CALLS_FILE": str(written),
            "PYTHONPATH": f"{tmp_path}:{PLUGIN.parent}",
        },
    )
    rows = json.loads(written.read_text(encoding="utf-8"))
    reached = {(Path(path).name, line, name) for path, line, *_, name in rows}
    assert {
        ("lib.py", 13, "Cache"),
        ("test_it.py", 11, "opened"),
        ("test_it.py", 15, "Store.get"),
    } <= reached
