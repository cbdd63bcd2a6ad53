"""Stored edges as the edges of an answer."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from central.corpus.models import File, Reference
from central.db import fetch_rows, sql_with
from central.trace.edges import Edge
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Key, ResolvedDefinition
from central.trace.resolve.references import COLUMNS, Names, ReferenceSite, columns_of
from central.trace.resolve.resolve import Confidence
from central.trace.stored.models import Edge as StoredEdge
from central.trace.stored.models import Path
from central.trace.stored.rows import UNRESOLVED
from central.trace.stored.surroundings import files_at

_EDGE: Final = """e.target, e.name, e.kind, e.rule, e.confidence, e.candidates, e.is_alias,
    e.via, e.receiver, e.receiver_name, e.written, e.written_name, e.model"""
_sql = sql_with(
    columns=COLUMNS, edge_columns=_EDGE, edge=StoredEdge, path=Path, file=File, reference=Reference
)
_TO: Final = _sql("""WITH q AS MATERIALIZED (
        SELECT p.id, q.name FROM unnest(%s::bigint[], %s::text[]) AS q (file, name)
        JOIN {file} f ON f.id = q.file
        JOIN {path} p ON p.repository_id = f.repository_id AND p.path = f.path)
    SELECT {columns}, {edge_columns}
    FROM q JOIN {edge} e ON e.target = q.id AND e.name = q.name
        AND e.repository_id = ANY(%s::bigint[])
    CROSS JOIN LATERAL unnest(e.references) AS u (id)
    JOIN {reference} r ON r.id = u.id JOIN {file} f ON f.id = r.file_id""")
_THROUGH: Final = _sql("""WITH q AS MATERIALIZED (
        SELECT p.id, q.name, q.member
        FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS q (file, name, member)
        JOIN {file} f ON f.id = q.file
        JOIN {path} p ON p.repository_id = f.repository_id AND p.path = f.path)
    SELECT {columns}, {edge_columns}
    FROM q JOIN {edge} e ON e.receiver = q.id AND e.receiver_name = q.name
        AND split_part(e.name, '.', -1) = q.member AND e.written IS NULL
        AND e.repository_id = ANY(%s::bigint[])
    CROSS JOIN LATERAL unnest(e.references) AS u (id)
    JOIN {reference} r ON r.id = u.id JOIN {file} f ON f.id = r.file_id
    WHERE r.access <> 'base'""")
_NOWHERE: Final = _sql("""SELECT {columns}
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
    JOIN {edge} e ON e.target IS NULL AND e.name = q.name AND e.ecosystem = q.ecosystem
        AND e.rule = ANY(%s::text[]) AND e.repository_id = ANY(%s::bigint[])
    CROSS JOIN LATERAL unnest(e.references) AS u (id)
    JOIN {reference} r ON r.id = u.id JOIN {file} f ON f.id = r.file_id
    LIMIT %s""")
_UNRESOLVED: Final = _sql("""SELECT coalesce(sum(cardinality(e.references)), 0)::bigint
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
    JOIN {edge} e ON e.target IS NULL AND e.name = q.name AND e.ecosystem = q.ecosystem
        AND e.rule = 'unresolved' AND e.repository_id = ANY(%s::bigint[])""")


def stored_edges_to(resolver: BatchResolver, keys: Sequence[Key]) -> list[Edge]:
    """Return the edges to these definitions."""
    return _edges(fetch_rows(_TO, [*columns_of(keys), resolver.repositories]))


def stored_edges_through(
    resolver: BatchResolver, members: Iterable[tuple[int, str, str]]
) -> list[Edge]:
    """Return edges to members of a name, through instances of a class (file, name, member)."""
    asked = sorted(set(members))
    columns = [list(column) for column in zip(*asked, strict=True)]
    return _edges(fetch_rows(_THROUGH, [*columns, resolver.repositories])) if asked else []


def sites_leading_nowhere(
    resolver: BatchResolver, names: Names, *, limit: int, rules: Sequence[str] = (UNRESOLVED,)
) -> list[ReferenceSite]:
    """Return references of these names that lead to no visible definition."""
    asked = [*columns_of(names), list(rules), resolver.repositories, limit]
    return [ReferenceSite(*row) for row in fetch_rows(_NOWHERE, asked)]


def count_unresolved(resolver: BatchResolver, names: Names) -> int:
    """Count the references of these names of which nothing tells what they mean."""
    [(count,)] = fetch_rows(_UNRESOLVED, [*columns_of(names), resolver.repositories])
    return int(count)


_SITE: Final = len(ReferenceSite._fields)


def _edges(rows: Sequence[tuple[Any, ...]]) -> list[Edge]:
    paths = set()
    for row in rows:
        target, *_, via, receiver, _, written, _, _ = row[_SITE:]
        paths |= {target, *via, receiver or 0, written or 0}
    files = files_at(paths) if rows else {}
    return [_edge(ReferenceSite(*row[:_SITE]), files, *row[_SITE:]) for row in rows]


def _edge(site: ReferenceSite, files: dict[int, int], *row: Any) -> Edge:
    (
        target, name, kind, rule, confidence, candidates, is_alias,
        via, receiver, receiver_name, written, written_name, model,
    ) = row
    key = (files[target], name)
    definition = ResolvedDefinition(
        *((files[written], written_name) if written else key),
        kind,
        rule=rule,
        via_files=tuple(files[path] for path in via),
        receiver=(files.get(receiver, 0), receiver_name) if receiver_name else None,
        is_alias=is_alias,
        model=model,
    )
    return Edge(site, key, definition, rule, Confidence(confidence), candidates)
