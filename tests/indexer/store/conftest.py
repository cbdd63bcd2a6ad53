"""Real stores: Edge in a temporary directory, in this process and another; pgvector; Qdrant.

Qdrant is a stand-in over real gRPC and, where QDRANT_TEST_URL (and QDRANT_API_KEY) is set, the
real server there, whose collections of the tests are dropped at the end.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from qdrant_client import QdrantClient

from indexer.store import open_store
from indexer.store.base import VectorStore
from indexer.store.edge.store import EdgeStore
from indexer.store.qdrant.address import QdrantAddress
from indexer.store.qdrant.collections import PREFIX
from indexer.store.qdrant.connection import Connection
from tests.indexer.store.qdrant.server import StandIn, running_stand_in

OpenStore = Callable[[], VectorStore]
REAL_QDRANT = pytest.param("real_qdrant", marks=pytest.mark.system("QDRANT_TEST_URL"))


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """The tests' own PostgreSQL; Django's tables are in another database of it."""
    return str(settings.DATABASE_URL)


@dataclass(frozen=True)
class Server:
    """A Qdrant server: the stand-in, or a real one."""

    url: str
    api_key: str | None

    def open(self, options: str = "") -> VectorStore:
        """A store in it; `options` is a query such as "?jwt=true"."""
        return open_store(self.url.partition("?")[0] + options, api_key=self.api_key)

    def ask(self, question: Callable[[QdrantClient], Any]) -> Any:
        """What the client itself is answered."""
        connection = Connection(
            QdrantAddress.parse(self.url),
            api_key=self.api_key,
            timeout_seconds=60,
            retry_seconds=5,
        )
        try:
            return connection.call(question)
        finally:
            connection.close()

    def aliases(self, organization: str) -> dict[str, str]:
        """Alias → physical collection, of one organisation."""
        found = self.ask(lambda client: client.get_aliases()).aliases
        return {
            alias.alias_name: alias.collection_name
            for alias in found
            if organization in alias.alias_name
        }

    def collections(self, organization: str) -> set[str]:
        """The physical collections of one organisation."""
        found = self.ask(lambda client: client.get_collections()).collections
        return {each.name for each in found if organization in each.name}


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    """A Qdrant server over gRPC that asks for a key."""
    with running_stand_in(api_key="stand-in-key-that-is-long-enough-for-hmac") as running:
        yield running


@pytest.fixture(scope="module")
def real_qdrant() -> Iterator[Server]:
    """The server of QDRANT_TEST_URL."""
    server = Server(os.environ["QDRANT_TEST_URL"], os.environ.get("QDRANT_API_KEY"))
    yield server
    server.ask(_drop_those_of_tests)


def _drop_those_of_tests(client: QdrantClient) -> None:
    for collection in client.get_collections().collections:
        if collection.name.startswith(f"{PREFIX}org"):
            client.delete_collection(collection.name)


@pytest.fixture(params=["stand_in", REAL_QDRANT])
def qdrant(request: pytest.FixtureRequest) -> Server:
    """Both kinds of server."""
    if request.param == "stand_in":
        stand_in: StandIn = request.getfixturevalue("stand_in")
        return Server(stand_in.url, stand_in.api_key)
    real: Server = request.getfixturevalue("real_qdrant")
    return real


@pytest.fixture(params=["edge", "process", "pgvector", "qdrant", REAL_QDRANT])
def open_again(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    """Opens the test's store, each time anew."""
    match request.param:
        case "edge":
            return partial(EdgeStore, tmp_path / "vectors")
        case "process":
            return partial(open_store, f"edge:{tmp_path / 'vectors'}")
        case "qdrant" | "qdrant_organization":
            stand_in: StandIn = request.getfixturevalue("stand_in")
            per = "organization" if request.param == "qdrant_organization" else "project"
            return partial(
                open_store, f"{stand_in.url}?collections={per}", api_key=stand_in.api_key
            )
        case "real_qdrant":
            real: Server = request.getfixturevalue("real_qdrant")
            return partial(open_store, real.url, api_key=real.api_key)
        case _:
            return partial(open_store, request.getfixturevalue("postgres_url"))


@pytest.fixture
def store(open_again: OpenStore) -> Iterator[VectorStore]:
    opened = open_again()
    yield opened
    opened.close()
