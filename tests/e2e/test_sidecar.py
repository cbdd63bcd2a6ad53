"""Central's tools through a sidecar: real processes and the SDK's client (spec 3, MCP Tool Proxy).

The sidecar asks the very central whose tools go through it, as in one pod.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from aeterna_code_search.agents.results import error_in
from scripts.local_git import commit_all, new_repository
from scripts.local_service import Organization, Service, free_address, running_service
from tests.agents.expanding import expanded, reduced
from tests.central.mcp import standins
from tests.e2e.conftest import prepared_data_directory, write_files
from tests.e2e.indexing import index_here
from tests.e2e.sidecars import Sidecar, running_sidecar

AUTH = {
    "auth/middleware.py": "def authenticate(request):\n    return verify(request.token)\n\n\n"
    "def verify(token):\n    return bool(token)\n",
    "auth/views.py": "from auth.middleware import authenticate\n\n\n"
    "def login(request):\n    return authenticate(request)\n",
}
TRACES = {"callers": "code_trace_callers", "callees": "code_trace_callees", "graph": "code_graph"}


@dataclass
class Pod:
    """Two organisations of a central, and the sidecar that it forwards to."""

    acme: Organization
    globex: Organization
    sidecar: Sidecar

    def calls(self, outcome: str) -> float:
        """How many calls of the sidecar ended so, as central counts them."""
        text = self.acme.service.metrics()
        name = f'aeterna_sidecar_calls_total{{outcome="{outcome}"}} '
        return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


def organization(service: Service, slug: str) -> Organization:
    """A new one, with a token as the command line gets it: two programs less than by manage.py."""
    answer = service.ask("local-token", organization=slug).json()
    return Organization(service, slug, answer["access_token"])


@pytest.fixture(scope="module")
def pod() -> Iterator[Pod]:
    """Acme has something indexed, Globex has not."""
    bind = free_address()
    environment = {"CODESEARCH_SIDECAR_URL": f"http://{bind}/mcp"}
    with prepared_data_directory() as data, running_service(data, environment) as service:
        acme, globex = (organization(service, slug) for slug in ("acme", "globex"))
        repository = new_repository(data.parent / "auth-service")
        write_files(repository, AUTH)
        commit_all(repository, "First commit")
        index_here(acme, repository, "auth-service")
        with running_sidecar(data.parent, bind, {"AETERNA_URL": service.url}) as sidecar:
            yield Pod(acme, globex, sidecar)


@asynccontextmanager
async def connected(url: str, token: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}", "Codesearch-Structured": "true"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield client


def with_client(url: str, token: str, use: Callable[[Client], Awaitable[Any]]) -> Any:
    async def whole() -> Any:
        async with connected(url, token) as client:
            return await use(client)

    return asyncio.run(whole())


def call(url: str, organization: Organization, tool: str, **arguments: Any) -> CallToolResult:
    return with_client(url, organization.token, lambda client: client.call_tool(tool, arguments))


def ask(organization: Organization, tool: str, **arguments: Any) -> CallToolResult:
    """A call of a tool of central."""
    return call(organization.service.url, organization, tool, **arguments)


def structure(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result
    assert result.structured_content is not None
    answer: dict[str, Any] = expanded(result.structured_content)
    return answer


def text_of(result: CallToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


def test_tool_discovery(pod: Pod) -> None:
    """Spec 3, whether or not the sidecar is there just now."""
    url, token = pod.acme.service.url, pod.acme.token
    listed = with_client(url, token, lambda client: client.list_tools())
    assert {tool.name for tool in listed.tools} >= {
        "code_search",
        "code_trace_callers",
        "code_trace_callees",
        "code_graph",
        "code_index_status",
    }


def test_proxy_forwards_requests(pod: Pod) -> None:
    """Spec 3: the answer is the sidecar's, in central's shape."""
    before = pod.calls("answered")
    answer = structure(ask(pod.acme, "code_search", query="authenticate a request", limit=2))
    assert pod.calls("answered") == before + 1

    asked = reduced(pod.acme.search("authenticate a request", limit=2, group_by="file"))
    assert answer["results"] == asked["results"]
    assert answer["receipt"]["projects"] == asked["receipt"]["projects"]


def test_every_tool_goes_through_the_sidecar(pod: Pod) -> None:
    before = pod.calls("answered")
    for what, tool in TRACES.items():
        answer = structure(ask(pod.acme, tool, symbol="authenticate"))
        asked = reduced(pod.acme.get(f"trace/{what}", symbol="authenticate"))
        for name in {"definitions", "callers", "callees", "root", "nodes", "edges"} & asked.keys():
            assert answer[name] == asked[name], (tool, name)
    status = structure(ask(pod.acme, "code_index_status"))
    assert status["projects"] == reduced(pod.acme.get("index/status"))["projects"]
    found = structure(ask(pod.acme, "search_code", query="authenticate", top_k=1))
    assert found["results"][0]["path"].endswith("auth/middleware.py")
    assert pod.calls("answered") == before + len(TRACES) + 2


def test_what_is_in_a_file_is_asked_of_the_service_itself(pod: Pod) -> None:
    """A sidecar knows symbols, and no file."""
    before = pod.calls("answered")
    place = {"project": "auth-service", "file": "auth/views.py", "line": 5, "column": 12}
    found = structure(ask(pod.acme, "code_definition", **place))
    assert [one["file"] for one in found["definitions"]] == ["auth/middleware.py"]
    listed = structure(ask(pod.acme, "code_definition", **place, references=True))
    assert [one["line"] for one in listed["references"]] == [5]
    assert pod.calls("answered") == before


def test_the_service_s_refusals_come_through_with_code_and_status(pod: Pod) -> None:
    refusal = error_in(ask(pod.acme, "code_trace_callers", symbol="authenticat"))
    assert refusal is not None
    assert (refusal.code, refusal.status) == ("symbol_not_found", 404)
    assert "authenticate" in refusal.near


def test_another_organisation_sees_nothing(pod: Pod) -> None:
    answer = structure(ask(pod.globex, "code_search", query="authenticate a request"))
    assert "results" not in answer
    unknown = error_in(ask(pod.globex, "code_trace_callers", symbol="authenticate"))
    assert unknown is not None
    assert (unknown.code, unknown.status) == ("INDEX_NOT_FOUND", 404)
    foreign = error_in(ask(pod.globex, "code_search", query="login", workspace="org-acme"))
    assert foreign is not None
    assert (foreign.code, foreign.status) == ("organization_not_found", 404)


def test_callers_at_once_each_see_their_own(pod: Pod) -> None:
    async def hits(organization: Organization) -> int:
        async with connected(organization.service.url, organization.token) as client:
            result = await client.call_tool("code_search", {"query": "login"})
            return len(structure(result).get("results", ()))

    async def everyone() -> list[int]:
        return await asyncio.gather(*(hits(one) for one in [pod.acme, pod.globex] * 10))

    counts = asyncio.run(everyone())
    assert set(counts[::2]) == {counts[0]} != {0}
    assert set(counts[1::2]) == {0}


def test_proxy_handles_code_search_failure(pod: Pod) -> None:
    """Spec 3: without the sidecar there is an error with status code and message, and soon.

    After five the sidecar is not asked any more; some seconds later it is, and is used again.
    """
    assert not ask(pod.acme, "code_search", query="login").is_error  # no failure counts yet
    with pod.sidecar.stopped() as exit_code:
        assert exit_code == 0
        before, results = pod.calls("not_asked"), []
        while pod.calls("not_asked") == before:
            results.append(ask(pod.acme, "code_search", query="login"))
        assert len(results) == 6
    for result in results:
        refusal = error_in(result)
        assert refusal is not None
        assert (refusal.code, refusal.status) == ("sidecar_unavailable", 503)
        assert f"sidecar_unavailable (503): {refusal.message}" == text_of(result)
    assert "Try again in " in text_of(results[-1])
    assert "sidecar_circuit_open" in pod.acme.service.log.read_text()

    deadline = time.monotonic() + 30
    while ask(pod.acme, "code_search", query="login").is_error:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert "sidecar_recovered" in pod.acme.service.log.read_text()


def plain(message: dict[str, Any]) -> bytes:
    """A sidecar that knows grepai's shapes alone, some as text, some as the SDK wraps them."""
    person = {"name": "login", "file": "views.py", "line": 4}
    site = {"file": "views.py", "line": 5, "context": "return authenticate(request)"}
    hit = {"file_path": "a.py", "start_line": 1, "end_line": 2, "score": 0.7, "content": "x = 1"}
    answers: dict[str, Any] = {
        "codesearch_search": {"result": [hit]},
        "codesearch_trace_callers": {
            "query": "authenticate",
            "mode": "fast",
            "symbol": {"name": "authenticate", "file": "middleware.py", "line": 1},
            "callers": [{"symbol": person, "call_site": site}],
        },
        "codesearch_trace_graph": {
            "root": "login",
            "nodes": {"login": person},
            "edges": [{"caller": "login", "callee": "authenticate", "file": "views.py", "line": 5}],
            "depth": 1,
        },
        "codesearch_index_status": {"total_files": 3, "total_chunks": "many"},
    }
    answer = answers[message["params"]["name"]]
    content = [{"type": "text", "text": json.dumps(answer)}]
    return standins.result(message, content=content, resultType="complete")


def test_a_sidecar_with_plain_shapes_will_do_and_is_asked_as_the_caller(pod: Pod) -> None:
    async def steps() -> None:
        port = int(pod.sidecar.bind.rpartition(":")[2])
        async with standins.standing_in(standins.modern(plain), port) as standin:
            async with connected(pod.globex.service.url, pod.globex.token) as client:
                found = structure(await client.call_tool("code_search", {"query": "x"}))
                assert [(row["file"], row["content"]) for row in found["results"]] == [
                    ("a.py", "x = 1")
                ]
                assert not found["receipt"]["complete"]
                traced = await client.call_tool("code_trace_callers", {"symbol": "authenticate"})
                [link] = structure(traced)["callers"]
                assert (link["caller"]["name"], link["line"]) == ("login", 5)
                graph = structure(await client.call_tool("code_graph", {"symbol": "login"}))
                assert {node["name"] for node in graph["nodes"]} == {"login", "authenticate"}
                nonsense = error_in(await client.call_tool("code_index_status", {}))
                assert nonsense is not None
                assert (nonsense.code, nonsense.status) == ("sidecar_failed", 502)
            assert set(standin.tokens) == {f"Bearer {pod.globex.token}"}
            calls = [one["params"] for one in standin.messages if one["method"] == "tools/call"]
            assert {one["arguments"]["workspace"] for one in calls} == {"globex"}

    with pod.sidecar.stopped():
        asyncio.run(steps())


def test_a_request_without_a_token_is_refused_at_once(pod: Pod) -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    for headers in ({}, {"Authorization": "Basic YTpi"}, {"Authorization": "Bearer a b"}):
        response = httpx.post(f"{pod.sidecar.url}/mcp", json=listing, headers=headers)
        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_token_that_the_service_does_not_know_is_the_tool_s_error(pod: Pod) -> None:
    stranger = Organization(pod.acme.service, "acme", "aet_made-up")
    result = call(pod.sidecar.url, stranger, "codesearch_search", query="login", workspace="acme")
    refusal = error_in(result)
    assert refusal is not None
    assert refusal.status == 401


def test_the_sidecar_s_own_tools_answer_in_its_shapes(pod: Pod) -> None:
    arguments = {"query": "authenticate", "workspace": "org-acme", "limit": 1}
    answer = structure(call(pod.sidecar.url, pod.acme, "codesearch_search", **arguments))
    [row] = answer["results"]
    assert row.keys() >= {"file_path", "start_line", "end_line", "score", "content"}
    without = error_in(call(pod.sidecar.url, pod.acme, "codesearch_search", query="login"))
    assert without is not None
    assert without.status == 400
    assert "workspace" in without.message


def test_another_name_of_the_host_is_refused(pod: Pod) -> None:
    for headers, status in (
        ({"Host": "rebound.example"}, 421),
        ({"Origin": "https://rebound.example"}, 403),
    ):
        response = httpx.post(
            f"{pod.sidecar.url}/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}},
            headers={"Authorization": f"Bearer {pod.acme.token}", **headers},
        )
        assert response.status_code == status


def test_the_sidecar_is_as_ready_as_its_service(pod: Pod) -> None:
    assert httpx.get(f"{pod.sidecar.url}/readyz").json() == {"status": "ready"}


def test_the_sidecar_says_where_it_listens_and_whom_it_asks(pod: Pod) -> None:
    log = pod.sidecar.log.read_text()
    assert f"{pod.sidecar.url}/mcp" in log
    assert pod.acme.service.url in log
    assert "Traceback" not in log


def test_without_a_named_service_it_asks_the_one_on_this_machine(pod: Pod, tmp_path: Path) -> None:
    service = pod.acme.service
    environment = {"AETERNA_DATA_DIR": str(service.data_dir), "AETERNA_ORGANIZATION": "acme"}
    with running_sidecar(tmp_path, free_address(), environment) as local:
        assert service.url in local.log.read_text()
        assert structure(call(local.url, pod.acme, "codesearch_search", query="login"))["results"]
        foreign = error_in(call(local.url, pod.globex, "codesearch_search", query="login"))
        assert foreign is not None
        assert (foreign.code, foreign.status) == ("organization_not_found", 404)


def test_no_token_is_in_any_log(pod: Pod) -> None:
    ask(pod.acme, "code_search", query="login")
    logs = pod.acme.service.log.read_text() + pod.sidecar.log.read_text()
    assert "tool_call" in logs
    assert pod.acme.token not in logs
