"""What the sidecar's callers are told when the service behind it misbehaves, over real HTTP."""

import asyncio
import gzip
import json

import pytest

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.cli.mcp.sidecar import ForwardingBackend, open_connections
from scripts.local_service import free_address
from tests.agents.recorded import recorded
from tests.central.mcp.standins import Answer, Message, response, standing_in


def problem(status: int, **members: object) -> Answer:
    body = json.dumps(members).encode()
    return lambda _: response(status, body, "application/problem+json")


def asked(answer: Answer, organization: str | None = "acme") -> tuple[ToolError, list[Message]]:
    """The refusal of a search at a service that answers so, and what the service was sent."""

    async def whole() -> tuple[ToolError, list[Message]]:
        async with standing_in(answer) as standin:
            url = standin.url.removesuffix("/mcp")
            return await refusal_of(url, organization), standin.messages

    return asyncio.run(whole())


async def refusal_of(url: str, organization: str | None = "acme") -> ToolError:
    async with open_connections(url) as connections:
        backend = ForwardingBackend(connections, token="aet_x", organization=organization)
        with pytest.raises(ToolError) as caught:
            await backend.search({"query": "retry"})
    return caught.value


def test_a_problem_keeps_its_code_status_and_sentence() -> None:
    refusal, _ = asked(problem(403, code="insufficient_scope", detail="The token may not search."))
    assert (refusal.code, refusal.status) == ("insufficient_scope", 403)
    assert refusal.message == "The token may not search."


def test_near_names_are_told() -> None:
    refusal, _ = asked(problem(404, code="symbol_not_found", detail="No such name.", near=["a.b"]))
    assert str(refusal) == "No such name. Similar names: a.b."


ANSWERED = json.dumps(recorded("search")).encode()
ZIPPED = "application/json\r\nContent-Encoding: gzip"


@pytest.fixture(autouse=True)
def _limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aeterna_code_search.cli.mcp.sidecar.SIDECAR_ANSWER_BYTES", 20_000)


def test_an_answer_is_the_services() -> None:
    async def whole() -> None:
        async with (
            standing_in(lambda _: response(200, ANSWERED)) as standin,
            open_connections(standin.url.removesuffix("/mcp")) as connections,
        ):
            backend = ForwardingBackend(connections, token="aet_x", organization="acme")
            assert await backend.search({"query": "retry"}) == recorded("search")

    assert len(ANSWERED) < 20_000
    asyncio.run(whole())


@pytest.mark.parametrize(
    ("answer", "code", "status"),
    [
        (lambda _: b"", "service_unavailable", 503),
        (lambda _: response(200, b"{", length=9), "service_unavailable", 503),
        (lambda _: response(200, b"<html>", "text/html"), "service_failed", 502),
        (lambda _: response(200, b"[]"), "service_failed", 502),
        (lambda _: response(502, b"<html>", "text/html"), "service_failed", 502),
        (lambda _: response(200, b"[" * 100_000), "service_failed", 502),
        (lambda _: response(200, b'{"results": 5}'), "service_failed", 502),
        (lambda _: response(200, b" " * 20_001 + ANSWERED), "service_failed", 502),
        (lambda _: response(404, b" " * 20_001), "service_failed", 502),
        (lambda _: response(200, gzip.compress(ANSWERED), ZIPPED), "service_failed", 502),
    ],
)
def test_what_is_no_answer_of_the_service_says_so(answer: Answer, code: str, status: int) -> None:
    refusal, _ = asked(answer)
    assert (refusal.code, refusal.status) == (code, status)


def test_nobody_listens() -> None:
    refusal = asyncio.run(refusal_of(f"http://{free_address()}"))
    assert (refusal.code, refusal.status) == ("service_unavailable", 503)


def test_without_any_organisation_the_service_is_not_asked() -> None:
    refusal, messages = asked(lambda _: b"", organization=None)
    assert (refusal.code, refusal.status) == ("invalid", 400)
    assert "AETERNA_ORGANIZATION" in refusal.message
    assert messages == []
