"""Requests that wait for the end of a run: what they hold, who may, and what they are answered."""

import re
import socket
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn
from django.db import connection

from central.asgi import Application
from central.http.asgi import RequestThreads
from central.http.lanes import Lane
from central.ingest.models import IndexRun
from central.ingest.run_waits import RUN_ENDS_AWAITED_OF_ORGANIZATION, RUN_WAITS
from central.tenancy.models import ApiToken, Organization
from indexer.records.runs import RUN_END_WAIT_SECONDS
from tests.central.protocol import Api, api_of, apply_queued, metrics
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

FILES = {"a.py": "def a\n"}
ANSWER_SECONDS = 60


@dataclass
class Server:
    """The application behind uvicorn, as `central.serve` has it."""

    url: str
    threads: RequestThreads
    clients: ThreadPoolExecutor

    def ask(self, api: Api, run_id: str, wait: str) -> httpx.Response:
        """The answer."""
        return httpx.get(
            f"{self.url}/api/v1/index/runs/{run_id}",
            params={"wait": wait} if wait else {},
            headers={"Authorization": f"Bearer {api.token}"},
            timeout=ANSWER_SECONDS,
        )

    def wait(self, api: Api, run_id: str) -> "Future[httpx.Response]":
        """A request that waits already."""
        before = deferred()
        asked = self.clients.submit(self.ask, api, run_id, str(RUN_END_WAIT_SECONDS))
        wait_until(lambda: deferred() > before, "it does not wait")
        return asked


@contextmanager
def running(threads: RequestThreads) -> Iterator[str]:
    config = uvicorn.Config(Application(threads), port=0, log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started, "the server did not start")
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(60)


@pytest.fixture
def server() -> Iterator[Server]:
    with ThreadPoolExecutor(4) as executor, ThreadPoolExecutor(20) as clients:
        threads = RequestThreads(executor)
        with running(threads) as url:
            yield Server(url, threads, clients)
            RUN_WAITS.wake(RUN_WAITS.awaited())


@pytest.fixture
def run_id(api: Api) -> str:
    """A queued run."""
    return str(api.queue_full(FILES)["run_id"])


def deferred() -> float:
    return figure("aeterna_deferred_requests")


def figure(name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", metrics(), re.MULTILINE)
    return float(found[1]) if found else 0


def sessions() -> int:
    """Those with the database that are not the test's own."""
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        (count,) = cursor.fetchone()
        return int(count)


def test_it_is_answered_when_the_run_ends_and_holds_nothing_meanwhile(
    server: Server, api: Api, run_id: str
) -> None:
    waiting = server.wait(api, run_id)
    assert server.threads._turns.count(list(Lane)) == 0
    assert server.threads._executor.submit(int).result() == 0
    assert sessions() == 0
    assert not waiting.done()
    assert apply_queued() == ["applied"]
    answer = waiting.result()
    assert answer.status_code == 200
    assert answer.json() == api.state({"run_id": run_id})
    assert answer.json()["state"] == "applied"
    assert run_id not in RUN_WAITS.awaited()


def test_it_is_one_request_to_those_who_watch_the_service(
    server: Server, api: Api, run_id: str
) -> None:
    count = 'aeterna_requests_total{method="GET",route="index-run",status="200"}'
    before = figure(count)
    waiting = server.wait(api, run_id)
    apply_queued()
    assert "X-Request-Id" in waiting.result().headers
    assert figure(count) == before + 1


def test_more_than_may_wait_of_an_organisation_are_answered_at_once(
    server: Server, api: Api, run_id: str
) -> None:
    waiting = [server.wait(api, run_id) for _ in range(RUN_ENDS_AWAITED_OF_ORGANIZATION)]
    answer = server.ask(api, run_id, "25").json()
    assert answer["state"] == "queued"
    assert not any(one.done() for one in waiting)

    other = api_of(Organization.objects.create(slug="globex"))
    other_run = other.queue_full(FILES)["run_id"]
    of_other = server.wait(other, str(other_run))

    assert apply_queued() == ["applied", "applied"]
    states = {one.result().json()["state"] for one in [*waiting, of_other]}
    assert states == {"applied"}


@pytest.mark.parametrize("state", ["open", "applied", "stale", "failed", "abandoned", "expired"])
def test_a_run_that_no_worker_has_to_do_with_is_answered_at_once(
    server: Server, api: Api, run_id: str, state: str
) -> None:
    IndexRun.objects.update(state=state)
    assert server.ask(api, run_id, "25").json()["state"] == state
    assert run_id not in RUN_WAITS.awaited()


def test_after_its_time_it_is_answered_with_the_present_state(
    server: Server, api: Api, run_id: str
) -> None:
    assert server.ask(api, run_id, "1").json()["state"] == "queued"
    assert run_id not in RUN_WAITS.awaited()


def test_without_a_time_or_with_none_it_does_not_wait(
    server: Server, api: Api, run_id: str
) -> None:
    assert server.ask(api, run_id, "").json()["state"] == "queued"
    assert server.ask(api, run_id, "0").json()["state"] == "queued"


def test_a_client_that_leaves_frees_its_place(server: Server, api: Api, run_id: str) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as client:
        client.sendall(
            f"GET /api/v1/index/runs/{run_id}?wait=25 HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {api.token}\r\n\r\n".encode()
        )
        wait_until(lambda: deferred() == 1)
        assert run_id in RUN_WAITS.awaited()
    wait_until(lambda: deferred() == 0)
    assert run_id not in RUN_WAITS.awaited()


def test_what_its_credential_may_no_longer_see_is_not_answered(
    server: Server, api: Api, run_id: str
) -> None:
    hidden = server.wait(api, run_id)
    ApiToken.objects.update(repositories=["another"])
    apply_queued()
    assert (hidden.result().status_code, hidden.result().json()["code"]) == (404, "run_not_found")


def test_a_token_that_was_deleted_meanwhile_gets_no_answer(
    server: Server, api: Api, run_id: str
) -> None:
    revoked = server.wait(api, run_id)
    ApiToken.objects.all().delete()
    apply_queued()
    assert revoked.result().status_code == 401


def test_who_may_not_see_the_run_does_not_wait(server: Server, api: Api, run_id: str) -> None:
    for stranger in (
        api_of(Organization.objects.create(slug="globex")),
        api_of(api.organization, repositories=["another"]),
    ):
        refused = server.ask(stranger, run_id, "25")
        assert (refused.status_code, refused.json()["code"]) == (404, "run_not_found")
    assert run_id not in RUN_WAITS.awaited()


@pytest.mark.parametrize("wait", ["x", "-1", "1.5", "", "true", "9" * 30])
def test_what_is_no_number_of_seconds_is_refused(api: Api, run_id: str, wait: str) -> None:
    refused = api.request("GET", f"/api/v1/index/runs/{run_id}?wait={wait}")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert refused.json()["detail"].startswith("wait: ")


def test_a_longer_time_than_the_longest_counts_as_that(api: Api, run_id: str) -> None:
    answers: list[Any] = [
        api.request("GET", f"/api/v1/index/runs/{run_id}?wait={wait}") for wait in (25, 26, 3_600)
    ]
    assert [one._seconds for one in answers] == [RUN_END_WAIT_SECONDS] * 3
    for one in answers:  # the test's client sends the answer for now
        RUN_WAITS.leave(one._wait)
