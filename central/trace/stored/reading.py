"""Stored edges as the edges of an answer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import Confidence
from central.corpus.models import File, Reference, ScipSymbol
from central.db import Row, fetch_rows, id_array, sql_with
from central.trace.edges import Edge
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Key, ResolvedDefinition
from central.trace.resolve.references import COLUMNS, Names, ReferenceSite, columns_of
from central.trace.stored.models import Edge as StoredEdge
from central.trace.stored.models import Path, Source
from central.trace.stored.rows import ELSEWHERE, UNRESOLVED
from central.trace.stored.surroundings import files_at


class _EdgeRow(NamedTuple):
    id: int
    target: int | None
    name: str
    kind: str
    rule: str
    confidence: int
    candidates: int
    is_certain: bool
    is_alias: bool
    via: list[int] | None
    receiver: int | None
    receiver_name: str
    written: int | None
    written_name: str
    model: str


_SITE: Final = len(ReferenceSite._fields)
_sql = sql_with(
    columns=COLUMNS,
    edge_columns=", ".join(f"e.{name}" for name in _EdgeRow._fields),
    edge=StoredEdge,
    path=Path,
    source=Source,
    file=File,
    reference=Reference,
    scip_symbol=ScipSymbol,
    unresolved=f"'{UNRESOLVED}'",
)
_TO: Final = _sql("""WITH q AS MATERIALIZED (
        SELECT p.id, q.name FROM unnest(%s::bigint[], %s::text[]) AS q (file, name)
        JOIN {file} f ON f.id = q.file
        JOIN {path} p ON p.repository_id = f.repository_id AND p.path = f.path)
    SELECT {columns}, {edge_columns}
    FROM q JOIN {edge} e ON e.target = q.id AND e.name = q.name
        AND e.repository_id = ANY(%s::bigint[])
    CROSS JOIN LATERAL unnest(e.references) AS u (id)
    JOIN {reference} r ON r.id = u.id JOIN {file} f ON f.id = r.file_id
    WHERE r.file_id <> ALL(%s::bigint[])""")
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
    WHERE r.access <> 'base' AND r.file_id <> ALL(%s::bigint[])""")
_NOWHERE: Final = _sql("""SELECT {columns}
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
    JOIN {edge} e ON e.target IS NULL AND e.name = q.name AND e.ecosystem = q.ecosystem
        AND e.repository_id = ANY(%s::bigint[]) AND (%s::bool OR e.rule = {unresolved})
    CROSS JOIN LATERAL unnest(e.references) AS u (id)
    JOIN {reference} r ON r.id = u.id JOIN {file} f ON f.id = r.file_id
    WHERE r.file_id <> ALL(%s::bigint[]) AND (r.binding = 'import' OR NOT %s::bool)
    LIMIT %s""")
_UNRESOLVED: Final = _sql("""SELECT coalesce(sum(cardinality(e.references)), 0)::bigint
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
    JOIN {edge} e ON e.target IS NULL AND e.name = q.name AND e.ecosystem = q.ecosystem
        AND e.rule = {unresolved} AND e.repository_id = ANY(%s::bigint[])
    JOIN {source} s ON s.path_id = e.source AND s.file_id <> ALL(%s::bigint[])""")
_FROM: Final = _sql("""SELECT u.id, {edge_columns}
    FROM {source} s JOIN {edge} e ON e.source = s.path_id
    CROSS JOIN LATERAL unnest(e.references) AS u (id)
    WHERE s.file_id = ANY(%s::bigint[]) AND s.repository_id = ANY(%s::bigint[])
        AND u.id = ANY(%s::bigint[])""")


def stored_edges_to(resolver: BatchResolver, keys: Sequence[Key]) -> list[Edge]:
    """Return the edges to these definitions."""
    return _edges(fetch_rows(_TO, [*columns_of(keys), resolver.repositories, resolver.live_ids]))


def stored_edges_through(
    resolver: BatchResolver, members: Iterable[tuple[int, str, str]]
) -> list[Edge]:
    """Return edges to members of a name, through instances of a class (file, name, member)."""
    asked = sorted(set(members))
    columns = [list(column) for column in zip(*asked, strict=True)]
    parameters = [*columns, resolver.repositories, resolver.live_ids]
    return _edges(fetch_rows(_THROUGH, parameters)) if asked else []


def unresolved_in_stored(
    resolver: BatchResolver, names: Names, *, limit: int
) -> list[ReferenceSite]:
    """Return references of these names of which nothing tells what they mean."""
    return _leading_nowhere(resolver, names, imported=False, limit=limit)


def imported_from_nowhere(
    resolver: BatchResolver, names: Names, *, limit: int
) -> list[ReferenceSite]:
    """Return references of these names that begin with an import and lead to nothing visible."""
    return _leading_nowhere(resolver, names, imported=True, limit=limit)


def _leading_nowhere(
    resolver: BatchResolver, names: Names, *, imported: bool, limit: int
) -> list[ReferenceSite]:
    seen, live = resolver.repositories, resolver.live_ids
    asked = [*columns_of(names), seen, imported, live, imported, limit]
    return [ReferenceSite(*row) for row in fetch_rows(_NOWHERE, asked)]


def count_unresolved(resolver: BatchResolver, names: Names) -> int:
    """Count the references of these names of which nothing tells what they mean."""
    [(count,)] = fetch_rows(
        _UNRESOLVED, [*columns_of(names), resolver.repositories, resolver.live_ids]
    )
    return int(count)


class Outgoing(NamedTuple):
    """The stored edges of references, and the references that lead to no visible definition."""

    edges: list[Edge]
    unresolved: list[ReferenceSite]
    elsewhere: list[ReferenceSite]


def stored_edges_from(resolver: BatchResolver, sites: Sequence[ReferenceSite]) -> Outgoing:
    """Return where these references lead, without overrides. None is in a live file."""
    by_id = {site.id: site for site in sites}
    files = id_array({site.file for site in sites})
    rows = fetch_rows(_FROM, [files, resolver.repositories, id_array(by_id)]) if sites else []
    leading, nowhere = list[tuple[ReferenceSite, Row]](), dict[int, str]()
    for number, *row in rows:
        if (edge := _EdgeRow(*row)).target is None:
            nowhere[number] = edge.rule
        else:
            leading.append((by_id[number], edge))
    return Outgoing(
        _edges_of(leading),
        [site for site in sites if nowhere.get(site.id) == UNRESOLVED],
        [site for site in sites if nowhere.get(site.id) == ELSEWHERE],
    )


def _edges(rows: Sequence[Row]) -> list[Edge]:
    return _edges_of([(ReferenceSite(*row[:_SITE]), row[_SITE:]) for row in rows])


def _edges_of(pairs: Sequence[tuple[ReferenceSite, Row]]) -> list[Edge]:
    """Return the edges of references with the columns of `_EdgeRow`, which several share."""
    rows = {row[0]: _EdgeRow(*row) for _, row in pairs}
    paths: set[int] = set()
    for edge in rows.values():
        paths |= {edge.target or 0, *(edge.via or ()), edge.receiver or 0, edge.written or 0}
    files = files_at(paths) if rows else {}
    made = {key: _without_site(edge, files) for key, edge in rows.items()}
    return [Edge(site, *made[row[0]]) for site, row in pairs]


def _without_site(
    row: _EdgeRow, files: Mapping[int, int]
) -> tuple[Key, ResolvedDefinition, str, Confidence, int]:
    """Return the fields of an edge behind its reference."""
    key = (files[row.target or 0], row.name)
    definition = ResolvedDefinition(
        *((files[row.written], row.written_name) if row.written else key),
        row.kind,
        is_certain=row.is_certain,
        rule=row.rule,
        via_files=tuple(files[path] for path in row.via or ()),
        receiver=(files.get(row.receiver or 0, 0), row.receiver_name)
        if row.receiver_name
        else None,
        is_alias=row.is_alias,
        model=row.model,
    )
    return key, definition, row.rule, Confidence(row.confidence), row.candidates
