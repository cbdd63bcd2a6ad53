"""A connection to a Qdrant server: opened on first use, patient for as long as it is told."""

import ssl
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from qdrant_client import QdrantClient

from indexer.errors import StoreFullError, StoreUnavailableError
from indexer.patience import Away, persist
from indexer.store.qdrant.errors import FOREIGN, problem_of
from indexer.store.qdrant.url import QdrantAddress

_Answer = TypeVar("_Answer")

# gRPC would wait for up to two minutes before it looks whether a server is back, and would not
# notice for a quarter of an hour that a connection is cut.
_CHANNEL: Final = {
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
        patience_seconds: float,
    ) -> None:
        """`timeout_seconds`: of one attempt; `patience_seconds`: how long to go on trying.

        `api_key` may be a token.
        """
        self._address = address
        self._api_key = api_key
        self._timeout_seconds = timeout_seconds
        self._patience_seconds = patience_seconds
        self._client: QdrantClient | None = None
        self._opening = threading.Lock()
        self._closed = False

    def call(
        self,
        operation: Callable[[QdrantClient], _Answer],
        *,
        patience_seconds: float | None = None,
    ) -> _Answer:
        """What `operation`, which must be idempotent, answers.

        Raises StoreError: CollectionMissingError, StoreUnavailableError once patience is over.
        """
        patience = self._patience_seconds if patience_seconds is None else patience_seconds
        return persist(partial(self._attempt, operation), seconds=patience)

    def close(self) -> None:
        """Close what is open; later calls raise StoreUnavailableError."""
        with self._opening:
            self._closed = True
            client, self._client = self._client, None
        if client:
            client.close()

    def _attempt(self, operation: Callable[[QdrantClient], _Answer]) -> "_Answer | Away":
        client = self._opened()
        try:
            return operation(client)
        except FOREIGN as exc:
            away = problem_of(exc, self._address.place)
            if self._closed:
                raise self._closed_error() from exc
            if not away.problem.retryable or isinstance(away.problem, StoreFullError):
                raise away.problem from exc
            return away
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

    def _closed_error(self) -> StoreUnavailableError:
        message = f"The vector store at {self._address.place} has been closed."
        return StoreUnavailableError(message)


def _open(address: QdrantAddress, api_key: str | None, timeout_seconds: int) -> QdrantClient:
    """A client that has contacted nobody yet.

    The key goes as the header that it is: as `api_key` it would warn where there is no TLS, and
    that is the deployment check's to say (aeterna.W002).
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
    """Trust the machine's authorities, or those of SSL_CERT_FILE, over gRPC as over REST."""
    if not over_grpc:
        return {"verify": ssl.create_default_context()}
    authorities = ssl.get_default_verify_paths().cafile
    if authorities is None:
        return {"grpc_options": dict(_CHANNEL)}  # gRPC's own
    return {"grpc_options": {**_CHANNEL, "root_certificates": Path(authorities).read_bytes()}}
