"""Real services and real repositories for the end-to-end tests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.examples import example_repositories, load_knowledge
from scripts.local_deployment import postmaster
from scripts.local_git import commit_all, new_repository
from scripts.local_service import Organization, Service, running_service, temporary_workspace
from tests.database import copy_template
from tests.e2e.indexing import index_here
from tests.indexer.store.qdrant.cluster import qdrant_cluster, qdrant_nodes
from tests.indexer.store.qdrant.server import StandIn, running_stand_in
from tests.waiting import wait_until

__all__ = ["qdrant_cluster", "qdrant_nodes"]  # fixtures

MakeRepository = Callable[..., Path]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """The embedded service, one for a module's tests."""
    with prepared_data_directory() as directory, running_service(directory) as running:
        yield running


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data directory of the test's own."""
    with new_data_directory() as directory:
        yield directory


@contextmanager
def new_data_directory() -> Iterator[Path]:
    """Not below pytest's own directory: as root, PostgreSQL runs as a user who may not enter it."""
    with temporary_workspace("aeterna-e2e-") as directory:
        yield directory / "data"
        wait_until(lambda: not has_postgres(directory / "data"), "PostgreSQL still runs")


def has_postgres(data_dir: Path) -> bool:
    """Whether its PostgreSQL runs, as it does for a moment after the last service has ended."""
    return postmaster(data_dir) is not None


@contextmanager
def prepared_data_directory() -> Iterator[Path]:
    """The same with a database that has its tables, for tests that are not of a first start."""
    with new_data_directory() as directory:
        copy_template(directory)
        yield directory


@pytest.fixture
def prepared_dir() -> Iterator[Path]:
    """A data directory of the test's own, with the tables."""
    with prepared_data_directory() as directory:
        yield directory


@pytest.fixture(scope="module")
def acme(service: Service) -> Organization:
    """An organisation with a token that may index and search."""
    return service.organization("acme")


@pytest.fixture(scope="session")
def examples() -> Iterator[Organization]:
    """The example organisation, indexed, with its policies and memories.

    All modules share it: ask it, or add to it, no more.
    """
    with prepared_data_directory() as directory, running_service(directory) as running:
        organization = running.organization("acme")
        for project, path in example_repositories(directory.parent / "git").items():
            index_here(organization, path, project)
        load_knowledge(organization)
        yield organization


@dataclass
class OnQdrant:
    """A service that keeps its vectors in a Qdrant server, with its own key."""

    service: Service
    qdrant: StandIn
    key: str


@pytest.fixture(scope="session")
def on_qdrant() -> Iterator[OnQdrant]:
    """All modules share it: make an organisation of your own."""
    key = "the-key-of-the-tests-own-qdrant-server"
    with prepared_data_directory() as directory, running_stand_in(api_key=key) as qdrant:
        environment = {"VECTOR_STORE_URL": f"{qdrant.url}?jwt=true", "QDRANT_API_KEY": key}
        with running_service(directory, environment) as service:
            yield OnQdrant(service, qdrant, key)


@pytest.fixture
def make_repository(tmp_path: Path) -> MakeRepository:
    """Makes a repository with branch main from {path: content}."""

    def make(name: str, files: dict[str, str]) -> Path:
        directory = new_repository(tmp_path / name)
        write_files(directory, files)
        commit_all(directory, "First commit")
        return directory

    return make


def write_files(directory: Path, files: dict[str, str]) -> None:
    """Write files into a work tree."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
