"""Every error that the service logs is in the table that operators search."""

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[3]
_LOGGED: Final = re.compile(r'_log\.(?:error|critical|exception)\(\s*"([a-z_]+)"')
EVENTS: Final = {
    event
    for path in (ROOT / "central").rglob("*.py")
    for event in _LOGGED.findall(path.read_text())
}
_TABLE: Final = (ROOT / "docs" / "reference" / "monitoring.md").read_text()


@pytest.mark.parametrize("event", sorted(EVENTS))
def test_an_error_that_is_logged_is_in_the_table(event: str) -> None:
    assert re.search(rf"^\|[^|]*`{event}`", _TABLE, re.MULTILINE), event


def test_errors_are_found() -> None:
    assert {"disk_full", "store_unavailable", "tool_failed"} <= EVENTS
