"""Request bodies with a hard cap, read as a stream: Django's own limits do not cover them."""

import asyncio
import json
import math
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from typing import IO, Any, Final

from django.conf import settings
from django.core.exceptions import RequestAborted
from django.http import HttpRequest
from django.http.request import RawPostDataException
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request

from central.errors import InvalidError, TooLargeError
from central.http.bearer import bearer_token
from central.http.space import Take
from indexer.json_values import has_more_values
from indexer.limits import JSON_VALUES

BODY_SECONDS: Final = 300.0  # for the whole of a body to come
# GitHub's own limit is 25 MB, but the largest event that is used, a push, names at most 2,048
# commits.
GITHUB_WEBHOOK_BYTES: Final = 5 * 1024 * 1024
DECLARED_DIGITS: Final = 18  # of a Content-Length; Python converts no more than 4,300
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

_READ_BYTES: Final = 256 * 1024
_WEBHOOK: Final = "/api/v1/github/webhook"
_UPLOAD: Final = re.compile(r"/api/v1/index/runs/[^/]+/(?P<kind>tree|batches)(?:/|\Z)")


def max_body_bytes(path: str, authorization: str | None = None) -> int:
    """Return the size limit of a request body, for the API, the pages and /mcp.

    Raises UnauthenticatedError for an upload without a well-formed token, so that the large body
    of a stranger is not read. The view checks whether the token exists.
    """
    if path == _WEBHOOK:
        return GITHUB_WEBHOOK_BYTES  # signed by its body, which must be read
    upload = _UPLOAD.match(path)
    if upload is None:
        return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    bearer_token(authorization)
    is_tree = upload["kind"] == "tree"
    return max_gzip_bytes(settings.TREE_MAX_BYTES if is_tree else settings.BATCH_MAX_BYTES)


def max_gzip_bytes(content_bytes: int) -> int:
    """Return how large gzip of `content_bytes` may be: incompressible content grows a little."""
    return content_bytes + content_bytes // 1000 + 1024


def check_content_length(declared: str, limit_bytes: int, code: str = "too_large") -> None:
    """Raise TooLargeError if the declared length exceeds the limit, InvalidError if it is none."""
    declared = declared.strip() or "0"
    if not (declared.isascii() and declared.isdigit()):
        raise InvalidError("Content-Length must be a number of bytes.")
    if len(declared) > DECLARED_DIGITS or int(declared) > limit_bytes:
        raise _too_large(limit_bytes, code)


async def read_asgi_body(receive: _Receive, body: IO[bytes], limit_bytes: int, take: Take) -> None:
    """Copy the request's body to `body`; `take` gets the size of each part before.

    Raises TooLargeError, UnavailableError, InvalidError if it takes longer than BODY_SECONDS, and
    RequestAborted if the client leaves before it is complete.
    """
    try:
        async with asyncio.timeout(BODY_SECONDS):
            await _copy(receive, body, limit_bytes, take)
    except TimeoutError as exc:
        raise InvalidError(f"The body did not come within {BODY_SECONDS:.0f} seconds.") from exc


async def _copy(receive: _Receive, body: IO[bytes], limit_bytes: int, take: Take) -> None:
    size, is_more = 0, True
    while is_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestAborted
        part = message.get("body", b"")
        size += len(part)
        if size > limit_bytes:
            raise _too_large(limit_bytes)
        take(len(part))
        body.write(part)
        is_more = message.get("more_body", False)
    body.seek(0)


def read_body(
    request: HttpRequest | Request, *, limit_bytes: int, code: str = "too_large"
) -> bytes:
    """Return the raw body. Raises TooLargeError with `code` beyond `limit_bytes`."""
    return b"".join(body_parts(request, limit_bytes=limit_bytes, code=code))


def body_parts(
    request: HttpRequest | Request, *, limit_bytes: int, code: str = "too_large"
) -> Iterator[bytes]:
    """Yield the body in parts, with the same limit."""
    check_content_length(request.META.get("CONTENT_LENGTH") or "", limit_bytes, code)
    stream: Any = request._request if isinstance(request, Request) else request
    yield from _parts(stream, limit_bytes=limit_bytes, code=code)


def _parts(stream: IO[bytes], *, limit_bytes: int, code: str) -> Iterator[bytes]:
    size = 0
    try:
        while part := stream.read(_READ_BYTES):
            size += len(part)
            if size > limit_bytes:
                raise _too_large(limit_bytes, code)
            yield part
    except (OSError, RawPostDataException) as exc:  # the client went away, or a parser read it
        raise InvalidError("The request's body could not be read to its end.") from exc


def _too_large(limit_bytes: int, code: str = "too_large") -> TooLargeError:
    return TooLargeError(f"The body is larger than {limit_bytes} bytes; send less.", code=code)


def json_object(body: bytes) -> dict[str, Any]:
    """Return `body` as a JSON object. Raises InvalidError if it is anything else."""
    try:
        value = _parsed(body)
    except (ValueError, RecursionError) as exc:
        raise InvalidError("The body must be JSON in UTF-8.") from exc
    if not isinstance(value, dict):
        raise InvalidError("The body must be a JSON object.")
    return value


def _parsed(body: bytes) -> Any:
    """Parse JSON that can be written in UTF-8 again.

    Raises ValueError or RecursionError if it is not, TooLargeError for too many values.
    """
    refuse_many_values(body)
    value = json.loads(body.decode(), parse_constant=_refuse_constant, parse_float=_finite)
    if b"\\u" in body:  # only an escape can name half a surrogate pair, which no database stores
        json.dumps(value, ensure_ascii=False).encode()
    return value


def refuse_many_values(body: bytes) -> None:
    """Raise TooLargeError for JSON of more than JSON_VALUES, before it is parsed."""
    if has_more_values(body, JSON_VALUES):
        raise TooLargeError(f"The body holds more than {JSON_VALUES} values; send less.")


def _finite(text: str) -> float:
    """Refuse numbers such as 1e999: they become Infinity, which JSON cannot express."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is too large a number")
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


class StrictJSONParser(JSONParser):
    """REST framework's parser, but deep nesting, NaN, broken UTF-8 and lone surrogates are refused.

    So are more than DATA_UPLOAD_MAX_MEMORY_SIZE bytes, which Django counts in forms alone.
    """

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Raise ParseError for what is not JSON, TooLargeError."""
        del media_type, parser_context
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = b"".join(_parts(stream, limit_bytes=limit, code="too_large"))
        try:
            return _parsed(body)
        except (ValueError, RecursionError) as exc:
            raise ParseError("The body must be JSON in UTF-8.") from exc
