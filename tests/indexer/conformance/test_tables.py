"""Our readers agree with the tools on what these decide from files."""

from pathlib import Path

import pytest

from tests.indexer.conformance.tables import TABLES, rows


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_we_say_what_the_tool_says(table: Path) -> None:
    wrong = [
        (row.name, row.says, ours)
        for row in rows(table)
        if not row.differs and (ours := row.ours()) != row.says
    ]
    assert wrong == []


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_a_difference_is_one(table: Path) -> None:
    assert [row.name for row in rows(table) if row.differs and row.ours() == row.says] == []
