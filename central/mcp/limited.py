"""Answers of another server, read up to a limit: what it sends stands in this process's memory."""

from collections.abc import AsyncIterator
from typing import cast

import httpx2

from indexer.limits import SIDECAR_ANSWER_BYTES


class AnswerTooLongError(Exception):
    """It is longer than the limit, or packed so that nobody knows how long it is."""


class LimitedTransport(httpx2.AsyncHTTPTransport):
    """Connections that break an answer off at the limit. Ask for `Accept-Encoding: identity`."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response; reading it may raise AnswerTooLongError."""
        response = await super().handle_async_request(request)
        if response.headers.get("Content-Encoding", "identity") != "identity":
            await response.aclose()
            raise AnswerTooLongError
        response.stream = _Limited(cast("httpx2.AsyncByteStream", response.stream))
        return response


class _Limited(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > SIDECAR_ANSWER_BYTES:
                raise AnswerTooLongError
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
