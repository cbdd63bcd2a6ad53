"""What every test shares: the hypothesis profile, time-outs, and the rule for tests that need a
tool.
"""

import os
import shutil
import signal
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.database import make_template

settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.register_profile(
    "nightly", settings.get_profile("default"), max_examples=1000, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As a background shell starts it. Tests send SIGINT, and child processes inherit this.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line(
        "markers",
        "system(*tools): needs these executables (or, in capitals, environment variables); "
        "left out, and named, where one is absent",
    )
    starts_processes = config.getoption("numprocesses", None) and not config.option.collectonly
    if starts_processes and not hasattr(config, "workerinput"):
        config.add_cleanup(make_template().cleanup)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from tests.scheduling import Scheduling  # here: xdist is not loaded in each way to run tests

    return Scheduling(config, log)


def is_absent(tool: str) -> bool:
    """Whether an executable, or a variable if `tool` is in capitals, is not there."""
    return not os.environ.get(tool) if tool.isupper() else shutil.which(tool) is None


LONG = ("tests/e2e/", "tests/action/", "tests/cli/")
SLOW = (*LONG, "tests/deploy/", "tests/workflows/")  # they start services, browsers, runners
SLOW_SECONDS = 600


@pytest.hookimpl(trylast=True)  # after the order was made random
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))  # so that none is left alone
    absent: dict[str, int] = {}
    kept, left_out = [], []
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))
        marker = item.get_closest_marker("system")
        missing = [tool for tool in (marker.args if marker else ()) if is_absent(tool)]
        for tool in missing:
            absent[tool] = absent.get(tool, 0) + 1
        (left_out if missing else kept).append(item)
    if left_out:
        items[:] = kept
        config.hook.pytest_deselected(items=left_out)
        config.stash[LEFT_OUT] = ", ".join(f"{tool} ({n})" for tool, n in sorted(absent.items()))


LEFT_OUT = pytest.StashKey[str]()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """One of several processes: what it left out is told by the one that the person sees."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, "")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", "")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if absent := terminalreporter.config.stash.get(LEFT_OUT, ""):
        terminalreporter.write_line(f"Left out, because the tool is absent here: {absent}")
