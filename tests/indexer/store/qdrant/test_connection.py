"""A Qdrant server that is away, slow, full, strict or behind TLS."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import grpc
import pytest

from indexer.errors import StoreError, StoreFullError, StoreUnavailableError
from indexer.store import open_store
from indexer.store.base import VectorStore
from tests.indexer.store.certificates import self_signed
from tests.indexer.store.points import a_collection, a_point, dense_query, ids, unit
from tests.indexer.store.qdrant.server import StandIn, failing, running_stand_in
from tests.listening import listening

QUERY = dense_query(unit(1.0))


@pytest.fixture
def server() -> Iterator[StandIn]:
    with running_stand_in() as running:
        yield running


@pytest.fixture
def store(server: StandIn) -> Iterator[VectorStore]:
    opened = open_store(f"{server.url}?timeout=1")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "code",
    [
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.INTERNAL,
    ],
)
def test_request_that_failed_for_a_moment_is_sent_again(
    server: StandIn, store: VectorStore, code: grpc.StatusCode
) -> None:
    collection, point = a_collection(), a_point()
    store.upsert(collection, [])
    server.faults = [failing(code)] * 2
    store.upsert(collection, [point])
    assert list(store.points(collection)) == [(point.id, point.run)]
    assert [name for name, _ in server.requests].count("Upsert") == 3


def test_server_is_waited_for_as_long_as_it_asks(server: StandIn, store: VectorStore) -> None:
    def busy(context: grpc.ServicerContext) -> None:
        context.set_trailing_metadata([("retry-after", "1")])
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many requests")

    server.faults = [busy]
    begin = time.monotonic()
    assert list(store.points(a_collection())) == []
    assert time.monotonic() - begin >= 1


def test_search_that_takes_too_long_is_given_up_within_seconds(
    server: StandIn, store: VectorStore
) -> None:
    collection = a_collection()
    store.upsert(collection, [a_point()])
    server.faults = [server.slow] * 9
    begin = time.monotonic()
    with pytest.raises(StoreUnavailableError, match="Deadline"):
        store.search([collection], [QUERY])
    assert time.monotonic() - begin < 5


def test_search_that_takes_too_long_is_sent_again_over_another_connection(
    server: StandIn, store: VectorStore
) -> None:
    """It may have led to a node that hangs, and a new one leads to another node."""
    collection, point = a_collection(), a_point()
    store.upsert(collection, [point])
    peers: list[str] = []

    def slow(context: grpc.ServicerContext) -> None:
        peers.append(context.peer())
        server.slow(context)

    server.faults = [slow, lambda context: peers.append(context.peer())]
    while server.faults:
        with suppress(StoreUnavailableError):
            store.search([collection], [QUERY])
    assert len(set(peers)) == 2


def test_server_that_is_away_is_named_and_comes_back(server: StandIn, store: VectorStore) -> None:
    collection, point = a_collection(), a_point()
    store.upsert(collection, [point])
    server.stop()
    with pytest.raises(StoreUnavailableError, match=f"127.0.0.1:{server.port} does not answer"):
        store.search([collection], [QUERY])
    with pytest.raises(StoreUnavailableError):
        store.check()

    server.start()
    [hits] = store.search([collection], [QUERY])
    assert ids(hits.dense) == [point.id]


def test_write_whose_connection_drops_is_carried_out_when_the_server_is_back(
    server: StandIn, store: VectorStore
) -> None:
    collection, point = a_collection(), a_point()
    store.upsert(collection, [])
    server.faults = [server.slow]
    with ThreadPoolExecutor(1) as threads:
        before = len(server.requests)
        writing = threads.submit(store.upsert, collection, [point])
        while len(server.requests) == before:
            time.sleep(0.01)
        server.stop()
        server.start()
        writing.result(timeout=30)
    assert store.existing(collection, [point.id]) == {point.id}


def test_full_disk_is_told_at_once(server: StandIn, store: VectorStore) -> None:
    collection = a_collection()
    store.upsert(collection, [])
    server.faults = [failing(grpc.StatusCode.INTERNAL, "WAL: No space left on device")] * 2
    with pytest.raises(StoreFullError, match="free some space"):
        store.upsert(collection, [a_point()])
    assert len(server.faults) == 1


def test_key_that_is_not_accepted_is_said_without_the_key(server: StandIn) -> None:
    server.api_key = "the-right-key"
    for key in (None, "s3cret-but-wrong"):
        store = open_store(server.url, api_key=key)
        with pytest.raises(StoreError, match="set QDRANT_API_KEY") as caught:
            store.upsert(a_collection(), [a_point()])
        assert not isinstance(caught.value, StoreUnavailableError)
        assert "s3cret" not in str(caught.value)
        store.close()
    assert len(server.requests) == 2


def test_rest_carries_the_key_and_is_as_patient() -> None:
    answers = [(503, "busy"), (404, "Not found: Collection")]
    keys: list[str | None] = []

    class Rest(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            keys.append(self.headers["api-key"])
            status, text = answers.pop(0)
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with listening(Rest) as url:
        address = f"{url.replace('http', 'qdrant')}?transport=rest"
        store = open_store(address, api_key="key-over-rest")
        assert list(store.points(a_collection())) == []
        store.close()
    assert keys == ["key-over-rest"] * 2


def test_tls_is_checked_against_the_authorities_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = self_signed()
    (tmp_path / "authority.pem").write_bytes(certificate)
    with running_stand_in(api_key="key", certificate=(key, certificate)) as server:
        stranger = open_store(server.url, api_key="key")
        with pytest.raises(StoreUnavailableError):
            stranger.check()
        stranger.close()

        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
        store = open_store(server.url, api_key="key")
        store.check()
        store.close()
        plain = open_store(server.plain_url, api_key="key")
        with pytest.raises(StoreUnavailableError):
            plain.check()
        plain.close()
