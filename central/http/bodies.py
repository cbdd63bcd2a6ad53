"""Request bodies with a hard cap, read as a stream: Django's own limits do not cover them."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import IO, Any

from django.conf import settings
from django.http import HttpRequest
from django.http.request import RawPostDataException
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request

from central.errors import InvalidError, TooLargeError
from indexer.http_bodies import has_more_values
from indexer.limits import DECLARED_DIGITS, JSON_VALUES

_READ_BYTES = 256 * 1024


def read_body(
    request: HttpRequest | Request, *, limit_bytes: int, code: str = "too_large"
) -> bytes:
    """The raw body; TooLargeError with `code` as soon as more than `limit_bytes` are there."""
    return b"".join(body_parts(request, limit_bytes=limit_bytes, code=code))


def body_parts(
    request: HttpRequest | Request, *, limit_bytes: int, code: str = "too_large"
) -> Iterator[bytes]:
    """As `read_body`, in parts, each of which is let go."""
    declared = request.META.get("CONTENT_LENGTH") or "0"
    if declared.isdecimal() and (len(declared) > DECLARED_DIGITS or int(declared) > limit_bytes):
        raise _too_large(limit_bytes, code)
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


def _too_large(limit_bytes: int, code: str) -> TooLargeError:
    return TooLargeError(f"The body is larger than {limit_bytes} bytes; send less.", code=code)


def json_object(body: bytes) -> dict[str, Any]:
    """`body` as a JSON object; InvalidError if it is anything else."""
    try:
        value = _parsed(body)
    except (ValueError, RecursionError) as exc:
        raise InvalidError("The body must be JSON in UTF-8.") from exc
    if not isinstance(value, dict):
        raise InvalidError("The body must be a JSON object.")
    return value


def _parsed(body: bytes) -> Any:
    """ValueError or RecursionError for what is not JSON that can be written in UTF-8 again.

    TooLargeError for more values than memory has room for.
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
    """1e999 is a number of JSON's grammar, but Infinity here, which cannot be written again."""
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
