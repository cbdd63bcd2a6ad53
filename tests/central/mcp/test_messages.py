"""What is no single message of MCP is refused in words, and what clients send besides is taken."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from central.asgi import Application
from central.http.asgi import RequestThreads
from central.mcp.messages import REVISIONS
from tests.central.mcp.agent import ADDRESS, Agent

JSON, EVENTS = "application/json", "text/event-stream"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def post(agent: Agent, message: Any = LIST, **headers: str) -> httpx2.Response:
    headers = {"content_type": JSON, "accept": f"{JSON}, {EVENTS}", **headers}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return agent.post(body, **headers)


def refusal(response: httpx2.Response, status: int = 400) -> dict[str, Any]:
    assert response.status_code == status
    assert response.headers["Content-Type"] == JSON
    answer: dict[str, Any] = response.json()
    assert answer["jsonrpc"] == "2.0"
    error: dict[str, Any] = {**answer["error"], "id": answer["id"]}
    return error


@pytest.mark.parametrize("accept", [JSON, EVENTS, "text/html", f"text/html, {JSON};q=0.5", ""])
@pytest.mark.parametrize("revision", [REVISIONS[0], REVISIONS[-1]])
def test_a_client_that_takes_one_type_of_answer_learns_of_both(
    agent: Agent, accept: str, revision: str
) -> None:
    refused = refusal(post(agent, accept=accept, MCP_Protocol_Version=revision), 406)
    assert refused["message"] == f"Send `Accept: {JSON}, {EVENTS}`."


@pytest.mark.parametrize("accept", ["*/*", f"{EVENTS};q=0.1, APPLICATION/*", "text/*, */*;q=0.1"])
def test_wildcards_stand_for_both_types(agent: Agent, accept: str) -> None:
    assert post(agent, accept=accept).status_code == 200


def test_without_accept_and_with_a_slash_at_the_end_all_is_as_usual(
    agent: Agent, threads: RequestThreads
) -> None:
    application = Application(threads)

    async def ask() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(application)) as http:
            http.headers = httpx2.Headers(
                {"Authorization": f"Bearer {agent.token}", "Content-Type": JSON}
            )
            return await http.post(f"{ADDRESS}/", json=LIST)

    response = asyncio.run(ask())
    assert response.status_code == 200
    assert '"tools"' in response.text


def test_another_content_type_is_refused_with_the_right_one(agent: Agent) -> None:
    refused = refusal(post(agent, content_type="text/plain"), 415)
    assert refused["message"] == f"Send `Content-Type: {JSON}`."


@pytest.mark.parametrize("id_", [None, 1.5, True, {}, []])
@pytest.mark.parametrize("revision", [REVISIONS[1], REVISIONS[-1]])
def test_an_id_that_is_no_id_makes_no_notification(agent: Agent, id_: Any, revision: str) -> None:
    refused = refusal(post(agent, {**LIST, "id": id_}, MCP_Protocol_Version=revision))
    assert refused["code"] == -32600
    assert refused["id"] is None
    assert "must be a string or a whole number" in refused["message"]


@pytest.mark.parametrize("revision", ["2025-03-26", "2025-06-18", "2026-07-28"])
@pytest.mark.parametrize("batch", [[], [LIST, {**LIST, "id": 2}]])
def test_a_batch_is_refused_with_what_to_send(agent: Agent, revision: str, batch: Any) -> None:
    refused = refusal(post(agent, batch, MCP_Protocol_Version=revision))
    assert refused["code"] == -32600
    assert refused["message"].startswith("Send each message in a request of its own")


@pytest.mark.parametrize("message", [LIST, {"jsonrpc": "2.0", "method": "notifications/progress"}])
def test_an_unknown_revision_is_refused_with_the_known_ones(agent: Agent, message: Any) -> None:
    refused = refusal(post(agent, message, MCP_Protocol_Version="1999-01-01"))
    assert refused["code"] == -32022
    assert refused["id"] == message.get("id")
    assert refused["data"] == {"supported": list(REVISIONS), "requested": "1999-01-01"}


def test_the_revisions_are_those_of_the_sdk() -> None:
    assert (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS) == REVISIONS


@pytest.mark.parametrize("revision", HANDSHAKE_PROTOCOL_VERSIONS)
def test_each_earlier_revision_is_answered(agent: Agent, revision: str) -> None:
    assert post(agent, MCP_Protocol_Version=revision).status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"{", -32700), (b"", -32700), (b"\xff", -32700), (b"1", -32600), (b'{"id": 7}', -32600)],
)
def test_what_is_no_message_is_refused_in_words(agent: Agent, body: bytes, code: int) -> None:
    refused = refusal(post(agent, body))
    assert refused["code"] == code
    assert "JSON-RPC message" in refused["message"]
    assert refused["id"] == (7 if b"7" in body else None)
