"""Real stores: Edge in a temporary directory, in this process and another; pgvector; Qdrant.

Qdrant is a stand-in over real gRPC and, where QDRANT_TEST_URL (and QDRANT_API_KEY) is set, the
real server there, whose collections of the tests are dropped at the end.
"""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from qdrant_client import QdrantClient

from indexer.store import open_store
from indexer.store.base import VectorStore
from indexer.store.edge import EdgeStore
from indexer.store.qdrant_address import QdrantAddress
from indexer.store.qdrant_connection import Connection
from indexer.store.qdrant_names import PREFIX
from tests.indexer.store.qdrant_server import StandIn, running_stand_in

OpenStore = Callable[[], VectorStore]
REAL_QDRANT = pytest.param("real_qdrant", marks=pytest.mark.system("QDRANT_TEST_URL"))


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """The tests' own PostgreSQL; Django's tables are in another database of it."""
    return str(settings.DATABASE_URL)


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    """A Qdrant server over gRPC that asks for a key."""
    with running_stand_in(api_key="stand-in-key") as running:
        yield running


@pytest.fixture(scope="module")
def real_qdrant() -> Iterator[OpenStore]:
    """Opens a store in the server of QDRANT_TEST_URL."""
    url, api_key = os.environ["QDRANT_TEST_URL"], os.environ.get("QDRANT_API_KEY")
    yield partial(open_store, url, api_key=api_key)
    connection = Connection(
        QdrantAddress.parse(url), api_key=api_key, timeout_seconds=60, patience_seconds=5
    )
    connection.call(_drop_those_of_tests)
    connection.close()


def _drop_those_of_tests(client: QdrantClient) -> None:
    for collection in client.get_collections().collections:
        if collection.name.startswith(f"{PREFIX}org"):
            client.delete_collection(collection.name)


@pytest.fixture(params=["edge", "process", "pgvector", "qdrant", REAL_QDRANT])
def open_again(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    """Opens the test's store, each time anew."""
    match request.param:
        case "edge":
            return partial(EdgeStore, tmp_path / "vectors")
        case "process":
            return partial(open_store, f"edge:{tmp_path / 'vectors'}")
        case "qdrant":
            stand_in: StandIn = request.getfixturevalue("stand_in")
            return partial(open_store, stand_in.url, api_key=stand_in.api_key)
        case "real_qdrant":
            real: OpenStore = request.getfixturevalue("real_qdrant")
            return real
        case _:
            return partial(open_store, request.getfixturevalue("postgres_url"))


@pytest.fixture
def store(open_again: OpenStore) -> Iterator[VectorStore]:
    opened = open_again()
    yield opened
    opened.close()
