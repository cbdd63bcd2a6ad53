"""The tools ask what the API asks: the same answers, the same refusals, nothing more said."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from aeterna_code_search.agents.backend import ToolError
from central.http.asgi import RequestThreads
from central.knowledge.services.catch_up import KnowledgeGraph
from central.mcp import auth, service_backend
from central.mcp.service_backend import ServicesBackend
from central.tenancy.models import Organization
from central.tenancy.tokens import credential_of
from tests.central.knowledge.graph import created, linked
from tests.central.mcp.agent import Agent
from tests.central.protocol import Api

FILES = {"pay.py": "def pay invoice\ndef refund invoice\n"}
CALLS = [
    ("search", {"query": "invoice", "limit": 1, "expand": 2}),
    ("search", {"query": "invoice", "include_projects": ["ghost"], "exclude": "test|mock"}),
    ("search", {"query": "invoice", "group_by": "file"}),
    ("search", {"query": "nothing like it", "min_similarity": 0.99}),
    ("callers", {"symbol": "f1", "depth": 2, "min_confidence": "low"}),
    ("callees", {"symbol": "f1", "limit": 1}),
    ("graph", {"symbol": "f2", "project": "shop"}),
    ("definition", {"project": "shop", "file": "pay.py", "line": 1, "column": 0}),
    ("references", {"project": "shop", "file": "pay.py", "line": 1, "column": 0, "limit": 1}),
    ("status", {}),
    ("status", {"project": "shop"}),
    ("files", {"project": "shop"}),
    ("files", {"project": "shop", "glob": "*.py", "limit": 1}),
    ("files/content", {"project": "shop", "path": "pay.py", "start_line": 2}),
    ("files/history", {"project": "shop", "path": "pay.py"}),
    ("traverse", {"from": "ADR-7", "types": ["implements"], "depth": 2}),
    ("traverse", {"from": "code:shop/pay.py", "direction": "in"}),
    ("violations", {"project": "shop", "limit": 1}),
    ("unmigrated", {"project": "shop", "path": "pay"}),
    ("related", {"id": "ADR-7", "target_type": "code"}),
    ("context", {"project": "shop", "file": "pay.py", "max_tokens": 500}),
]
REFUSALS = [
    ("search", {"query": " "}),
    ("search", {"query": "a", "limit": 51}),
    ("search", {"query": "a", "cursor": "none"}),
    ("search", {"query": "a", "org_id": "globex"}),
    ("search", {"query": "a", "org_id": 5}),
    ("callers", {"symbol": "f1", "line": 0}),
    ("callees", {"symbol": "f1", "project": "ghost"}),
    ("graph", {"symbol": "f1", "depth": 6}),
    ("graph", {"symbol": "f1", "file": "ghost.py"}),
    ("definition", {"project": "shop", "file": "pay.py", "line": 1, "column": 3}),
    ("definition", {"project": "shop", "file": "pay.py", "line": 99, "column": 0}),
    ("references", {"project": "shop", "file": "ghost.py", "line": 1, "column": 0}),
    ("status", {"project": "ghost"}),
    ("status", {"org_id": "globex"}),
    ("files", {"project": "ghost"}),
    ("files", {"project": "shop", "glob": "!"}),
    ("files/content", {"project": "shop", "path": "ghost.py"}),
    ("files/history", {"project": "shop", "path": "ghost.py"}),
    ("files/history", {"project": "shop", "after": "soon"}),
    ("files/content", {"project": "shop", "path": "pay.py", "start_line": 9}),
    ("files/content", {"project": "shop", "path": "pay.py", "org_id": "globex"}),
    ("traverse", {"from": "ADR-99"}),
    ("traverse", {"from": "code:shop/pay.py", "depth": 6}),
    ("violations", {"project": "ghost"}),
    ("related", {"id": "ADR 7", "target_type": "code"}),
    ("context", {"project": "shop", "file": "ghost.py"}),
    ("unmigrated", {"project": "shop", "cursor": "none"}),
]


ROUTES = {
    "status": "index/status",
    "files": "files",
    "files/content": "files/content",
    "files/history": "files/history",
}
GRAPH = {"traverse", "violations", "unmigrated", "related", "context"}


@pytest.fixture
def shop(api: Api) -> Api:
    """acme, with a project that is indexed."""
    api.index(FILES)
    created(api, kind="knowledge", id="ADR-7", title="Pay an invoice once")
    linked(api, "code:pay.py#f1", "implements", "ADR-7")
    KnowledgeGraph().follow()
    return api


@pytest.fixture
def caller(api: Api) -> Iterator[None]:
    """The caller is who has the API's token."""
    before = auth._credential.set(credential_of(api.token))
    yield
    auth._credential.reset(before)


@pytest.fixture
def ask(caller: None, threads: RequestThreads) -> Callable[..., dict[str, Any]]:
    """Asks the backend."""

    def ask(what: str, parameters: dict[str, Any]) -> dict[str, Any]:
        backend = ServicesBackend(threads)
        if what == "search":
            return asyncio.run(backend.search(parameters))
        if what == "status":
            return asyncio.run(backend.status(parameters))
        if what == "files":
            return asyncio.run(backend.list_files(parameters))
        if what == "files/content":
            return asyncio.run(backend.read_file(parameters))
        if what == "files/history":
            return asyncio.run(backend.history(parameters))
        if what in GRAPH:
            return asyncio.run(backend.graph(what, parameters))
        return asyncio.run(backend.trace(what, parameters))

    return ask


Ask = Callable[[str, dict[str, Any]], dict[str, Any]]


def over_http(api: Api, what: str, parameters: dict[str, Any]) -> Any:
    """What the API's own route answers."""
    given = {"org_id": "acme", **parameters}
    headers = {"Authorization": f"Bearer {api.token}"}
    if what == "search":
        return api.request("POST", "/api/v1/search", given)
    area = "graph" if what in GRAPH else "trace"
    route = ROUTES.get(what) or f"{area}/{what}"
    return api.client.get(f"/api/v1/{route}", given, headers=headers)


def without_times(answer: Any) -> Any:
    if "receipt" in answer:
        del answer["receipt"]["took_ms"]
    if answer.get("next_cursor"):  # is signed with the second
        answer["next_cursor"] = answer["next_cursor"].partition(":")[0]
    return answer


def test_answers_are_those_of_the_api(shop: Api, ask: Ask, subtests: pytest.Subtests) -> None:
    for what, parameters in CALLS:
        with subtests.test(what, parameters=parameters):
            response = over_http(shop, what, parameters)
            assert response.status_code == 200, response.content
            assert without_times(ask(what, parameters)) == without_times(response.json())


def test_refusals_are_those_of_the_api(shop: Api, ask: Ask, subtests: pytest.Subtests) -> None:
    for what, parameters in REFUSALS:
        with subtests.test(what, parameters=parameters):
            problem = over_http(shop, what, parameters).json()
            with pytest.raises(ToolError) as refused:
                ask(what, parameters)
            error = refused.value
            expected = (problem["status"], problem["code"], problem["detail"])
            assert (error.status, error.code, error.message) == expected


def test_a_link_is_that_of_the_api(shop: Api, ask: Ask, threads: RequestThreads) -> None:
    link = {"from": "ADR-7", "to": "code:pay.py", "type": "explains", "weight": 0.5}
    over_mcp = asyncio.run(ServicesBackend(threads).graph_link(link))
    again = shop.request("POST", "/api/v1/graph/links", {"org_id": "acme", **link})
    assert (again.status_code, again.json()) == (200, over_mcp)


def test_unknown_symbol_is_refused_with_the_names_that_are_alike(shop: Api, ask: Ask) -> None:
    near = over_http(shop, "callers", {"symbol": "f"}).json()["near"]
    with pytest.raises(ToolError, match="near lists names") as refused:
        ask("callers", {"symbol": "f"})
    assert refused.value.code == "symbol_not_found"
    assert str(refused.value).endswith(f"Similar names: {', '.join(near)}.")


def test_workspace_is_the_credentials_by_either_name(shop: Api, agent: Agent) -> None:
    for workspace in (None, "acme", "org-acme"):
        answer = agent.answer("code_index_status", workspace=workspace)
        assert answer["org_id"] == "acme", workspace


def test_another_workspace_does_not_exist(shop: Api, agent: Agent) -> None:
    Organization.objects.create(slug="globex")
    refusal = agent.refusal("code_index_status", workspace="globex")
    assert (refusal.status, refusal.code) == (404, "organization_not_found")


def test_database_that_is_away_is_told_without_its_words(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_backend, "index_status", failing(OperationalError("secret host")))
    refusal = agent.refusal("code_index_status")
    assert (refusal.status, refusal.code) == (503, "database_unavailable")
    assert "secret" not in refusal.message


def test_failure_is_told_by_its_request_id_alone_and_logged_whole(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(service_backend, "index_status", failing(ZeroDivisionError("secret state")))
    refusal = agent.refusal("code_index_status")
    assert (refusal.status, refusal.code) == (500, "internal_error")
    assert "secret" not in refusal.message
    (line,) = [one.msg for one in caplog.records if one.name == "central.mcp.service_backend"]
    assert isinstance(line, dict)
    assert line["request_id"] in refusal.message
    assert "secret state" in str(line["exc_info"])


def failing(exc: Exception) -> Callable[..., Any]:
    def fails(**_: object) -> None:
        raise exc

    return fails


class Slow:
    """A service that answers when it is told to."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.may_answer = threading.Event()
        self.answers = 0

    def __call__(self, **_: object) -> dict[str, Any]:
        self.asked.set()
        assert self.may_answer.wait(30)
        self.answers += 1
        return {"org_id": "acme", "last_updated": None, "total_chunks": 0, "projects": []}


@pytest.fixture
def slow(caller: None, monkeypatch: pytest.MonkeyPatch) -> Slow:
    """The status takes its time."""
    slow = Slow()
    monkeypatch.setattr(service_backend, "index_status", slow)
    return slow


def test_who_waits_too_long_is_told_to_ask_for_less(
    slow: Slow, threads: RequestThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_backend, "AGENT_ANSWER_SECONDS", 0.01)
    with pytest.raises(ToolError, match="Ask for less") as refused:
        asyncio.run(ServicesBackend(threads).status({}))
    slow.may_answer.set()
    assert (refused.value.status, refused.value.code) == (504, "timed_out")


def test_statement_that_goes_on_and_on_is_ended_and_frees_its_thread(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(**_: object) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(60)")

    monkeypatch.setattr(service_backend, "STATEMENT_SECONDS", 0.1)
    with monkeypatch.context() as patch:
        patch.setattr(service_backend, "index_status", endless)
        assert agent.refusal("code_index_status").code == "database_unavailable"
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)
    assert "projects" not in agent.answer("code_index_status")


def test_cancelled_call_answers_at_once_and_frees_its_thread_when_the_query_ends(
    slow: Slow,
) -> None:
    with ThreadPoolExecutor(1) as executor:
        backend = ServicesBackend(RequestThreads(executor))

        async def cancelled_then_asked() -> None:
            first = asyncio.create_task(backend.status({}))
            await asyncio.to_thread(slow.asked.wait, 30)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            assert slow.answers == 0  # it did not wait for the query
            second = asyncio.create_task(backend.status({}))
            slow.may_answer.set()
            assert (await second)["org_id"] == "acme"
            assert slow.answers == 2

        asyncio.run(cancelled_then_asked())


def test_call_that_is_cancelled_while_it_waits_for_a_thread_asks_nothing(slow: Slow) -> None:
    with ThreadPoolExecutor(1) as executor:
        backend = ServicesBackend(RequestThreads(executor))

        async def cancelled_in_the_queue() -> None:
            first = asyncio.create_task(backend.status({}))
            await asyncio.to_thread(slow.asked.wait, 30)
            second = asyncio.create_task(backend.status({}))
            await asyncio.sleep(0)  # it is in the queue now
            second.cancel()
            with pytest.raises(asyncio.CancelledError):
                await second
            slow.may_answer.set()
            await first

        asyncio.run(cancelled_in_the_queue())
    assert slow.answers == 1
