"""Coding agents: the SDK's own client on a connection, called from ordinary tests."""

import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.client import ConnectMode
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent, Tool

from scripts.local_service import Organization, Service, clean_environment
from tests.agents.expanding import expanded

Row = dict[str, Any]
ERROR = "codesearch/error"
ANSWER_SECONDS = 60


@dataclass(frozen=True)
class Agent:
    """An agent that is connected. Any thread may ask, and several at once."""

    client: Client
    portal: BlockingPortal

    def tools(self) -> dict[str, Tool]:
        """What is offered, by name."""
        return {tool.name: tool for tool in self.portal.call(self.client.list_tools).tools}

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """A tool's result, whatever it is."""
        return self.start(tool, **arguments).result(ANSWER_SECONDS)

    def start(self, tool: str, **arguments: Any) -> "Future[CallToolResult]":
        """The same without waiting; to cancel it is to cancel the request."""
        return self.portal.start_task_soon(self.client.call_tool, tool, arguments)

    def ask(self, tool: str, **arguments: Any) -> Row:
        """What the structured content of a call stands for, without empty members."""
        if tool.startswith(("code_", "graph_")):
            arguments["structured"] = True
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert result.structured_content is not None
        answer: Row = expanded(result.structured_content)
        return answer

    def refusal(self, tool: str, **arguments: Any) -> Row:
        """{code, status, message} of a call that does not."""
        result = self.call(tool, **arguments)
        assert result.is_error, text_of(result)
        assert result.meta is not None
        return dict(result.meta[ERROR])


def text_of(result: CallToolResult) -> str:
    """The text form."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@contextmanager
def agent_over_http(url: str, token: str, mode: ConnectMode = "auto") -> Iterator[Agent]:
    """At a service's /mcp."""
    headers = {"Authorization": f"Bearer {token}"}
    with start_blocking_portal() as portal:
        http = portal.call(lambda: _http_client(headers))
        client = Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode)
        with portal.wrap_async_context_manager(http), portal.wrap_async_context_manager(client):
            yield Agent(client, portal)


async def _http_client(headers: Mapping[str, str]) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(headers=headers, timeout=ANSWER_SECONDS)


@contextmanager
def agent_over_stdio(
    server: StdioServerParameters, log: Path, mode: ConnectMode = "auto"
) -> Iterator[Agent]:
    """With a process of its own; what that writes to standard error goes to `log`."""
    with log.open("a") as errors, start_blocking_portal() as portal:
        client = Client(stdio_client(server, errlog=errors), mode=mode)
        with portal.wrap_async_context_manager(client):
            yield Agent(client, portal)


def stdio_server(directory: Path, environ: Mapping[str, str]) -> StdioServerParameters:
    """`codesearch mcp` in a directory."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "aeterna_code_search.cli", "mcp"],
        env=clean_environment(environ),
        cwd=directory,
    )


def new_organization(service: Service, slug: str) -> Organization:
    """An organisation on a running service, made as the command line makes its own."""
    answer = service.ask("local-token", organization=slug).json()
    return Organization(service, slug, answer["access_token"])


def settings_of(organization: Organization, data_dir: Path) -> dict[str, str]:
    """What names a service to the command line; `data_dir` is the embedded one's."""
    return {
        "AETERNA_URL": organization.service.url,
        "AETERNA_TOKEN": organization.token,
        "AETERNA_ORGANIZATION": organization.slug,
        "AETERNA_DATA_DIR": str(data_dir),
    }
