"""Stand-ins for a sidecar over real HTTP: one that fails in a given way, one that speaks MCP."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Message = dict[str, Any]
Answer = Callable[[Message], bytes | None]  # the HTTP response; None: never

MODERN = "2026-07-28"
OLD = "2025-06-18"


@dataclass
class Standin:
    """Where it listens, what it was sent, and how it answers: `answer` may be replaced."""

    answer: Answer
    url: str = ""
    messages: list[Message] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    open: int = 0  # connections

    def methods(self) -> list[str]:
        return [message["method"] for message in self.messages]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            headers = {
                name.lower(): value
                for name, value in (line.split(": ", 1) for line in head.split("\r\n")[1:-2])
            }
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            message = json.loads(body) if body else {"method": head.split(" ", 1)[0]}
            self.messages.append(message)
            self.tokens.append(headers.get("authorization", ""))
            response = self.answer(message)
            if response is None:
                await reader.read()  # until the client gives up
            writer.write(response or b"")
            await writer.drain()
        except ConnectionError:
            pass  # the client was done
        finally:
            self.open -= 1
            writer.close()


@asynccontextmanager
async def standing_in(answer: Answer, port: int = 0) -> AsyncIterator[Standin]:
    standin = Standin(answer)
    server = await asyncio.start_server(standin.handle, "127.0.0.1", port)
    standin.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    try:
        yield standin
    finally:
        server.close()


def response(
    status: int, body: bytes, kind: str = "application/json", *, length: int | None = None
) -> bytes:
    head = (
        f"HTTP/1.1 {status} Status\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(body) if length is None else length}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def result(message: Message, **members: Any) -> bytes:
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": members}
    return response(200, json.dumps(answer).encode())


def speaking(version: str, call: Callable[[Message], bytes | None]) -> Answer:
    """MCP of one revision, as far as a client that calls tools needs it."""
    return modern(call) if version == MODERN else old(call)


def modern(call: Callable[[Message], bytes | None]) -> Answer:
    def answer(message: Message) -> bytes | None:
        if message["method"] == "tools/call":
            return call(message)
        assert message["method"] == "server/discover"
        return result(
            message,
            supportedVersions=[MODERN],
            capabilities={"tools": {}},
            resultType="complete",
            ttlMs=0,
            cacheScope="public",
        )

    return answer


def old(call: Callable[[Message], bytes | None]) -> Answer:
    def answer(message: Message) -> bytes | None:
        if message["method"] == "tools/call":
            return call(message)
        if message["method"] == "initialize":
            info = {"name": "old", "version": "1"}
            return result(message, protocolVersion=OLD, capabilities={"tools": {}}, serverInfo=info)
        if message["method"] in {"GET", "DELETE"}:
            return response(405, b"")
        if "id" not in message:
            return response(202, b"")
        error = {"code": -32601, "message": "Method not found"}
        body = {"jsonrpc": "2.0", "id": message["id"], "error": error}
        return response(200, json.dumps(body).encode())

    return answer
