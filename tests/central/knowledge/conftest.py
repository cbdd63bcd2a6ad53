"""What several tests of the graph use."""

import pytest

from tests.central import limited_child


@pytest.fixture
def matching_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the matching process do what files and rules say, within a fifth of a second."""
    monkeypatch.setattr("central.knowledge.matching._CHILD", limited_child.NAME)
    monkeypatch.setattr("central.knowledge.matching.MATCH_CPU_SECONDS", 0.2)
