"""Collections of a Qdrant server: their names and their layout."""

from collections.abc import Collection as Container
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from qdrant_client import QdrantClient, models

from indexer.errors import CollectionMissingError, StoreError, StoreUnavailableError
from indexer.records.vectors import EmbedderSpec
from indexer.retry import Retryable, with_retries
from indexer.store.base import Collection
from indexer.store.qdrant.address import CollectionsPer, QdrantAddress
from indexer.store.qdrant.connection import Connection
from indexer.store.schema import DENSE, TERMS, embedder_key, organization_key

PREFIX = "codesearch_"


@dataclass(frozen=True, slots=True)
class Names:
    """Names of a collection; names of all collections behind `alias` begin with `family`."""

    alias: str
    family: str
    physical: str


def names_of(collection: Collection, per: CollectionsPer) -> Names:
    """Return the names of the Qdrant collection that holds `collection`. Raises StoreError."""
    organization = PREFIX + organization_key(collection.organization)
    alias, family = organization, f"{organization}~"
    if per == "project":
        alias = f"{organization}_{collection.project}"
        family = f"{organization}~{collection.repository}~"
    return Names(alias, family, family + embedder_key(collection.embedder))


@dataclass(frozen=True, slots=True)
class AliasChanges:
    """Aliases to remove, then one to set, if any, in one atomic request."""

    removed: tuple[str, ...] = ()
    target: str | None = None

    def __bool__(self) -> bool:
        return bool(self.removed) or self.target is not None


def after_upsert(names: Names, aliases: Mapping[str, str]) -> AliasChanges:
    """Return the changes to `aliases` (alias → physical) once `names.physical` exists.

    The alias keeps its present embedder; former names of the family are removed.
    """
    own = {alias: name for alias, name in aliases.items() if is_of(names, name)}
    target = own.get(names.alias) or next(iter(sorted(own.values())), names.physical)
    former = tuple(sorted(own.keys() - {names.alias}))
    if names.alias in own:
        return AliasChanges(former)
    displaced = (names.alias,) if names.alias in aliases else ()
    return AliasChanges((*former, *displaced), target)


def before_drop(names: Names, aliases: Mapping[str, str], existing: Container[str]) -> AliasChanges:
    """Return the changes before `names.physical` is deleted together with its aliases."""
    others = sorted(name for name in existing if is_of(names, name) and name != names.physical)
    if not others or aliases.get(names.alias) != names.physical:
        return AliasChanges()
    return AliasChanges((names.alias,), others[0])


def is_of(names: Names, physical: str) -> bool:
    """Whether a physical collection belongs to the same alias."""
    rest = physical.removeprefix(names.family)
    return rest != physical and "~" not in rest


_KEYWORD: Final = models.KeywordIndexType.KEYWORD
_INDEXED_FIELDS: Final = {
    "repository": models.KeywordIndexParams(type=_KEYWORD, is_tenant=True),
    "language": models.KeywordIndexParams(type=_KEYWORD),
    "type": models.KeywordIndexParams(type=_KEYWORD),
    "dirs": models.KeywordIndexParams(type=_KEYWORD),
}
# A collection per project makes many small ones: each segment and each log costs files, memory
# and, for a log, disk from the start (Qdrant's defaults are a segment per core and 32 MB).
_SEGMENTS_OF_PROJECT: Final = 2
_LOG_OF_PROJECT_MB: Final = 4


def make(
    connection: Connection, address: QdrantAddress, names: Names, embedder: EmbedderSpec
) -> None:
    """Create the collection of `names`, its indexes and its alias if missing. Idempotent.

    Raises StoreError if the collection holds vectors of another length.
    """
    if not connection.call(lambda client: client.collection_exists(names.physical)):
        _create(connection, address, names, embedder)
    info = connection.call(lambda client: client.get_collection(names.physical))
    _check_dimensions(info, names, embedder)
    for field in _INDEXED_FIELDS.keys() - info.payload_schema.keys():
        _index(connection, names, field)
    _change_aliases(connection, names, after_upsert(names, _aliases(connection)))


def drop(connection: Connection, names: Names) -> None:
    """Delete the collection; its alias moves to another embedder's collection, if any."""
    _release_alias(connection, names)
    connection.call(lambda client: client.delete_collection(names.physical))


def drop_family(connection: Connection, family: str) -> None:
    """Delete every collection whose name begins with `family`, with its aliases."""
    for name in sorted(_existing(connection)):
        if name.startswith(family):
            connection.call(partial(QdrantClient.delete_collection, collection_name=name))


def drop_if_empty(connection: Connection, names: Names) -> None:
    """Move the alias to another embedder's collection once this one holds no points.

    The collection stays, because a client may be about to write to it.
    """
    try:
        count = connection.call(lambda client: client.count(names.physical, exact=True)).count
    except CollectionMissingError:
        return
    if count == 0:
        _release_alias(connection, names)


def _release_alias(connection: Connection, names: Names) -> None:
    changes = before_drop(names, _aliases(connection), _existing(connection))
    _change_aliases(connection, names, changes)


def wait_until_indexed(connection: Connection, *, seconds: float) -> None:
    """Wait until every collection of this service is indexed. Raises StoreUnavailableError."""
    for name in sorted(_existing(connection)):
        if name.startswith(PREFIX):
            with_retries(partial(_progress, connection, name), seconds=seconds)


def _progress(connection: Connection, name: str) -> models.CollectionStatus | Retryable:
    status = connection.call(lambda client: client.get_collection(name)).status
    if status == models.CollectionStatus.GREY:  # optimisation resumes at any update
        unchanged = models.OptimizersConfigDiff()
        connection.call(lambda client: client.update_collection(name, optimizers_config=unchanged))
    if status in {models.CollectionStatus.GREEN, models.CollectionStatus.RED}:
        return status
    message = f"Qdrant still indexes the collection {name}; ask again later."
    return Retryable(StoreUnavailableError(message))


def _create(
    connection: Connection, address: QdrantAddress, names: Names, embedder: EmbedderSpec
) -> None:
    def create(client: QdrantClient) -> None:
        is_small = address.collections == "project"
        client.create_collection(
            names.physical,
            vectors_config={DENSE: _dense(address, embedder)},
            sparse_vectors_config={TERMS: models.SparseVectorParams()},
            on_disk_payload=True,
            shard_number=address.shards,
            replication_factor=address.replicas,
            optimizers_config=models.OptimizersConfigDiff(
                default_segment_number=_SEGMENTS_OF_PROJECT if is_small else None
            ),
            wal_config=models.WalConfigDiff(
                wal_capacity_mb=_LOG_OF_PROJECT_MB if is_small else None
            ),
        )

    try:
        connection.call(create)
    except StoreError:
        if not connection.call(lambda client: client.collection_exists(names.physical)):
            raise
        # created by another process, or by an earlier attempt whose answer was lost


def _dense(address: QdrantAddress, embedder: EmbedderSpec) -> models.VectorParams:
    """Return the vectors' parameters: inner product of unit vectors, int8 copies in memory."""
    quantized = models.ScalarQuantization(
        scalar=models.ScalarQuantizationConfig(
            type=models.ScalarType.INT8, quantile=0.99, always_ram=True
        )
    )
    is_int8 = address.quantization == "int8"
    return models.VectorParams(
        size=embedder.dimensions,
        distance=models.Distance.DOT,
        on_disk=is_int8,
        hnsw_config=models.HnswConfigDiff(m=16, ef_construct=128),
        quantization_config=quantized if is_int8 else None,
    )


def _check_dimensions(info: models.CollectionInfo, names: Names, embedder: EmbedderSpec) -> None:
    vectors = info.config.params.vectors
    dense = vectors.get(DENSE) if isinstance(vectors, dict) else None
    if dense is None or dense.size != embedder.dimensions:
        found = "no dense vectors of ours" if dense is None else f"{dense.size} dimensions"
        message = (
            f"Qdrant's collection {names.physical} has {found}, and {embedder} has "
            f"{embedder.dimensions}: delete the collection, then index its repositories again."
        )
        raise StoreError(message)


def _index(connection: Connection, names: Names, field: str) -> None:
    connection.call(
        lambda client: client.create_payload_index(
            names.physical, field, field_schema=_INDEXED_FIELDS[field], wait=True
        )
    )


def _aliases(connection: Connection) -> dict[str, str]:
    answer = connection.call(lambda client: client.get_aliases())
    return {alias.alias_name: alias.collection_name for alias in answer.aliases}


def _existing(connection: Connection) -> set[str]:
    answer = connection.call(lambda client: client.get_collections())
    return {collection.name for collection in answer.collections}


def _change_aliases(connection: Connection, names: Names, changes: AliasChanges) -> None:
    operations: list[models.AliasOperations] = [
        models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias))
        for alias in changes.removed
    ]
    if changes.target:
        created = models.CreateAlias(alias_name=names.alias, collection_name=changes.target)
        operations.append(models.CreateAliasOperation(create_alias=created))
    if operations:
        connection.call(lambda client: client.update_collection_aliases(operations))
