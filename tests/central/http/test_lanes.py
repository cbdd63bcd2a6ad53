"""Who is served while threads are taken, over HTTP: a real server and requests that do not end."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import pytest
import uvicorn
from pytest_django import Settings

from central.asgi import Application
from central.http.asgi import RequestThreads
from central.http.lanes import TRACES_AT_ONCE, Lane, lanes
from central.http.turns import REQUESTS_AT_ONCE, remember_caller
from central.observability.metrics import REFUSED, WAITING
from central.settings.services import SEARCHES_AT_ONCE
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from tests.central.http import blocked_urls
from tests.waiting import wait_until

SEARCH, TRACE = "/api/v1/search", "/api/v1/trace/callers"
STREAM = "/api/v1/search/stream"  # of a search, and answered at once
STATUS, WEBHOOK = "/api/v1/index/status", "/api/v1/index/updated"


@dataclass
class Server:
    """A server whose threads a test takes one by one."""

    url: str
    clients: ThreadPoolExecutor

    def get(self, path: str, token: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.get(f"{self.url}{path}", headers=headers, timeout=60)

    def ask(self, path: str, token: str, count: int) -> list[Future[httpx.Response]]:
        """Send so many requests, without waiting."""
        return [self.clients.submit(self.get, path, token) for _ in range(count)]

    def take(self, path: str, token: str, count: int) -> list[Future[httpx.Response]]:
        """Have so many requests more under way."""
        most = len(blocked_urls.STARTED) + count
        asked = self.ask(path, token, count)
        wait_until(lambda: len(blocked_urls.STARTED) == most, "they have no threads")
        return asked


@pytest.fixture
def server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Nobody waits longer than READ_WAIT_SECONDS, unless a test says otherwise."""
    monkeypatch.setattr("central.http.lanes.READS_IN_FRONT", 0)
    with running_server(settings) as found:
        yield found


@contextmanager
def running_server(settings: Settings) -> Iterator[Server]:
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
        with ThreadPoolExecutor(REQUESTS_AT_ONCE) as clients:
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
        if sample.name.endswith("_total") and sample.labels == {"lane": lane.value}
    )


def waiting(lane: Lane) -> float:
    (metric,) = WAITING.collect()
    return sum(one.value for one in metric.samples if one.labels == {"lane": lane.value})


def take_all_searches(server: Server) -> list[Future[httpx.Response]]:
    """Have as many searches under way as a process handles at once."""
    limit = lanes(searches_at_once=SEARCHES_AT_ONCE)[Lane.SEARCHES]
    others = limit.at_once - limit.of_one_caller  # one caller never has all
    return [
        *server.take(SEARCH, "one", limit.of_one_caller),
        *server.take(SEARCH, "two", others),
    ]


def test_searches_that_take_all_their_threads_keep_nothing_else_waiting(server: Server) -> None:
    asked = take_all_searches(server)
    before = refused(Lane.SEARCHES)

    assert server.get("/livez", "").json() == {"path": "/livez"}
    assert server.get("/readyz", "").json() == {"path": "/readyz"}
    assert server.get(WEBHOOK, "another").is_success
    assert server.get(STATUS, "one").is_success
    answer = server.get(STREAM, "another")

    assert (answer.status_code, answer.json()["code"]) == (503, "too_busy")
    assert int(answer.headers["Retry-After"]) > 0
    assert refused(Lane.SEARCHES) == before + 1
    blocked_urls.LET_GO.set()
    assert all(one.result().is_success for one in asked)
    assert server.get(STREAM, "another").is_success


def test_traces_that_take_all_their_threads_keep_no_search_waiting(server: Server) -> None:
    server.take(TRACE, "one", TRACES_AT_ONCE)

    assert server.get(TRACE, "another").json()["code"] == "too_busy"
    assert server.get(STREAM, "one").is_success
    assert server.get(STATUS, "another").is_success


def test_who_is_first_in_line_is_answered_and_who_is_behind_is_refused_soon(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.http.lanes.READS_IN_FRONT", 1)
    monkeypatch.setattr("central.http.lanes.READ_FRONT_WAIT_SECONDS", 60.0)
    with running_server(settings) as server:
        take_all_searches(server)
        (first,) = server.ask(STREAM, "another", 1)
        wait_until(lambda: waiting(Lane.SEARCHES) == 1, "it does not wait")

        assert server.get(STREAM, "another").json()["code"] == "too_busy"
        assert not first.done()
        blocked_urls.LET_GO.set()
        assert first.result().is_success


def test_a_trace_that_takes_long_keeps_no_other_trace_waiting(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("asgi", "turns"):
        monkeypatch.setattr(f"central.http.{module}.LATE_SECONDS", 0.1)
    server.take(TRACE, "one", 1)
    server.take(TRACE, "another", 1)


def test_who_leaves_the_line_is_not_served(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.http.lanes.READ_FRONT_WAIT_SECONDS", 60.0)
    monkeypatch.setattr("central.http.turns.LATE_SECONDS", 60.0)
    with running_server(settings) as server:
        server.take(TRACE, "one", TRACES_AT_ONCE)
        leaving = server.clients.submit(httpx.get, f"{server.url}{TRACE}", timeout=2.0)
        wait_until(lambda: waiting(Lane.TRACES) == 1, "it does not wait")
        assert isinstance(leaving.exception(), httpx.ReadTimeout)
        wait_until(lambda: waiting(Lane.TRACES) == 0, "it waits although its client left")
        blocked_urls.LET_GO.set()
    assert blocked_urls.STARTED == [TRACE]


def test_a_person_who_is_refused_sees_a_page(server: Server) -> None:
    take_all_searches(server)

    answer = server.get("/o/acme/", "")

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "try again" in answer.text
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "style-src" in answer.headers["Content-Security-Policy"]


def test_our_clients_come_back_after_the_time_that_a_refusal_names(server: Server) -> None:
    """The transport of the indexer, the command line and the tools of agents."""
    take_all_searches(server)
    pauses = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        blocked_urls.LET_GO.set()

    transport = Transport(url=server.url, credentials=StaticToken("another"), sleep=sleep)
    try:
        assert transport.request("GET", STREAM) == {"path": STREAM}
    finally:
        transport.close()
    assert pauses
    assert pauses[0] >= 5
