"""A stand-in of GitHub for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local_forge import LocalForge


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[LocalForge]:
    with LocalForge(tmp_path / "forge") as running:
        yield running
