"""FILE.part where a hostile checkout has put something else beside it."""

import os
from pathlib import Path

import duckdb
import pytest

from aeterna_code_search.client.part_file import locked_part, opened_database, write_ahead_log
from indexer.errors import ConfigurationError


def hold(target: Path) -> None:
    with locked_part(target, is_resumable=lambda _: False):
        pass


def test_a_part_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "chunks.db.part")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        hold(tmp_path / "chunks.db")


@pytest.mark.parametrize("end", ["", ".checkpoint", ".recovery"])
def test_a_log_that_is_a_link_is_not_written_to(tmp_path: Path, end: str) -> None:
    log = write_ahead_log(tmp_path / "chunks.db.part")
    link = log.with_name(f"{log.name}{end}")
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError, match="is not a regular file"):
        hold(tmp_path / "chunks.db")
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_with_a_view_is_refused_before_a_row_is_read(tmp_path: Path) -> None:
    """A view may have rows without end; one that fails when it is read stands for it."""
    file = tmp_path / "chunks.db.part"
    with duckdb.connect(str(file)) as database:
        database.execute("CREATE VIEW chunks AS SELECT error('it was read')")
    with (
        pytest.raises(duckdb.InvalidInputException, match="it contains views"),
        opened_database(file),
    ):
        pass
