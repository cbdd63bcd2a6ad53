"""Who gets in, and what the others are told."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from django.db import OperationalError
from django.utils import timezone
from mcp import Client, MCPError
from pytest_django import Settings

from central.http.asgi import RequestThreads
from central.mcp.auth import McpAuth
from central.settings.services import Rates
from central.tenancy.models import ApiToken, Scope
from tests.central.knowledge.graph import created
from tests.central.mcp.agent import ADDRESS, Agent, Endpoint, mcp_of
from tests.central.protocol import Api, api_of

BODY = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
MCP = {"content_type": "application/json", "accept": "application/json, text/event-stream"}


def told(agent: Agent, body: bytes = BODY, **headers: str) -> tuple[int, str, str]:
    """Status, code and challenge of a refusal, which is a problem document."""
    response = agent.post(body, **MCP | headers)
    assert response.headers["content-type"] == "application/problem+json"
    document = response.json()
    assert document["status"] == response.status_code
    assert document["instance"] == "/mcp"
    assert document["detail"]
    return response.status_code, document["code"], response.headers.get("www-authenticate", "")


def test_token_that_may_search_gets_in(agent: Agent) -> None:
    assert agent.post(BODY, **MCP).status_code == 200


def test_without_a_token_nothing_is_read_and_it_is_said_how_to_send_one(
    threads: RequestThreads,
) -> None:
    """Nor is the SDK imported: nothing is behind this gate."""
    sent: list[Any] = []

    async def nothing(*_: object) -> None:
        raise AssertionError("a stranger comes so far")

    async def receive() -> Any:
        raise AssertionError("a stranger's body is not read")

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "scheme": "http",
        "method": "POST",
        "path": "/mcp",
        "headers": [(b"host", b"testserver")],
    }
    asyncio.run(McpAuth(nothing, threads)(scope, receive, send))
    assert sent[0]["status"] == 401
    challenge = dict(sent[0]["headers"])[b"www-authenticate"]
    assert challenge == b'Bearer realm="aeterna", scope="search"'
    assert json.loads(sent[1]["body"])["detail"] == "Send 'Authorization: Bearer <api token>'."


@pytest.mark.parametrize("header", ["Bearer nonsense", "Basic YTpi", "Bearer"])
def test_what_is_no_token_is_refused(agent: Agent, header: str) -> None:
    assert told(agent, authorization=header)[:2] == (401, "invalid_token")


def test_revoked_token_is_refused_by_that_name(agent: Agent) -> None:
    ApiToken.objects.update(revoked_at=timezone.now())
    status, code, challenge = told(agent)
    assert (status, code) == (401, "token_revoked")
    assert 'error="invalid_token"' in challenge
    assert "was revoked; make another" in challenge


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_revoked_token_is_refused_on_the_next_call(
    api: Api, endpoint: Endpoint, threads: RequestThreads, mode: str
) -> None:
    """Within a conversation: nothing of the credential is kept from request to request."""
    agent = Agent(endpoint, api.token, mode)

    async def use_and_lose(client: Client) -> None:
        assert not (await client.call_tool("code_index_status", {})).is_error
        await threads.run(lambda: ApiToken.objects.update(revoked_at=timezone.now()))
        with pytest.raises(MCPError):
            await client.call_tool("code_index_status", {})

    agent.converse(use_and_lose)
    assert agent.statuses[-1] == 401
    assert set(agent.statuses[:-1]) <= {200, 202}


def test_expired_token_is_refused_by_that_name(agent: Agent) -> None:
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert told(agent)[:2] == (401, "token_expired")


def test_token_that_may_only_index_is_told_what_it_lacks(
    db: None, agent_of: Callable[[Api], Agent]
) -> None:
    status, code, challenge = told(agent_of(api_of(scopes=[Scope.INDEX])))
    assert (status, code) == (403, "insufficient_scope")
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="search"' in challenge


def test_a_token_that_may_only_search_links_nothing(endpoint: Endpoint) -> None:
    writer = api_of(scopes=list(Scope))
    for number in (7, 8):
        created(writer, kind="knowledge", id=f"ADR-{number}", title="Take salt of the sea")
    reader = Agent(endpoint, api_of(scopes=[Scope.SEARCH]).token)
    refusal = reader.refusal("graph_link", **{"from": "ADR-7", "to": "ADR-8", "type": "explains"})
    assert (refusal.status, refusal.code) == (403, "insufficient_scope")


def test_no_authorization_server_is_advertised(agent: Agent) -> None:
    """There is none: tokens are made by an administrator."""
    assert "resource_metadata" not in told(agent, authorization="Bearer x")[2]


def test_hosts_are_those_of_the_settings(agent: Agent, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["code.example.com", ".internal", "[::1]"]
    for host in ("code.example.com", "code.example.com:8443", "a.internal", "[::1]:8000"):
        assert agent.post(BODY, **MCP, host=host).status_code == 200
    for host in ("evil.example", "code.example.com.evil.example", "code.example.com@evil.example"):
        assert told(agent, host=host) == (421, "unknown_host", "")


def test_origins_are_those_of_the_settings(agent: Agent, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "code.example.com"]
    for origin in ("https://code.example.com", "http://code.example.com:6274"):
        assert agent.post(BODY, **MCP, origin=origin).status_code == 200
    for origin in ("https://evil.example", "null", "", "file://", "https://[", "code.example.com"):
        assert told(agent, origin=origin) == (403, "unknown_origin", "")


def test_a_content_type_that_django_cannot_parse_is_refused_as_any_other(agent: Agent) -> None:
    charset = {"content-type": "a/b; charset*=bogus''x"}
    agent.token = "nonsense"
    assert told(agent, **charset)[:2] == (401, "invalid_token")


@pytest.mark.parametrize("origin", ["http://testserver/", "http://testserver/, http://evil"])
def test_an_origin_has_no_path(agent: Agent, origin: str) -> None:
    assert told(agent, origin=origin) == (403, "unknown_origin", "")


def test_two_origins_are_none(agent: Agent) -> None:
    async def post() -> httpx2.Response:
        async with agent.http() as http:
            origins = [("origin", "http://testserver"), ("origin", "https://evil.example")]
            return await http.post(ADDRESS, content=BODY, headers=origins)

    assert agent.endpoint.run(post()).status_code == 403


def test_nothing_is_answered_in_the_clear_where_the_api_redirects_to_https(
    agent: Agent, settings: Settings
) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert told(agent) == (403, "https_required", "")
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    for forwarded in ("http", "http, https"):
        assert told(agent, x_forwarded_proto=forwarded) == (403, "https_required", "")
    for forwarded in ("https", "https, http"):
        assert agent.post(BODY, **MCP, x_forwarded_proto=forwarded).status_code == 200


def test_there_is_nothing_to_listen_to_and_no_session_to_end(agent: Agent) -> None:
    async def methods() -> list[Any]:
        async with agent.http() as http:
            return [await http.request(name, "http://testserver/mcp") for name in ("GET", "DELETE")]

    for response in agent.endpoint.run(methods()):
        assert response.status_code == 405
        assert response.headers["allow"] == "POST"


def test_body_beyond_the_limit_is_refused(agent: Agent, settings: Settings) -> None:
    body = b" " * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    assert told(agent, body)[:2] == (413, "too_large")


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_a_client_that_leaves_before_its_body_is_read_is_no_fault(
    api: Api, threads: RequestThreads, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    messages = iter([{"type": "http.request", "body": BODY[:9], "more_body": True}])

    async def receive() -> Any:
        return next(messages, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        raise AssertionError("nobody is there")

    headers = {
        "host": "testserver",
        "authorization": f"Bearer {api.token}",
        "mcp-protocol-version": version,
    }
    scope = {
        "type": "http",
        "scheme": "http",
        "method": "POST",
        "path": "/mcp",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    asyncio.run(mcp_of(threads)(scope, receive, send))
    (line,) = [one for one in caplog.records if one.levelno >= logging.INFO]
    assert isinstance(line.msg, dict)
    assert (line.msg["event"], line.msg["status"]) == ("request", 0)


def test_who_waits_too_long_for_a_thread_is_told_to_come_again(
    agent: Agent, threads: RequestThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.mcp.auth._CREDENTIAL_SECONDS", 0.05)
    free = threading.Event()

    async def post() -> httpx2.Response:
        all_that_there_are = asyncio.create_task(threads.run(lambda: free.wait(30)))
        await asyncio.sleep(0)  # now it has the one thread
        async with agent.http() as http:
            try:
                return await http.post(ADDRESS, content=BODY)
            finally:
                free.set()
                await all_that_there_are

    response = agent.endpoint.run(post())
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert response.headers["retry-after"] == "5"


def test_batches_are_refused_in_every_revision(agent: Agent) -> None:
    for version in ("2025-03-26", "2025-11-25", "2026-07-28"):
        response = agent.post(b"[%s]" % BODY, **MCP, mcp_protocol_version=version)
        assert response.status_code == 400
        assert "error" in response.json()


def test_database_that_is_away_is_said_as_everywhere(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(token: str) -> None:
        raise OperationalError("secret host")

    monkeypatch.setattr("central.mcp.auth.credential_of", away)
    assert told(agent) == (503, "database_unavailable", "")


def test_request_id_is_the_callers_in_the_answer_and_in_every_line(
    agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    response = agent.post(BODY, **MCP, x_request_id="an-agent-s-own-id")
    assert response.headers["x-request-id"] == "an-agent-s-own-id"
    assert "an-agent-s-own-id" in caplog.text
    assert agent.token not in caplog.text
    assert len(agent.post(BODY, **MCP).headers["x-request-id"]) == 32


def test_every_request_has_one_line(agent: Agent, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    agent.post(BODY, **MCP)
    Agent(agent.endpoint, "nonsense").post(BODY, **MCP)
    lines: list[Any] = [
        one.msg for one in caplog.records if one.name == "central.observability.logs"
    ]
    assert [(one["path"], one["status"]) for one in lines] == [("/mcp", 200), ("/mcp", 401)]
    assert lines[0]["organization"] == "acme"


def test_a_token_that_asks_too_much_is_told_when_to_come_back(
    agent: Agent, settings: Settings
) -> None:
    settings.RATES = Rates(search="1/hour", index="off")
    assert agent.post(BODY, **MCP).status_code == 200
    assert told(agent)[:2] == (429, "throttled")
    assert 3500 < int(agent.post(BODY, **MCP).headers["retry-after"]) <= 3600


def test_answers_tell_browsers_what_all_answers_of_the_service_do(agent: Agent) -> None:
    headers = agent.post(BODY, **MCP).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
