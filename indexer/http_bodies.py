"""Bodies of HTTP messages and JSON texts, bounded before they stand in memory."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

import httpx

from indexer.limits import ANSWER_BYTES

# Said of the bytes as they came, not of what was read.
_OF_THE_TRANSFER: Final = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})


class AnswerTooLongError(httpx.DecodingError):
    """An answer is longer than any that is expected."""


def read_answer(http: httpx.Client, method: str, url: str, **request: Any) -> httpx.Response:
    """As `http.request`, but no answer of more than ANSWER_BYTES is taken into memory.

    Raises httpx.RequestError, of which AnswerTooLongError is one.
    """
    with http.stream(method, url, **request) as response:
        return _whole(response)


def receive_answer(
    http: httpx.Client,
    url: str,
    receive: Callable[[Iterator[bytes], int | None], None],
    **request: Any,
) -> httpx.Response:
    """GET what is too long for memory; `receive` gets its pieces, and its size if that is known.

    Only a success is; any other answer is read as by `read_answer`, and raises as that does.
    """
    with http.stream("GET", url, **request) as response:
        if not response.is_success:
            return _whole(response)
        length = response.headers.get("Content-Length", "")
        is_plain = "Content-Encoding" not in response.headers and length.isascii()
        receive(response.iter_bytes(), int(length) if is_plain and length.isdigit() else None)
        return httpx.Response(response.status_code, request=response.request)


def _whole(response: httpx.Response) -> httpx.Response:
    body = bytearray()
    for part in response.iter_bytes():
        body += part
        if len(body) > ANSWER_BYTES:
            raise AnswerTooLongError(f"more than {ANSWER_BYTES} bytes", request=response.request)
    kept = [
        (name, value)
        for name, value in response.headers.raw
        if name.lower() not in _OF_THE_TRANSFER
    ]
    return httpx.Response(
        response.status_code, headers=kept, content=bytes(body), request=response.request
    )


# Each match is a mark between values with all before it that is none, such as whole texts. It
# never fails, so the whole is gone through once, whatever it is.
_MARK: Final = re.compile(
    rb'(?:"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[^\[{,"]++)*+(?:[\[{,]|\Z)', re.DOTALL
)


def has_more_values(text: bytes, most: int) -> bool:
    """Whether `text` holds more than `most` objects, arrays, members and items, give or take two.

    First all marks are counted, those inside of texts too: that is 20 times as fast. Of what is no
    valid JSON, everything before the fault is counted.
    """
    marks = text.count(b",") + text.count(b"[") + text.count(b"{")
    return marks > most and next(islice(_MARK.finditer(text), most, None), None) is not None
