"""Counts of references by name, from index-only scans."""

from typing import NamedTuple

from central.corpus.models import Import, Reference, ScipSymbol
from central.db import fetch_rows, sql_with
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.references import BUILT_IN, Names, columns_of

_sql = sql_with(built_in=BUILT_IN, imported=Import, reference=Reference, scip_symbol=ScipSymbol)
# Capped, so what is taken away of a count is added to its limit.
_ALL = _sql("""\
WITH q AS (SELECT * FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)),
    seen AS (SELECT %s::bigint[] AS ids, %s::bigint AS most),
    indexed AS MATERIALIZED (
        SELECT count(*) FILTER (WHERE r.kind = 'type') AS types,
            count(*) FILTER (WHERE r.binding = 'unknown' OR {built_in}) AS unbound
        FROM q JOIN {scip_symbol} x ON x.name = q.name
            AND x.repository_id = ANY((SELECT ids FROM seen)::bigint[])
        JOIN {reference} r ON r.symbol_id = x.id AND r.name = q.name
            AND r.ecosystem = q.ecosystem)
    SELECT (SELECT count(*) FROM (SELECT FROM q JOIN {reference} r
            ON r.name = q.name AND r.ecosystem = q.ecosystem AND r.binding = 'unknown'
                AND r.repository_id = ANY((SELECT ids FROM seen)::bigint[])
            LIMIT (SELECT most + unbound FROM seen, indexed)) AS unknown)
        + (SELECT count(*) FROM (SELECT FROM q JOIN {reference} r
            ON r.name = q.name AND r.ecosystem = q.ecosystem AND r.binding = 'free'
                AND r.repository_id = ANY((SELECT ids FROM seen)::bigint[])
            WHERE {built_in} LIMIT (SELECT most + unbound FROM seen, indexed)) AS built_in)
        - (SELECT unbound FROM indexed),
        (SELECT count(*) FROM (SELECT FROM q JOIN {reference} r
            ON r.name = q.name AND r.ecosystem = q.ecosystem
                AND r.repository_id = ANY((SELECT ids FROM seen)::bigint[])
            LIMIT (SELECT most + types FROM seen, indexed)) AS named)
        - (SELECT types FROM indexed)""")
_OF_EACH = _sql("""\
WITH seen AS (SELECT %s::bigint[] AS ids, %s::bigint AS most)
    SELECT q.name, q.ecosystem, (SELECT count(*) FROM (SELECT FROM {reference} r
            WHERE r.name = q.name AND r.ecosystem = q.ecosystem
                AND r.binding IN ('local', 'import', 'free')
                AND r.repository_id = ANY((SELECT ids FROM seen)::bigint[])
            LIMIT (SELECT most FROM seen)) AS bound)
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)""")


class ReferenceCounts(NamedTuple):
    """References of some names: those that no file binds, with built-in names, and all."""

    unbound: int
    total: int


def count_references(resolver: BatchResolver, names: Names, *, limit: int) -> ReferenceCounts:
    """Count the references of these names together: `total` up to `limit`, `unbound` to twice."""
    [row] = fetch_rows(_ALL, [*columns_of(names), resolver.repositories, limit])
    return ReferenceCounts(*row)


def count_bound_references(
    resolver: BatchResolver, names: Names, *, limit: int
) -> dict[tuple[str, str], int]:
    """Return for each name how many references `bound_sites` reads at most, up to `limit`."""
    rows = fetch_rows(_OF_EACH, [resolver.repositories, limit, *columns_of(names)])
    return {(name, ecosystem): count for name, ecosystem, count in rows}
