"""A Qdrant server over real gRPC, on what the client's own local mode answers.

It checks keys and tokens as Qdrant does, can be told to fail, and can stop and come back at the
same port with what it held.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import grpc
import jwt
from qdrant_client import QdrantClient, models
from qdrant_client.grpc import collections_service_pb2_grpc, points_service_pb2_grpc

from tests.indexer.store.qdrant.services import Held, collections_servicer, points_servicer

Fault = Callable[[grpc.ServicerContext], object]

_READING: Final = {"QueryBatch", "Scroll", "Get", "CollectionExists"}
_WRITING: Final = {"Upsert", "Delete"}


def failing(code: grpc.StatusCode, details: str = "told to") -> Fault:
    """A request that ends with `code`."""

    def fail(context: grpc.ServicerContext) -> None:
        context.abort(code, details)

    return fail


class StandIn:
    """The server. `faults` are used up by the next requests, `requests` are all that came."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        certificate: tuple[bytes, bytes] | None = None,
    ) -> None:
        """`certificate`: private key and chain (PEM), for TLS."""
        self.api_key = api_key
        self.local = QdrantClient(":memory:")
        self.held: dict[str, Held] = {}
        self.faults: list[Fault] = []
        self.statuses: list[models.CollectionStatus] = []  # of collections, before they are green
        self.requests: list[tuple[str, Any]] = []
        self.lock = threading.Lock()
        self._certificate = certificate
        self._server: grpc.Server | None = None
        self.port = 0

    def start(self) -> "StandIn":
        """Listen, at the same port as before."""
        self._server = grpc.server(ThreadPoolExecutor(32), options=[("grpc.so_reuseport", 0)])
        points_service_pb2_grpc.add_PointsServicer_to_server(points_servicer(self), self._server)
        collections_service_pb2_grpc.add_CollectionsServicer_to_server(
            collections_servicer(self), self._server
        )
        address = f"127.0.0.1:{self.port}"
        if self._certificate:
            credentials = grpc.ssl_server_credentials([self._certificate])
            self.port = self._server.add_secure_port(address, credentials)
        else:
            self.port = self._server.add_insecure_port(address)
        self._server.start()
        return self

    def stop(self) -> None:
        """Cut every connection."""
        if self._server:
            self._server.stop(grace=None).wait()
            self._server = None

    @property
    def url(self) -> str:
        """As open_store takes it."""
        scheme = "qdrants" if self._certificate else "qdrant"
        return f"{scheme}://localhost:{self.port}" if self._certificate else self.plain_url

    @property
    def plain_url(self) -> str:
        """Without TLS, whatever the server wants."""
        return f"qdrant://127.0.0.1:{self.port}"

    @staticmethod
    def slow(context: grpc.ServicerContext) -> None:
        """A request that is not answered before its client, or the server, gives it up."""
        given_up = threading.Event()
        context.add_callback(given_up.set)
        given_up.wait(30)

    def handle(
        self, name: str, answer: Callable[[Any], Any], request: Any, context: grpc.ServicerContext
    ) -> Any:
        """Check who asks, fail if told to, answer."""
        self.requests.append((name, request))
        if self.faults:
            self.faults.pop(0)(context)
        self._authorize(name, request, context)
        try:
            with self.lock:
                return answer(request)
        except ValueError as exc:
            _abort(context, exc)

    def _authorize(self, name: str, request: Any, context: grpc.ServicerContext) -> None:
        if self.api_key is None:
            return
        presented = dict(context.invocation_metadata()).get("api-key", "")
        if presented == self.api_key:
            return
        try:
            claims = jwt.decode(presented, self.api_key, ["HS256"])
        except jwt.InvalidTokenError:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "Invalid API key or JWT")
        if not _allowed(claims["access"], name, getattr(request, "collection_name", "")):
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "Access is not allowed")


def _allowed(access: Any, name: str, collection: str) -> bool:
    for entry in access:
        if entry["collection"] == collection:
            return name in (_READING | _WRITING if entry["access"] == "rw" else _READING)
    return False


def _abort(context: grpc.ServicerContext, error: ValueError) -> NoReturn:
    text = str(error)
    code = grpc.StatusCode.INVALID_ARGUMENT
    if "not found" in text:
        code = grpc.StatusCode.NOT_FOUND
    elif "already exists" in text:
        code = grpc.StatusCode.ALREADY_EXISTS
    context.abort(code, text)


@contextmanager
def running_stand_in(
    *, api_key: str | None = None, certificate: tuple[bytes, bytes] | None = None
) -> Iterator[StandIn]:
    """A server that is stopped at the end."""
    stand_in = StandIn(api_key=api_key, certificate=certificate)
    try:
        yield stand_in.start()
    finally:
        stand_in.stop()
        stand_in.local.close()
