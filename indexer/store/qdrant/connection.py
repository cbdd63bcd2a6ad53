"""Connections to a Qdrant server, and the translation of its errors."""

import ssl
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import grpc
import httpx
from qdrant_client import QdrantClient
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from indexer.errors import (
    CollectionMissingError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)
from indexer.output.terminal import foreign_line
from indexer.retry import Retryable, with_retries
from indexer.store.qdrant.address import QdrantAddress

_Answer = TypeVar("_Answer")

# By default gRPC waits up to two minutes before it reconnects, detects a cut connection only after
# 15 minutes, and gives a new client the connection of the former one.
_CHANNEL: Final = {
    "grpc.use_local_subchannel_pool": 1,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.min_reconnect_backoff_ms": 1000,
    "grpc.max_reconnect_backoff_ms": 1000,
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
}


class Connection:
    """One server, one time-out. Safe to share between threads; not across a fork once used."""

    def __init__(
        self,
        address: QdrantAddress,
        *,
        api_key: str | None,
        timeout_seconds: int,
        retry_seconds: float,
    ) -> None:
        """Set the time limits: `timeout_seconds` of one attempt, `retry_seconds` of all retries.

        `api_key` may be a token.
        """
        self._address = address
        self._api_key = api_key
        self._timeout_seconds = timeout_seconds
        self._retry_seconds = retry_seconds
        self._client: QdrantClient | None = None
        self._opening = threading.Lock()
        self._closed = False

    def call(
        self,
        operation: Callable[[QdrantClient], _Answer],
        *,
        retry_seconds: float | None = None,
    ) -> _Answer:
        """Return the result of `operation`, which must be idempotent.

        Raises StoreError: CollectionMissingError, or StoreUnavailableError after all retries.
        """
        seconds = self._retry_seconds if retry_seconds is None else retry_seconds
        return with_retries(partial(self._attempt, operation), seconds=seconds)

    def close(self) -> None:
        """Close the connection; later calls raise StoreUnavailableError."""
        with self._opening:
            self._closed = True
            client, self._client = self._client, None
        if client:
            client.close()

    def _attempt(self, operation: Callable[[QdrantClient], _Answer]) -> "_Answer | Retryable":
        client = self._opened()
        try:
            return operation(client)
        except FOREIGN as exc:
            failure = translate_error(exc, self._address.endpoint)
            if self._closed:
                raise self._closed_error() from exc
            if isinstance(exc, grpc.Call) and exc.code() is _CODES.DEADLINE_EXCEEDED:
                self._leave(client)
            if not failure.problem.retryable or isinstance(failure.problem, StoreFullError):
                raise failure.problem from exc
            return failure
        except ValueError as exc:
            if self._closed:  # "Cannot invoke RPC on closed channel!"
                raise self._closed_error() from exc
            raise

    def _opened(self) -> QdrantClient:
        with self._opening:
            if self._closed:
                raise self._closed_error()
            if self._client is None:
                self._client = _open(self._address, self._api_key, self._timeout_seconds)
            return self._client

    def _leave(self, client: QdrantClient) -> None:
        """Open a new connection for the next request: a node that hangs keeps its connections open.

        Requests under way on `client` end as they would have; it is closed once it is unused.
        """
        with self._opening:
            if self._client is client:
                self._client = None

    def _closed_error(self) -> StoreUnavailableError:
        message = f"The vector store at {self._address.endpoint} has been closed."
        return StoreUnavailableError(message)


def _open(address: QdrantAddress, api_key: str | None, timeout_seconds: int) -> QdrantClient:
    """Return a client without connecting.

    The key is sent as a header: as `api_key` the client would warn if there is no TLS, which the
    deployment check aeterna.W002 already reports.
    """
    over_grpc = address.transport == "grpc"
    options: dict[str, Any] = {"grpc_options": dict(_CHANNEL)}
    if address.tls:
        options |= _trust(over_grpc=over_grpc)
    return QdrantClient(
        host=address.host,
        port=address.port,
        grpc_port=address.port,
        prefer_grpc=over_grpc,
        https=address.tls,
        headers={"api-key": api_key} if api_key else None,
        timeout=timeout_seconds,
        check_compatibility=False,
        **options,
    )


def _trust(*, over_grpc: bool) -> dict[str, Any]:
    """Trust the machine's certificate authorities or SSL_CERT_FILE, over gRPC as over REST."""
    if not over_grpc:
        return {"verify": ssl.create_default_context()}
    authorities = ssl.get_default_verify_paths().cafile
    if authorities is None:
        return {"grpc_options": dict(_CHANNEL)}  # gRPC's default
    return {"grpc_options": {**_CHANNEL, "root_certificates": Path(authorities).read_bytes()}}


FOREIGN: Final = (
    grpc.RpcError,
    ResourceExhaustedResponse,
    ResponseHandlingException,
    UnexpectedResponse,
)

_CODES: Final = grpc.StatusCode
_TRANSIENT: Final = {
    *(_CODES.UNAVAILABLE, _CODES.DEADLINE_EXCEEDED, _CODES.RESOURCE_EXHAUSTED, _CODES.ABORTED),
    *(_CODES.INTERNAL, _CODES.UNKNOWN, _CODES.CANCELLED),  # a cut connection, or a 500
}
_TOO_MANY: Final = 429
_SERVER_ERRORS: Final = 500
_FULL: Final = ("no space left", "disk space", "disk is full", "out of disk")


def translate_error(error: Exception, endpoint: str) -> Retryable:
    """Translate one of FOREIGN from the server at `endpoint` into the error to raise.

    It is retryable if the same request may succeed later; `pause_seconds` is the server's
    Retry-After. No message holds a key: the driver's messages hold none.
    """
    problem = _translated(error, endpoint)
    problem.__cause__ = error
    pause = error.retry_after_s if isinstance(error, ResourceExhaustedResponse) else 0
    return Retryable(problem, float(pause))


def _translated(error: Exception, endpoint: str) -> StoreError:
    match error:
        case UnexpectedResponse():
            return _of_status(error, endpoint)
        case ResponseHandlingException() if not isinstance(error.source, httpx.TransportError):
            return StoreError(f"Qdrant at {endpoint} answers in a way that is not known: {error}")
        case grpc.RpcError():
            return _of_code(error, endpoint)
    return _unavailable(str(error), endpoint)


def _of_code(error: grpc.RpcError, endpoint: str) -> StoreError:
    code, details = _CODES.UNKNOWN, str(error)
    if isinstance(error, grpc.Call):
        code, details = error.code(), error.details() or error.code().name
    if code in {_CODES.UNAUTHENTICATED, _CODES.PERMISSION_DENIED}:
        return _rejected_key(details, endpoint)
    if code is _CODES.NOT_FOUND:
        return CollectionMissingError(details)
    return _unavailable(details, endpoint) if code in _TRANSIENT else _rejected(details, endpoint)


def _of_status(error: UnexpectedResponse, endpoint: str) -> StoreError:
    status = error.status_code or 0
    details = foreign_line(error.content) or error.reason_phrase
    if status in {401, 403}:
        return _rejected_key(details, endpoint)
    if status == 404:
        return CollectionMissingError(details)
    is_transient = status == _TOO_MANY or status >= _SERVER_ERRORS
    return _unavailable(details, endpoint) if is_transient else _rejected(details, endpoint)


def _unavailable(details: str, endpoint: str) -> StoreError:
    if any(words in details.lower() for words in _FULL):
        message = f"The disk of Qdrant at {endpoint} is full: free some space and try again."
        return StoreFullError(f"{message} ({details})")
    message = (
        f"Qdrant at {endpoint} does not answer; check that it runs, its address and its port "
        f"(6334 is gRPC's, 6333 is REST's). ({details})"
    )
    return StoreUnavailableError(message)


def _rejected_key(details: str, endpoint: str) -> StoreError:
    message = (
        f"Qdrant at {endpoint} does not accept the API key, or it does not allow this: set "
        f"QDRANT_API_KEY or QDRANT_API_KEY_FILE to one that may write. ({details})"
    )
    return StoreError(message)


def _rejected(details: str, endpoint: str) -> StoreError:
    return StoreError(f"Qdrant at {endpoint} refused what the vector store asked for: {details}")
