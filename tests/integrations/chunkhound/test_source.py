"""`expand` reads the project's files, and never one outside of it."""

import os
from pathlib import Path

import pytest

from aeterna_code_search.integrations.chunkhound import code
from aeterna_code_search.integrations.chunkhound.database_index import (
    CHUNKHOUND_SOURCE_BYTES,
    read_source,
)
from tests.integrations.chunkhound.databases import Chunk, write_database
from tests.integrations.chunkhound.test_search import entries


def expanded(project: Path, chunk: Chunk) -> dict[str, str]:
    """The one result of a database of that chunk, expanded."""
    path = project / "source.db"
    path.unlink(missing_ok=True)
    write_database(path, [chunk])
    (entry,) = entries(code.search(query="query", expand=100, db=str(path)))
    return entry


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text("secret\n" * 10)
    return path


@pytest.mark.parametrize("name", ["../secret.txt", "src/../../secret.txt", "{}/secret.txt"])
def test_a_path_out_of_the_project_is_not_read(
    project: Path, tmp_path: Path, secret: Path, name: str
) -> None:
    entry = expanded(project, Chunk(name.format(tmp_path), "query"))
    assert (entry["code"], entry["lines"]) == ("query", "1-2")
    assert read_source(project, name.format(tmp_path)) is None


def test_a_link_out_of_the_project_is_not_followed(project: Path, secret: Path) -> None:
    (project / "link.py").symlink_to(secret)
    assert expanded(project, Chunk("link.py", "query"))["code"] == "query"


def test_a_directory_that_is_a_link_out_of_the_project_is_not_followed(
    project: Path, secret: Path
) -> None:
    (project / "outside").symlink_to(secret.parent)
    assert expanded(project, Chunk("outside/secret.txt", "query"))["code"] == "query"


def test_a_link_inside_the_project_is_followed(project: Path) -> None:
    (project / "link.py").symlink_to(project / "src/login.py")
    assert "hashlib" in expanded(project, Chunk("link.py", "query"))["code"]


def test_a_project_that_is_reached_by_a_link_is_read(project: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(project)
    text = code.search(query="logic", path=str(tmp_path / "linked"), expand=3)
    assert "import hashlib" in text


def test_what_is_no_regular_file_is_not_waited_for(project: Path) -> None:
    os.mkfifo(project / "pipe.py")
    assert expanded(project, Chunk("pipe.py", "query"))["code"] == "query"
    assert expanded(project, Chunk("src", "query"))["code"] == "query"
    assert expanded(project, Chunk("/dev/zero", "query"))["code"] == "query"


def test_a_large_file_is_not_read(project: Path) -> None:
    (project / "large.py").write_text("x\n" * (CHUNKHOUND_SOURCE_BYTES // 2))
    assert expanded(project, Chunk("large.py", "query"))["code"].startswith("x\nx\n")
    (project / "large.py").write_text("x\n" * (CHUNKHOUND_SOURCE_BYTES // 2) + "y")
    assert expanded(project, Chunk("large.py", "query"))["code"] == "query"


@pytest.mark.parametrize(("start", "end"), [(None, None), (0, 2), (3, 1), (500, 600), (-5, 3)])
def test_lines_that_the_file_does_not_have(
    project: Path, start: int | None, end: int | None
) -> None:
    chunk = Chunk("src/login.py", "query", start_line=start, end_line=end)
    assert expanded(project, chunk)["code"] == "query"


def test_a_file_that_is_gone(project: Path) -> None:
    assert expanded(project, Chunk("src/gone.py", "query"))["code"] == "query"
    assert expanded(project, Chunk("a\0b", "query"))["code"] == "query"


def test_lines_are_those_of_the_file(project: Path) -> None:
    """A form feed and Unicode's separators end no line; carriage returns are not shown."""
    (project / "odd.py").write_bytes("a\x0cb\u2028c\r\nsecond\r\nthird\r\n".encode())
    entry = expanded(project, Chunk("odd.py", "query", start_line=2, end_line=2))
    assert entry["lines"] == "1-3"
    assert entry["code"].split("\n")[1:] == ["second", "third"]
