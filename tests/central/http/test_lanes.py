"""Who is served while threads are taken, over HTTP: a real server and requests that do not end."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import httpx
import pytest
import uvicorn
from pytest_django import Settings

from central.asgi import Application
from central.http.asgi import RequestThreads
from central.http.lanes import Lane
from central.http.turns import remember_caller
from central.observability.metrics import REFUSED
from indexer import limits
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from tests.central.http import blocked_urls
from tests.waiting import wait_until

SEARCH, TRACE = "/api/v1/search", "/api/v1/trace/callers"
STATUS, WEBHOOK = "/api/v1/index/status", "/api/v1/index/updated"


@dataclass
class Server:
    """A server whose threads a test takes one by one."""

    url: str
    clients: ThreadPoolExecutor

    def get(self, path: str, token: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.get(f"{self.url}{path}", headers=headers, timeout=60)

    def take(self, path: str, token: str, count: int) -> list[Future[httpx.Response]]:
        """Have so many requests more under way."""
        most = len(blocked_urls.STARTED) + count
        asked = [self.clients.submit(self.get, path, token) for _ in range(count)]
        wait_until(lambda: len(blocked_urls.STARTED) == most, "they have no threads")
        return asked


@pytest.fixture
def server(settings: Settings) -> Iterator[Server]:
    settings.ROOT_URLCONF = blocked_urls.__name__
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    for number, token in enumerate(("one", "two", "another")):
        remember_caller(token, number)
    blocked_urls.LET_GO.clear()
    blocked_urls.STARTED.clear()
    config = uvicorn.Config(
        Application(RequestThreads()), port=0, log_config=None, access_log=False, lifespan="off"
    )
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        wait_until(lambda: running.started, "the server did not start")
        port = running.servers[0].sockets[0].getsockname()[1]
        with ThreadPoolExecutor(limits.REQUESTS_AT_ONCE) as clients:
            try:
                yield Server(f"http://127.0.0.1:{port}", clients)
            finally:
                blocked_urls.LET_GO.set()
    finally:
        running.should_exit = True
        thread.join(60)


def refused(lane: Lane) -> float:
    (metric,) = REFUSED.collect()
    return sum(
        sample.value
        for sample in metric.samples
        if sample.name.endswith("_total") and sample.labels == {"lane": lane.name.lower()}
    )


def test_reads_that_take_all_their_threads_keep_no_webhook_and_no_probe_waiting(
    server: Server,
) -> None:
    asked = server.take(SEARCH, "one", limits.REQUESTS_OF_ONE_CALLER)
    assert server.get(STATUS, "another").is_success  # one caller never has all
    asked += server.take(SEARCH, "two", limits.READS_AT_ONCE - limits.REQUESTS_OF_ONE_CALLER)
    before = refused(Lane.READS)

    assert server.get("/livez", "").json() == {"path": "/livez"}
    assert server.get("/readyz", "").json() == {"path": "/readyz"}
    assert server.get(WEBHOOK, "another").is_success
    answer = server.get(STATUS, "another")

    assert (answer.status_code, answer.json()["code"]) == (503, "too_busy")
    assert int(answer.headers["Retry-After"]) > 0
    assert refused(Lane.READS) == before + 1
    blocked_urls.LET_GO.set()
    assert all(one.result().is_success for one in asked)
    assert server.get(STATUS, "another").is_success


def test_traces_that_take_all_their_threads_keep_no_search_waiting(server: Server) -> None:
    server.take(TRACE, "one", limits.TRACES_OF_ONE_CALLER)
    server.take(TRACE, "two", limits.TRACES_AT_ONCE - limits.TRACES_OF_ONE_CALLER)

    assert server.get(TRACE, "another").json()["code"] == "too_busy"
    assert server.get(STATUS, "one").is_success
    assert server.get(STATUS, "another").is_success


def test_a_person_who_is_refused_sees_a_page(server: Server) -> None:
    server.take(SEARCH, "one", limits.REQUESTS_OF_ONE_CALLER)
    server.take(SEARCH, "two", limits.READS_AT_ONCE - limits.REQUESTS_OF_ONE_CALLER)

    answer = server.get("/o/acme/", "")

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "try again" in answer.text
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "style-src" in answer.headers["Content-Security-Policy"]


def test_our_clients_come_back_after_the_time_that_a_refusal_names(server: Server) -> None:
    """The transport of the indexer, the command line and the tools of agents."""
    server.take(SEARCH, "one", limits.REQUESTS_OF_ONE_CALLER)
    server.take(SEARCH, "two", limits.READS_AT_ONCE - limits.REQUESTS_OF_ONE_CALLER)
    pauses = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        blocked_urls.LET_GO.set()

    transport = Transport(url=server.url, credentials=StaticToken("another"), sleep=sleep)
    try:
        assert transport.request("GET", STATUS) == {"path": STATUS}
    finally:
        transport.close()
    assert pauses
    assert pauses[0] >= 5
