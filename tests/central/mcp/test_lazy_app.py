"""How the MCP application begins and ends with its process."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from central.asgi import Application
from central.http.asgi import RequestThreads
from central.mcp.auth import McpAuth
from central.mcp.lazy_app import LazyApp
from tests.central.mcp.agent import ADDRESS, Agent, mcp_of
from tests.central.protocol import Api


class Life:
    """A server's side of the lifespan protocol."""

    def __init__(self, application: Callable[..., Any]) -> None:
        self.sent: asyncio.Queue[str] = asyncio.Queue()
        self.received: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.task = asyncio.create_task(
            application({"type": "lifespan"}, self._receive, self._send)
        )

    async def _receive(self) -> dict[str, Any]:
        return await self.received.get()

    async def _send(self, message: Any) -> None:
        await self.sent.put(message["type"])

    async def say(self, what: str) -> str:
        """The application's answer."""
        await self.received.put({"type": f"lifespan.{what}"})
        return await self.sent.get()


def client_of(application: Any, token: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(application), headers={"Authorization": f"Bearer {token}"}
    )


async def tools_of(application: Any, token: str) -> set[str]:
    async with (
        client_of(application, token) as http,
        Client(streamable_http_client(ADDRESS, http_client=http)) as client,
    ):
        return {tool.name for tool in (await client.list_tools()).tools}


def test_life_with_a_server_that_announces_it(api: Api, threads: RequestThreads) -> None:
    async def live() -> None:
        application = Application(threads)
        life = Life(application)
        assert await life.say("startup") == "lifespan.startup.complete"
        assert "code_search" in await tools_of(application, api.token)
        assert await life.say("shutdown") == "lifespan.shutdown.complete"
        await life.task

    asyncio.run(live())


def test_life_in_which_nobody_asked(threads: RequestThreads) -> None:
    async def live() -> None:
        life = Life(Application(threads))
        assert await life.say("startup") == "lifespan.startup.complete"
        assert await life.say("shutdown") == "lifespan.shutdown.complete"
        await life.task

    asyncio.run(live())


def test_life_with_a_server_that_knows_no_lifespan(api: Api, threads: RequestThreads) -> None:
    assert "code_search" in asyncio.run(tools_of(mcp_of(threads), api.token))


def test_everything_else_is_the_apis(api: Api, threads: RequestThreads) -> None:
    async def statuses() -> list[int]:
        async with client_of(Application(threads), api.token) as http:
            paths = ("livez", "mcp/x", "mcpx", ".well-known/oauth-protected-resource/mcp")
            return [(await http.get(f"http://testserver/{path}")).status_code for path in paths]

    assert asyncio.run(statuses()) == [200, 404, 404, 404]


def test_beginning_that_fails_is_told_and_tried_again(
    api: Api, threads: RequestThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail_and_recover() -> set[str]:
        mount = LazyApp(threads)
        with monkeypatch.context() as patch:
            patch.setattr("central.mcp.app.add_tools", None)
            with pytest.raises(TypeError):
                await mount({"type": "http"}, None, None)  # type: ignore[arg-type]
        return await tools_of(McpAuth(mount, threads), api.token)

    assert "code_search" in asyncio.run(fail_and_recover())


class Turns(httpx2.AsyncBaseTransport):
    """A load balancer: each request goes to the next process."""

    def __init__(self, *applications: Any) -> None:
        self._transports = [httpx2.ASGITransport(one) for one in applications]

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._transports.append(self._transports.pop(0))
        return await self._transports[0].handle_async_request(request)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_any_process_answers_any_request_of_a_client(
    api: Api, threads: RequestThreads, mode: str
) -> None:
    async def converse() -> list[bool | None]:
        transport = Turns(mcp_of(threads), mcp_of(threads))
        headers = {"Authorization": f"Bearer {api.token}"}
        async with (
            httpx2.AsyncClient(transport=transport, headers=headers) as http,
            Client(streamable_http_client(ADDRESS, http_client=http), mode=mode) as client,
        ):
            return [(await client.call_tool("code_index_status")).is_error for _ in range(4)]

    assert asyncio.run(converse()) == [False] * 4


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_clients_of_every_revision_see_the_same_tools(agent: Agent, mode: str) -> None:
    agent.mode = mode

    async def names(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    assert agent.converse(names) == [
        "code_search",
        "code_grep",
        "code_read_file",
        "code_list_files",
        "code_history",
        "code_trace_callers",
        "code_trace_callees",
        "code_graph",
        "code_definition",
        "code_index_status",
        "search_code",
        "code_map",
        "code_consumers",
        "code_unused",
        "graph_context",
        "graph_traverse",
        "graph_related",
        "graph_violations",
        "graph_unmigrated",
        "graph_link",
    ]
