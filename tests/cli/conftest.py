"""One running service for all tests of the command line, and repositories to index."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scripts.local_git import commit_all, new_repository
from scripts.local_service import Service, running_service
from tests.e2e.conftest import new_data_directory, write_files

MakeRepository = Callable[..., Path]


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """A service of this machine that runs: share it, and name projects of your own."""
    with new_data_directory() as directory, running_service(directory) as running:
        yield running


@pytest.fixture
def make_repository(tmp_path: Path) -> MakeRepository:
    """Makes a repository with branch main from {path: content}."""

    def make(name: str, files: dict[str, str]) -> Path:
        directory = new_repository(tmp_path / name)
        write_files(directory, files)
        commit_all(directory, "First commit")
        return directory

    return make
