"""Real stores: Edge in a temporary directory, in this process and another; pgvector."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings

from indexer.store import open_store
from indexer.store.base import VectorStore
from indexer.store.edge import EdgeStore

OpenStore = Callable[[], VectorStore]


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """The tests' own PostgreSQL; Django's tables are in another database of it."""
    return str(settings.DATABASE_URL)


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
