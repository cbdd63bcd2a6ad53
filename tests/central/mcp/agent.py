"""An agent for tests: the SDK's client before the real application, in the test's transaction."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx2
from django.db import connections
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.results import error_in
from central.http.asgi import RequestThreads
from central.mcp.auth import McpAuth
from central.mcp.lazy_app import LazyApp
from tests.agents.expanding import expanded

ADDRESS = "http://testserver/mcp"

_Outcome = TypeVar("_Outcome")


@contextmanager
def threads_in_transaction() -> Iterator[RequestThreads]:
    """A request thread that sees what the test has written: it has the test's connection."""
    with threads_of_tests() as threads, shared_connection():
        yield threads


@contextmanager
def threads_of_tests() -> Iterator[RequestThreads]:
    """A request thread with the connection of tests, for the time of `shared_connection`."""
    connection = connections["default"]

    def share() -> None:
        connections["default"] = connection

    with ThreadPoolExecutor(1, initializer=share) as executor:
        yield RequestThreads(executor)


@contextmanager
def shared_connection() -> Iterator[None]:
    """Other threads may use the connection of this one."""
    connection = connections["default"]
    connection.inc_thread_sharing()
    yield
    connection.dec_thread_sharing()


def mcp_of(threads: RequestThreads) -> McpAuth:
    """The application at /mcp, which has not begun."""
    return McpAuth(LazyApp(threads), threads)


class Endpoint:
    """The application at /mcp and its event loop, for many conversations: it takes 45 ms to make.

    `threads` are to have the connection of whatever test speaks with it.
    """

    def __init__(self, threads: RequestThreads) -> None:
        self.asgi = mcp_of(threads)
        self._runner = asyncio.Runner()

    def run(self, conversation: Coroutine[Any, Any, _Outcome]) -> _Outcome:
        """What comes of it, in the event loop of the application."""
        return self._runner.run(conversation)

    def close(self) -> None:
        """End the application."""
        self._runner.close()


@dataclass
class Agent:
    """Speaks MCP with a token."""

    endpoint: Endpoint
    token: str = field(repr=False)
    mode: str = "auto"
    statuses: list[int] = field(default_factory=list)  # of the responses so far

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """The result of a call."""
        return self.converse(lambda client: client.call_tool(tool, arguments))

    def answer(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What the structured content of a call stands for, without empty members."""
        if tool.startswith(("code_", "graph_")):
            arguments["structured"] = True
        result = self.call(tool, **arguments)
        assert not result.is_error, result
        assert result.structured_content is not None
        answer: dict[str, Any] = expanded(result.structured_content)
        return answer

    def refusal(self, tool: str, **arguments: Any) -> ToolError:
        """What is said of a call that is refused."""
        refusal = error_in(self.call(tool, **arguments))
        assert refusal is not None
        return refusal

    def converse(self, conversation: Callable[[Client], Awaitable[_Outcome]]) -> _Outcome:
        """What comes of a conversation."""

        async def converse() -> _Outcome:
            async with self.http() as http:
                server = streamable_http_client(ADDRESS, http_client=http)
                async with Client(server, mode=self.mode) as client:
                    return await conversation(client)

        return self.endpoint.run(converse())

    def http(self) -> httpx2.AsyncClient:
        """An HTTP client of the application, with the token; to be used in its event loop."""

        async def note(response: httpx2.Response) -> None:
            self.statuses.append(response.status_code)

        return httpx2.AsyncClient(
            transport=httpx2.ASGITransport(self.endpoint.asgi),
            headers={"Authorization": f"Bearer {self.token}"},
            event_hooks={"response": [note]},
        )

    def post(self, body: bytes = b"", **headers: str) -> httpx2.Response:
        """The response to one request."""

        async def post() -> httpx2.Response:
            async with self.http() as http:
                return await http.post(
                    ADDRESS,
                    content=body,
                    headers={name.replace("_", "-"): value for name, value in headers.items()},
                )

        return self.endpoint.run(post())
