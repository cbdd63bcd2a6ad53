"""What qdrant-client raises, over gRPC or REST, as this project's errors."""

from typing import Final

import grpc
import httpx
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from indexer.errors import (
    CollectionMissingError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)
from indexer.patience import Away

FOREIGN: Final = (
    grpc.RpcError,
    ResourceExhaustedResponse,
    ResponseHandlingException,
    UnexpectedResponse,
)

_CODES: Final = grpc.StatusCode
_PASSING: Final = {
    *(_CODES.UNAVAILABLE, _CODES.DEADLINE_EXCEEDED, _CODES.RESOURCE_EXHAUSTED, _CODES.ABORTED),
    *(_CODES.INTERNAL, _CODES.UNKNOWN, _CODES.CANCELLED),  # a connection that was cut, or a 500
}
_TOO_MANY: Final = 429
_SERVER_ERRORS: Final = 500
_FULL: Final = ("no space left", "disk space", "disk is full", "out of disk")


def problem_of(error: Exception, place: str) -> Away:
    """One of FOREIGN that came from the server at `place`, as the error to raise.

    It is retryable where the same request may succeed later; `pause_seconds` is what the server
    asks for. No message holds a key: the driver's own hold none.
    """
    problem = _translated(error, place)
    problem.__cause__ = error
    pause = error.retry_after_s if isinstance(error, ResourceExhaustedResponse) else 0
    return Away(problem, float(pause))


def _translated(error: Exception, place: str) -> StoreError:
    match error:
        case UnexpectedResponse():
            return _of_status(error, place)
        case ResponseHandlingException() if not isinstance(error.source, httpx.TransportError):
            return StoreError(f"Qdrant at {place} answers in a way that is not known: {error}")
        case grpc.RpcError():
            return _of_code(error, place)
    return _away(str(error), place)


def _of_code(error: grpc.RpcError, place: str) -> StoreError:
    code, details = _CODES.UNKNOWN, str(error)
    if isinstance(error, grpc.Call):
        code, details = error.code(), error.details() or error.code().name
    if code in {_CODES.UNAUTHENTICATED, _CODES.PERMISSION_DENIED}:
        return _refused_key(details, place)
    if code is _CODES.NOT_FOUND:
        return CollectionMissingError(details)
    return _away(details, place) if code in _PASSING else _refused(details, place)


def _of_status(error: UnexpectedResponse, place: str) -> StoreError:
    status = error.status_code or 0
    details = error.content.decode("utf-8", "replace")[:500] or error.reason_phrase
    if status in {401, 403}:
        return _refused_key(details, place)
    if status == 404:
        return CollectionMissingError(details)
    passing = status == _TOO_MANY or status >= _SERVER_ERRORS
    return _away(details, place) if passing else _refused(details, place)


def _away(details: str, place: str) -> StoreError:
    if any(words in details.lower() for words in _FULL):
        message = f"The disk of Qdrant at {place} is full: free some space and try again."
        return StoreFullError(f"{message} ({details})")
    message = (
        f"Qdrant at {place} does not answer; check that it runs, its address and its port "
        f"(6334 is gRPC's, 6333 is REST's). ({details})"
    )
    return StoreUnavailableError(message)


def _refused_key(details: str, place: str) -> StoreError:
    message = (
        f"Qdrant at {place} does not accept the API key, or it does not allow this: set "
        f"QDRANT_API_KEY or QDRANT_API_KEY_FILE to one that may write. ({details})"
    )
    return StoreError(message)


def _refused(details: str, place: str) -> StoreError:
    return StoreError(f"Qdrant at {place} refused what the vector store asked for: {details}")
