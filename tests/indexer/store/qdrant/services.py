"""What a stand-in of Qdrant answers: the client's own local mode behind the generated services."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import grpc
from qdrant_client import QdrantClient, models
from qdrant_client import grpc as wire
from qdrant_client.conversions.conversion import GrpcToRest, RestToGrpc
from qdrant_client.grpc import collections_service_pb2_grpc, points_service_pb2_grpc


@dataclass
class Held:
    """What a collection is beside its points: local mode keeps no indexes."""

    created: wire.CreateCollection
    indexes: dict[str, models.PayloadIndexInfo] = field(default_factory=dict)


class Behind(Protocol):
    """What the services need of the server that they answer for."""

    local: QdrantClient
    held: dict[str, Held]
    statuses: list[models.CollectionStatus]

    def handle(
        self, name: str, answer: Callable[[Any], Any], request: Any, context: grpc.ServicerContext
    ) -> Any:
        """Answer a request, or fail."""
        ...


def _servicer(base: type, stand_in: Behind, answers: Mapping[str, Callable[[Any], Any]]) -> Any:
    """An instance of a generated servicer whose methods are `answers`."""

    def method(name: str, answer: Callable[[Any], Any]) -> Callable[..., Any]:
        return lambda _, request, context: stand_in.handle(name, answer, request, context)

    return type("Servicer", (base,), {name: method(name, a) for name, a in answers.items()})()


def collections_servicer(stand_in: Behind) -> Any:
    """Collections and their aliases."""
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


def points_servicer(stand_in: Behind) -> Any:
    """Points and their indexes."""
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
