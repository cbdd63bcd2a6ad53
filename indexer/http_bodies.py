"""Bodies of HTTP answers, limited in size before they are held in memory."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import httpx

ANSWER_BYTES: Final = 256 * 1024 * 1024  # of a service that the indexer calls


# Headers that describe the transferred bytes, not the decoded body.
_OF_THE_TRANSFER: Final = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})


class AnswerTooLongError(httpx.DecodingError):
    """An answer exceeds the bytes that are read."""


def read_answer(
    http: httpx.Client, method: str, url: str, most_bytes: int | None = None, **request: Any
) -> httpx.Response:
    """Send a request like `http.request`, but read at most `most_bytes` of the answer.

    By default ANSWER_BYTES. Raises httpx.RequestError, including AnswerTooLongError.
    """
    with http.stream(method, url, **request) as response:
        return _whole(response, most_bytes or ANSWER_BYTES)


def receive_answer(
    http: httpx.Client,
    url: str,
    receive: Callable[[Iterator[bytes], int | None], None],
    **request: Any,
) -> httpx.Response:
    """GET a body that is too long for memory; `receive` gets its parts, and its size if known.

    Only successful answers are passed on. Others are read as by `read_answer`.
    """
    with http.stream("GET", url, **request) as response:
        if not response.is_success:
            return _whole(response, ANSWER_BYTES)
        length = response.headers.get("Content-Length", "")
        is_plain = "Content-Encoding" not in response.headers and length.isascii()
        receive(response.iter_bytes(), int(length) if is_plain and length.isdigit() else None)
        return httpx.Response(response.status_code, request=response.request)


def _whole(response: httpx.Response, most_bytes: int) -> httpx.Response:
    body = bytearray()
    for part in response.iter_bytes():
        body += part
        if len(body) > most_bytes:
            raise AnswerTooLongError(f"more than {most_bytes} bytes", request=response.request)
    kept = [
        (name, value)
        for name, value in response.headers.raw
        if name.lower() not in _OF_THE_TRANSFER
    ]
    return httpx.Response(
        response.status_code, headers=kept, content=bytes(body), request=response.request
    )
