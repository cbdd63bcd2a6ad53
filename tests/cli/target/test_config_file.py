"""The first `.codesearch.toml`."""

from pathlib import Path

import pytest

from aeterna_code_search.client.target.config_file import project_file, write_project_file
from indexer.config.project_file import ProjectFile, parse_project_file
from indexer.errors import ConfigurationError


@pytest.mark.parametrize(
    "server",
    [
        {},
        {"url": "https://code.example"},
        {"organization": "acme", "project": 'a "quoted"\nname # é'},
    ],
)
def test_what_is_written_is_read_again(server: dict[str, str]) -> None:
    assert parse_project_file(project_file(server).encode()) == ProjectFile(server=server)


def test_what_stands_there_as_an_example_is_valid_once_it_is_no_comment() -> None:
    text = project_file({})
    lines = [line.removeprefix("# ") if " = " in line else line for line in text.splitlines()]
    read = parse_project_file("\n".join(lines).encode())
    assert read.include == ("src/", "docs/*.md")
    assert read.max_file_bytes == 1_048_576
    assert read.server.keys() == {"url", "organization", "project"}


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    assert write_project_file(tmp_path, {})
    (tmp_path / ".codesearch.toml").write_text("# mine\n")
    assert not write_project_file(tmp_path, {"url": "https://code.example"})
    assert (tmp_path / ".codesearch.toml").read_text() == "# mine\n"


def test_a_checkout_that_cannot_be_written_to_is_said_to_be() -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be written .*use `codesearch index`"):
        write_project_file(Path("/proc"), {})
