"""Calls of tools as a client of the SDK makes them, over a connection in memory."""

import asyncio
from contextvars import ContextVar
from functools import cache
from typing import Any

from mcp.client.client import Client
from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent, Tool

from aeterna_code_search.agents.backend import LOCAL_HINTS, Backend
from aeterna_code_search.agents.sidecar.tools import add_sidecar_tools
from aeterna_code_search.agents.tools import add_tools

_backend: ContextVar[Backend] = ContextVar("backend")  # of the server that was asked for last


def code_server(backend: Backend) -> MCPServer[Any]:
    """The server of the `code_*` tools, now over `backend`."""
    _backend.set(backend)
    return _code_server()


def sidecar_server(backend: Backend) -> MCPServer[Any]:
    """The server of the `codesearch_*` tools, now over `backend`."""
    _backend.set(backend)
    return _sidecar_server()


@cache  # a server costs 0.1 s
def _code_server() -> MCPServer[Any]:
    server = MCPServer("codesearch", log_level="ERROR")
    add_tools(server, _backend.get, hints=LOCAL_HINTS)
    return server


@cache
def _sidecar_server() -> MCPServer[Any]:
    server = MCPServer("sidecar", log_level="ERROR")
    add_sidecar_tools(server, _backend.get)
    return server


def tools_of(server: MCPServer[Any]) -> dict[str, Tool]:
    """The tools that a client is told of."""

    async def listed() -> dict[str, Tool]:
        async with Client(server) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    return asyncio.run(listed())


def call(
    server: MCPServer[Any], tool: str, client_mode: str = "auto", **arguments: Any
) -> CallToolResult:
    """The result of a call."""

    async def called() -> CallToolResult:
        async with Client(server, mode=client_mode) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(called())


def text_of(result: CallToolResult) -> str:
    """The text form of a result."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text
