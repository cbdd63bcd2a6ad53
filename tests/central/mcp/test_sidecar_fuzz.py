"""Whatever a sidecar says, its caller gets an answer or a ToolError, and soon."""

import asyncio
import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.sidecar.answers import SearchAnswer
from aeterna_code_search.agents.sidecar.mapping import api_search
from central.mcp.sidecar.client import Answer, Sidecar
from tests.central.mcp.standins import Message, modern, response, result, standing_in
from tests.property_settings import examples

KINDS = st.sampled_from(["application/json", "text/event-stream", "text/html", ""])
HEADERS = st.sampled_from(["", "Content-Encoding: gzip\r\n", "Location: //elsewhere.example/\r\n"])
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["results", "result", "file_path", "score", "receipt", "projects"]),
            inner,
        )
    ),
    max_leaves=8,
)


def searched(told: object) -> Answer:
    return SearchAnswer.model_validate(api_search(told)).model_dump(exclude_unset=True)


async def ask(url: str) -> None:
    sidecar = Sidecar(url, timeout_seconds=0.3)
    try:
        with suppress(ToolError):
            await sidecar.call("codesearch_search", {"query": "x"}, token="aet_x", read=searched)
    finally:
        await sidecar.close()


@examples(40)
@given(status=st.integers(200, 599), body=st.binary(max_size=60), kind=KINDS, extra=HEADERS)
def test_any_http_response_is_told(status: int, body: bytes, kind: str, extra: str) -> None:
    head = response(status, body, kind).replace(b"Connection", extra.encode() + b"Connection", 1)

    async def whole() -> None:
        async with standing_in(lambda _: head) as standin:
            await ask(standin.url)

    asyncio.run(whole())


@examples(40)
@given(told=JSON, as_text=st.booleans())
def test_any_result_of_the_tool_is_told(told: object, as_text: bool) -> None:
    def call(message: Message) -> bytes:
        if as_text:
            content = [{"type": "text", "text": json.dumps(told)}]
            return result(message, content=content, resultType="complete")
        return result(message, content=[], structuredContent=told, resultType="complete")

    async def whole() -> None:
        async with standing_in(modern(call)) as standin:
            await ask(standin.url)

    asyncio.run(whole())
