"""A Qdrant server over real gRPC: the client's own local mode behind the generated services.

It checks keys and tokens as Qdrant does, can be told to fail, and can stop and come back at the
same port with what it held.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import grpc
import jwt
from qdrant_client import QdrantClient, models
from qdrant_client import grpc as wire
from qdrant_client.conversions.conversion import GrpcToRest, RestToGrpc
from qdrant_client.grpc import collections_service_pb2_grpc, points_service_pb2_grpc

Fault = Callable[[grpc.ServicerContext], object]

_READING: Final = {"QueryBatch", "Scroll", "Get", "CollectionExists"}
_WRITING: Final = {"Upsert", "Delete"}


def failing(code: grpc.StatusCode, details: str = "told to") -> Fault:
    """A request that ends with `code`."""

    def fail(context: grpc.ServicerContext) -> None:
        context.abort(code, details)

    return fail


@dataclass
class Held:
    """What a collection is beside its points: local mode keeps no indexes."""

    created: wire.CreateCollection
    indexes: dict[str, models.PayloadIndexInfo] = field(default_factory=dict)


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
        points_service_pb2_grpc.add_PointsServicer_to_server(_points(self), self._server)
        collections_service_pb2_grpc.add_CollectionsServicer_to_server(
            _collections(self), self._server
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


def _servicer(base: type, stand_in: StandIn, answers: Mapping[str, Callable[[Any], Any]]) -> Any:
    """An instance of a generated servicer whose methods are `answers`."""

    def method(name: str, answer: Callable[[Any], Any]) -> Callable[..., Any]:
        return lambda _, request, context: stand_in.handle(name, answer, request, context)

    return type("Servicer", (base,), {name: method(name, a) for name, a in answers.items()})()


def _collections(stand_in: StandIn) -> Any:
    local, held = stand_in.local, stand_in.held
    done = wire.CollectionOperationResponse(result=True)

    def create(request: wire.CreateCollection) -> wire.CollectionOperationResponse:
        local.create_collection(
            request.collection_name,
            vectors_config=GrpcToRest.convert_vectors_config(request.vectors_config),
            sparse_vectors_config=GrpcToRest.convert_sparse_vector_config(
                request.sparse_vectors_config
            ),
        )
        held[request.collection_name] = Held(request)
        return done

    def get(request: wire.GetCollectionInfoRequest) -> wire.GetCollectionInfoResponse:
        info = local.get_collection(request.collection_name)
        info.payload_schema = held[request.collection_name].indexes
        if stand_in.statuses:
            info.status = stand_in.statuses.pop(0)
        return wire.GetCollectionInfoResponse(result=RestToGrpc.convert_collection_info(info))

    def delete(request: wire.DeleteCollection) -> wire.CollectionOperationResponse:
        held.pop(request.collection_name, None)
        existed = local.collection_exists(request.collection_name)
        if existed:
            local.delete_collection(request.collection_name)
        return wire.CollectionOperationResponse(result=existed)

    def exists(request: wire.CollectionExistsRequest) -> wire.CollectionExistsResponse:
        found = wire.CollectionExists(exists=local.collection_exists(request.collection_name))
        return wire.CollectionExistsResponse(result=found)

    def listed(request: wire.ListCollectionsRequest) -> wire.ListCollectionsResponse:
        names = [wire.CollectionDescription(name=name) for name in held]
        return wire.ListCollectionsResponse(collections=names)

    return _servicer(
        collections_service_pb2_grpc.CollectionsServicer,
        stand_in,
        {
            "Create": create,
            "Get": get,
            "Update": lambda _: done,
            "Delete": delete,
            "CollectionExists": exists,
            "List": listed,
            **_naming(local),
        },
    )


def _naming(local: QdrantClient) -> dict[str, Callable[[Any], Any]]:
    def aliases(request: wire.ListAliasesRequest) -> wire.ListAliasesResponse:
        found = [RestToGrpc.convert_alias_description(a) for a in local.get_aliases().aliases]
        return wire.ListAliasesResponse(aliases=found)

    def change_aliases(request: wire.ChangeAliases) -> wire.CollectionOperationResponse:
        local.update_collection_aliases(
            [GrpcToRest.convert_alias_operations(action) for action in request.actions]
        )
        return wire.CollectionOperationResponse(result=True)

    return {"ListAliases": aliases, "UpdateAliases": change_aliases}


def _points(stand_in: StandIn) -> Any:
    local, held = stand_in.local, stand_in.held
    done = wire.PointsOperationResponse(
        result=wire.UpdateResult(operation_id=0, status=wire.UpdateStatus.Completed)
    )

    def upsert(request: wire.UpsertPoints) -> wire.PointsOperationResponse:
        points = [GrpcToRest.convert_point_struct(point) for point in request.points]
        _check_lengths(local.get_collection(request.collection_name), points)
        local.upsert(request.collection_name, points)
        return done

    def delete(request: wire.DeletePoints) -> wire.PointsOperationResponse:
        local.delete(
            request.collection_name,
            models.FilterSelector(filter=GrpcToRest.convert_filter(request.points.filter)),
        )
        return done

    def scroll(request: wire.ScrollPoints) -> wire.ScrollResponse:
        records, following = local.scroll(
            request.collection_name,
            scroll_filter=GrpcToRest.convert_filter(request.filter),
            limit=request.limit,
            offset=GrpcToRest.convert_point_id(request.offset)
            if request.HasField("offset")
            else None,
            with_vectors=list(request.with_vectors.include.names) or False,
        )
        return wire.ScrollResponse(
            result=[RestToGrpc.convert_retrieved_point(record) for record in records],
            next_page_offset=following and RestToGrpc.convert_extended_point_id(following),
        )

    def query(request: wire.QueryBatchPoints) -> wire.QueryBatchResponse:
        answers = local.query_batch_points(
            request.collection_name,
            [_query(points) for points in request.query_points],
        )
        return wire.QueryBatchResponse(
            result=[
                wire.BatchResult(
                    result=[RestToGrpc.convert_scored_point(point) for point in answer.points]
                )
                for answer in answers
            ]
        )

    def count(request: wire.CountPoints) -> wire.CountResponse:
        counted = local.count(request.collection_name).count
        return wire.CountResponse(result=wire.CountResult(count=counted))

    def index(request: wire.CreateFieldIndexCollection) -> wire.PointsOperationResponse:
        held[request.collection_name].indexes[request.field_name] = models.PayloadIndexInfo(
            data_type=models.PayloadSchemaType.KEYWORD,
            params=GrpcToRest.convert_payload_schema_params(request.field_index_params),
            points=0,
        )
        return done

    return _servicer(
        points_service_pb2_grpc.PointsServicer,
        stand_in,
        {
            "Upsert": upsert,
            "Delete": delete,
            "Scroll": scroll,
            "QueryBatch": query,
            "Count": count,
            "CreateFieldIndex": index,
        },
    )


def _query(points: wire.QueryPoints) -> models.QueryRequest:
    """Without the parameters: local mode compares all, and warns of them."""
    query = GrpcToRest.convert_query_points(points)
    query.params = None
    return query


def _check_lengths(info: models.CollectionInfo, points: Sequence[models.PointStruct]) -> None:
    """Local mode takes any length."""
    vectors = info.config.params.vectors
    assert isinstance(vectors, dict)
    for point in points:
        assert isinstance(point.vector, dict)
        for name, expected in vectors.items():
            given = point.vector[name]
            if isinstance(given, list) and len(given) != expected.size:
                message = (
                    "Wrong input: Vector dimension error: "
                    f"expected dim: {expected.size}, got {len(given)}"
                )
                raise ValueError(message)


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
