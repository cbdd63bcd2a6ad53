"""The sidecar's HTTP side: what it keeps for a caller, and for how long."""

import asyncio
import json
from typing import Any

import pytest

from aeterna_code_search.cli.mcp.sidecar import open_connections, sidecar_application
from tests.central.mcp.standins import MODERN, OLD, standing_in

META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def search(version: str) -> tuple[dict[str, Any], bytes]:
    """A call of the search as a revision sends it: ASGI's scope and the body."""
    params: dict[str, Any] = {"name": "codesearch_search", "arguments": {"query": "retry"}}
    if version == MODERN:
        params["_meta"] = META
    headers = {
        "host": "localhost",
        "authorization": "Bearer aet_x",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": version,
        "mcp-method": "tools/call",
        "mcp-name": "codesearch_search",
    }
    scope = {
        "type": "http",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return scope, json.dumps(message).encode()


@pytest.mark.parametrize("version", [MODERN, OLD])
def test_a_caller_who_leaves_frees_the_connection_to_the_service(version: str) -> None:
    """The service hangs: it would go on for as long as the time-out is."""

    async def leave() -> None:
        async with standing_in(lambda _: None) as service:
            url = service.url.removesuffix("/mcp")
            async with open_connections(url) as connections:
                application = sidecar_application(connections, organization="acme", hosts=())
                async with application.router.lifespan_context(application):
                    scope, body = search(version)
                    sent = iter([{"type": "http.request", "body": body}])

                    async def receive() -> dict[str, Any]:
                        if message := next(sent, None):
                            return message
                        while not service.messages:
                            await asyncio.sleep(0)
                        return {"type": "http.disconnect"}

                    async def send(_message: Any) -> None:
                        pass

                    async with asyncio.timeout(20):
                        await application(scope, receive, send)
                        while service.open:
                            await asyncio.sleep(0)
            assert len(service.messages) == 1

    asyncio.run(leave())
