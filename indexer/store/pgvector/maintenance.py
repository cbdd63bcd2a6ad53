"""Online maintenance of the pgvector store: due indexes, statistics, dead rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isqrt
from typing import Final, NamedTuple

import psycopg
from psycopg import sql

from indexer.store.pgvector.statements import SCHEMA

# So many lists times the square root of the number of points; beyond 2000, k-means takes long.
_LISTS: Final = 2
_MOST_LISTS: Final = 2000
# An index is built for so many points and rebuilt once there are twice as many.
_GROWN: Final = 2
# k-means over 50 points a list keeps a bound for each point and list, and the points.
_SAMPLES: Final = 50
_FLOAT_BYTES: Final = 4
_SORTING_MEGABYTES: Final = 256
_WORKERS: Final = 2
# As autovacuum does by default, but without its minute's delay.
_CHANGED_SHARE: Final = 0.1
_CHANGED_POINTS: Final = 1000

TRY_LOCK = "SELECT pg_try_advisory_lock(hashtextextended('codesearch vector upkeep', 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('codesearch vector upkeep', 0))"
# The planner's estimate of the number of points: by the density of pages at the last ANALYZE.
_PARTITIONS = """
SELECT partition.relname, CASE WHEN relpages > 0 AND reltuples > 0 THEN
        reltuples / relpages * pg_relation_size(partition.oid) / current_setting('block_size')::int
    END,
    pg_stat_get_mod_since_analyze(partition.oid),
    pg_stat_get_dead_tuples(partition.oid) + pg_stat_get_ins_since_vacuum(partition.oid)
FROM pg_class partition JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = %s AND partition.relkind = 'r' AND partition.relispartition
ORDER BY partition.relname
"""
_INDEXES = """
SELECT index.relname, indisvalid,
    (SELECT option_value::int FROM pg_options_to_table(index.reloptions)
        WHERE option_name = 'lists')
FROM pg_index
JOIN pg_class index ON index.oid = indexrelid JOIN pg_am ON pg_am.oid = index.relam
WHERE indrelid = to_regclass(%s) AND amname = 'ivfflat'
"""
_COUNT = "SELECT count(*), max(vector_dims(vector)) FROM {partition}"
_BUILD = """
CREATE INDEX CONCURRENTLY {index} ON {partition} USING ivfflat (vector halfvec_ip_ops)
WITH (lists = {lists})
"""


class Partition(NamedTuple):
    """An organisation's points under one embedder, and the changes since the last maintenance.

    `estimate` is the number of points; None if the partition was never analysed.
    """

    name: str
    estimate: float | None
    unanalyzed: int
    unvacuumed: int


class VectorIndex(NamedTuple):
    """A partition's vector index; it is invalid during its build or after a failed one."""

    name: str
    is_valid: bool
    lists: int


def run(connection: psycopg.Connection, *, exact_points: int) -> None:
    """Index partitions of more than `exact_points`; refresh stale indexes and statistics.

    `connection` is in autocommit mode. Does nothing while another process maintains the store.
    """
    with _maintenance_lock(connection) as is_free:
        for partition in _partitions(connection) if is_free else ():
            _maintain(connection, partition, exact_points)


def vacuum(connection: psycopg.Connection) -> None:
    """Remove dead rows and refresh the planner's statistics unconditionally."""
    for partition in _partitions(connection):
        connection.execute(_of(partition, "VACUUM (ANALYZE) {partition}"))


def vector_indexes(connection: psycopg.Connection, partition: sql.Identifier) -> list[VectorIndex]:
    """Return a partition's vector indexes; none if the partition does not exist."""
    rows = connection.execute(_INDEXES, [partition.as_string(connection)])
    return [VectorIndex(*row) for row in rows]


def _partitions(connection: psycopg.Connection) -> list[Partition]:
    return [Partition(*row) for row in connection.execute(_PARTITIONS, [SCHEMA])]


def _maintain(connection: psycopg.Connection, partition: Partition, exact_points: int) -> None:
    good = []
    for index in vector_indexes(connection, sql.Identifier(SCHEMA, partition.name)):
        if index.is_valid:
            good.append(index)
        else:  # no other process builds: an aborted build left this index
            _drop(connection, index)
    points, build = partition.estimate or 0.0, False
    if partition.estimate is None or _is_due(points, good, exact_points):
        [(points, dimensions)] = connection.execute(_of(partition, _COUNT))  # a full scan
        build = _is_due(points, good, exact_points)
    if build:
        _build(connection, partition, _lists(points), dimensions)
        for outgrown in good:
            _drop(connection, outgrown)
    due = _CHANGED_POINTS + _CHANGED_SHARE * points
    if build or max(partition.unanalyzed, partition.unvacuumed) > due:
        connection.execute(_of(partition, "VACUUM (ANALYZE) {partition}"))


def _is_due(points: float, indexes: Sequence[VectorIndex], exact_points: int) -> bool:
    """Whether so many points need another index than the existing ones."""
    lists = _lists(points)
    return points > exact_points and not any(_is_index_valid(index, lists) for index in indexes)


def _lists(points: float) -> int:
    return min(_LISTS * isqrt(int(points)), _MOST_LISTS)


def _is_index_valid(index: VectorIndex, lists: int) -> bool:
    """Whether the index has nearly enough lists."""
    return lists**2 <= _GROWN * index.lists**2


def _build(
    connection: psycopg.Connection, partition: Partition, lists: int, dimensions: int
) -> None:
    samples = _SAMPLES * lists * (lists + dimensions) * _FLOAT_BYTES
    connection.execute(
        f"SET maintenance_work_mem = '{_SORTING_MEGABYTES + samples // 2**20}MB';"
        f"SET max_parallel_maintenance_workers = {_WORKERS}"
    )
    connection.execute(
        sql.SQL(_BUILD).format(
            index=sql.Identifier(f"{partition.name}_{lists}"),
            partition=sql.Identifier(SCHEMA, partition.name),
            lists=sql.Literal(lists),
        )
    )


def _drop(connection: psycopg.Connection, index: VectorIndex) -> None:
    connection.execute(
        sql.SQL("DROP INDEX CONCURRENTLY {}").format(sql.Identifier(SCHEMA, index.name))
    )


def _of(partition: Partition, statement: str) -> sql.Composed:
    return sql.SQL(statement).format(partition=sql.Identifier(SCHEMA, partition.name))


@contextmanager
def _maintenance_lock(connection: psycopg.Connection) -> Iterator[bool]:
    """Try to take the maintenance lock; yields whether it was free."""
    [(is_free,)] = connection.execute(TRY_LOCK)
    try:
        yield is_free
    finally:
        if is_free and not connection.closed:
            connection.execute(_UNLOCK)
