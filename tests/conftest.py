"""What every test shares: the hypothesis profile and the rule for tests that need a tool."""

import os
import shutil

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("default")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "system(*tools): needs these executables (or, in capitals, environment variables); "
        "left out, and named, where one is absent",
    )


def is_absent(tool: str) -> bool:
    """Whether an executable, or a variable if `tool` is in capitals, is not there."""
    return not os.environ.get(tool) if tool.isupper() else shutil.which(tool) is None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    absent: dict[str, int] = {}
    kept, left_out = [], []
    for item in items:
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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if absent := terminalreporter.config.stash.get(LEFT_OUT, ""):
        terminalreporter.write_line(f"Left out, because the tool is absent here: {absent}")
