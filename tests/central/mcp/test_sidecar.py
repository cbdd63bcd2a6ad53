"""Calls of a sidecar over real HTTP: what it may do wrong, and what its callers are told then."""

import asyncio
import gzip
import json
import logging
import traceback
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.results import failure
from central.mcp.sidecar.client import Sidecar
from scripts.local_service import free_address
from tests.central.mcp.standins import (
    MODERN,
    OLD,
    Answer,
    Message,
    Standin,
    modern,
    old,
    response,
    result,
    speaking,
    standing_in,
)

TOKEN = "aet_the-callers-own"
SECONDS = 30.0
HELLO = {"results": []}
ANSWER_BYTES = 20_000


def hello(message: Message) -> bytes:
    return told(message, HELLO)


def told(message: Message, answer: Any) -> bytes:
    """The result of a tool without structured content."""
    content = [{"type": "text", "text": json.dumps(answer)}]
    return result(message, content=content, resultType="complete")


def tool_error(message: Message) -> bytes:
    content = [{"type": "text", "text": "no such project"}]
    return result(message, content=content, isError=True, resultType="complete")


def cut(message: Message) -> bytes:
    return hello(message)[:-9]


def cut_json(message: Message) -> bytes:
    return response(200, b'{"jsonrpc": "2.0", "id": 1, "resu')


BLANKS = b" " * (ANSWER_BYTES + 1)  # which JSON may have


@pytest.fixture(autouse=True)
def _limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("central.mcp.sidecar.errors.SIDECAR_ANSWER_BYTES", ANSWER_BYTES)


def body_of(answer: bytes) -> bytes:
    return answer.split(b"\r\n\r\n", 1)[1]


def long_(message: Message) -> bytes:
    return response(200, BLANKS + body_of(hello(message)))


def long_event(message: Message) -> bytes:
    event = b"data: " + BLANKS + body_of(hello(message)) + b"\n\n"
    return response(200, event, "text/event-stream")


def packed(message: Message) -> bytes:
    return response(
        200, gzip.compress(body_of(hello(message))), "application/json\r\nContent-Encoding: gzip"
    )


def hangs(message: Message) -> None:
    """Never answer."""


FAILURES = {
    "it hangs": (hangs, "sidecar_timeout", 504),
    "it answers 500": (lambda _: response(500, b"oops", "text/plain"), "sidecar_failed", 502),
    "it is not there behind its proxy": (lambda _: response(503, b""), "sidecar_failed", 502),
    "it cuts its JSON": (cut_json, "sidecar_failed", 502),
    "it breaks off": (cut, "sidecar_unavailable", 503),
    "it closes without a word": (lambda _: b"", "sidecar_unavailable", 503),
    "its answer is too long": (modern(long_), "sidecar_failed", 502),
    "its event is too long": (modern(long_event), "sidecar_failed", 502),
    "its answer is packed": (modern(packed), "sidecar_failed", 502),
    "its error is too long": (lambda _: response(500, BLANKS), "sidecar_failed", 502),
    "it is a web page": (lambda _: response(200, b"<html>", "text/html"), "sidecar_failed", 502),
    "it is no HTTP": (lambda _: b"220 mail ready\r\n", "sidecar_unavailable", 503),
    "its result is none": (
        modern(lambda message: result(message, content="none")),
        "sidecar_failed",
        502,
    ),
}


def seconds_for(answer: Answer) -> float:
    return 0.3 if answer is hangs else SECONDS


def run(
    answer: Answer,
    steps: Callable[[Standin, Sidecar], Awaitable[None]],
    *,
    pause_seconds: float = 60,
    timeout_seconds: float = SECONDS,
) -> None:
    """Take the steps with a sidecar that answers so."""

    async def whole() -> None:
        async with standing_in(answer) as standin:
            sidecar = Sidecar(
                standin.url, timeout_seconds=timeout_seconds, pause_seconds=pause_seconds
            )
            try:
                await steps(standin, sidecar)
            finally:
                await sidecar.close()

    asyncio.run(whole())


async def call(sidecar: Sidecar, token: str = TOKEN) -> dict[str, Any]:
    arguments = {"query": "retry"}
    return await sidecar.call("codesearch_search", arguments, token=token, read=lambda told: told)


async def refusal(sidecar: Sidecar) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await call(sidecar)
    return caught.value


@pytest.mark.parametrize(("answer", "code", "status"), FAILURES.values(), ids=FAILURES)
def test_a_failure_has_a_code_and_a_status_and_the_sixth_call_is_not_made(
    answer: Answer, code: str, status: int
) -> None:
    async def steps(standin: Standin, sidecar: Sidecar) -> None:
        refusals = [await refusal(sidecar) for _ in range(5)]
        assert {(one.code, one.status) for one in refusals} == {(code, status)}
        asked = len(standin.messages)
        sixth = await refusal(sidecar)
        assert (sixth.code, sixth.status) == ("sidecar_unavailable", 503)
        assert "Try again in 60 seconds" in sixth.message
        assert len(standin.messages) == asked

    run(answer, steps, timeout_seconds=seconds_for(answer))


def test_nobody_listens() -> None:
    async def steps() -> None:
        sidecar = Sidecar(f"http://{free_address()}/mcp", timeout_seconds=SECONDS)
        assert (await refusal(sidecar)).code == "sidecar_unavailable"
        await sidecar.close()

    asyncio.run(steps())


@pytest.mark.parametrize(
    ("answer", "code", "status"),
    [
        (lambda _: response(401, b"{}"), "unauthenticated", 401),
        (lambda _: response(403, b"{}"), "sidecar_refused", 502),
        (lambda _: response(404, b"not here", "text/plain"), "sidecar_refused", 502),
        (lambda _: response(421, b"Invalid Host header"), "sidecar_refused", 502),
    ],
)
def test_a_refusal_of_the_call_is_no_failure_of_the_sidecar(
    answer: Answer, code: str, status: int
) -> None:
    async def steps(standin: Standin, sidecar: Sidecar) -> None:
        for _ in range(7):
            asked = len(standin.messages)
            one = await refusal(sidecar)
            assert (one.code, one.status) == (code, status)
            assert len(standin.messages) > asked

    run(answer, steps)


@pytest.mark.parametrize("version", [MODERN, OLD])
def test_an_error_of_the_tool_is_an_answer(version: str) -> None:
    async def steps(standin: Standin, sidecar: Sidecar) -> None:
        for _ in range(7):
            one = await refusal(sidecar)
            assert (one.code, one.status) == ("sidecar_refused", 502)
            assert "no such project" in one.message
        assert standin.methods()[-1] == "tools/call"

    run(speaking(version, tool_error), steps)


def test_a_tool_s_error_with_a_code_passes_through() -> None:
    def refuses(message: Message) -> bytes:
        outcome = failure(ToolError("Not known.", code="symbol_not_found", status=404))
        return result(message, **outcome.model_dump(by_alias=True, exclude_none=True))

    async def steps(_: Standin, sidecar: Sidecar) -> None:
        one = await refusal(sidecar)
        assert (one.code, one.status, one.message) == ("symbol_not_found", 404, "Not known.")

    run(modern(refuses), steps)


def test_an_answer_that_cannot_be_read_is_a_failure() -> None:
    async def steps(standin: Standin, sidecar: Sidecar) -> None:
        for _ in range(5):
            with pytest.raises(ToolError, match="cannot be read"):
                await sidecar.call("t", {}, token=TOKEN, read=lambda told: told["rows"])
        asked = len(standin.messages)
        assert (await refusal(sidecar)).code == "sidecar_unavailable"
        assert len(standin.messages) == asked

    run(modern(hello), steps)


def test_a_call_that_is_cancelled_says_nothing_of_the_sidecar() -> None:
    async def steps(standin: Standin, sidecar: Sidecar) -> None:
        for _ in range(6):
            asked = len(standin.messages)
            task = asyncio.create_task(call(sidecar))
            while len(standin.messages) == asked and not task.done():
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        standin.answer = modern(hello)
        assert await call(sidecar) == HELLO

    run(lambda _: None, steps)


def test_a_sidecar_that_recovers_is_used_again() -> None:
    async def steps(standin: Standin, sidecar: Sidecar) -> None:
        for _ in range(5):
            await refusal(sidecar)
        standin.answer = modern(hello)
        async with asyncio.timeout(10):
            while standin.methods()[-1] != "tools/call":
                with suppress(ToolError):
                    await call(sidecar)
                await asyncio.sleep(0.01)
        assert await call(sidecar) == HELLO

    run(lambda _: response(500, b""), steps, pause_seconds=0.2)


def test_once_its_revision_is_known_a_call_is_one_request() -> None:
    async def steps(standin: Standin, sidecar: Sidecar) -> None:
        for _ in range(3):
            await call(sidecar)
        assert standin.methods() == ["server/discover", *["tools/call"] * 3]

    run(modern(hello), steps)


def test_a_sidecar_from_before_discovery_is_initialised() -> None:
    async def steps(standin: Standin, sidecar: Sidecar) -> None:
        for _ in range(3):
            await call(sidecar)
        methods = standin.methods()
        assert [
            methods.count(name) for name in ("server/discover", "initialize", "tools/call")
        ] == [
            1,
            3,
            3,
        ]

    run(old(hello), steps)


@pytest.mark.parametrize(("before", "after"), [(MODERN, OLD), (OLD, MODERN)])
def test_a_sidecar_that_is_replaced_by_one_of_another_revision_is_asked_anew(
    before: str, after: str
) -> None:
    async def steps(standin: Standin, sidecar: Sidecar) -> None:
        await call(sidecar)
        speaks = speaking(after, hello)

        def refuses_the_other(message: Message) -> bytes | None:
            is_modern = message.get("params", {}).get("_meta", {}) != {}
            if message["method"] == "initialize" and after == MODERN:
                return response(400, b"{}")
            if message["method"] == "tools/call" and after == OLD and is_modern:
                return response(400, b"{}")
            return speaks(message)

        standin.answer = refuses_the_other
        assert (await refusal(sidecar)).code == "sidecar_refused"
        assert await call(sidecar) == HELLO

    run(speaking(before, hello), steps)


@pytest.mark.parametrize("version", [MODERN, OLD])
def test_each_of_many_calls_at_once_carries_its_own_callers_token(version: str) -> None:
    async def steps(standin: Standin, sidecar: Sidecar) -> None:
        def echo(message: Message) -> bytes:
            return told(message, {"authorization": standin.tokens[-1]})

        standin.answer = speaking(version, echo)
        tokens = [f"aet_{number}" for number in range(20)]
        results = await asyncio.gather(*(call(sidecar, token) for token in tokens))
        assert results == [{"authorization": f"Bearer {token}"} for token in tokens]

    run(lambda _: None, steps)


def failing_by_name(message: Message) -> bytes:
    error = {"code": -32603, "message": TOKEN, "data": TOKEN}
    return response(
        200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()
    )


def refusing_by_name(message: Message) -> bytes:
    return result(
        message,
        content=[{"type": "text", "text": f"no {TOKEN}"}],
        isError=True,
        resultType="complete",
    )


def refusing_by_code_and_name(message: Message) -> bytes:
    refusal = ToolError(f"no {TOKEN}", code="gone", status=404, near=[TOKEN])
    return result(message, **failure(refusal).model_dump(by_alias=True, exclude_none=True))


REPEATING = [
    lambda _: response(500, TOKEN.encode(), "text/plain"),
    lambda _: response(401, TOKEN.encode(), "text/plain"),
    *(
        speaking(version, call)
        for version in (MODERN, OLD)
        for call in (failing_by_name, refusing_by_name, refusing_by_code_and_name)
    ),
]


@pytest.mark.parametrize(
    "answer", [one for one, *_ in FAILURES.values()] + [modern(hello)] + REPEATING
)
def test_no_token_is_in_the_log_or_in_an_error(
    answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    async def steps(_: Standin, sidecar: Sidecar) -> None:
        message = ""
        try:
            await call(sidecar)
        except ToolError as exc:
            message = f"{exc.near} {''.join(traceback.format_exception(exc))}"
        assert TOKEN not in message

    run(answer, steps, timeout_seconds=seconds_for(answer))
    assert caplog.records
    assert TOKEN not in caplog.text
