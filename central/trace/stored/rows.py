"""Rows of edges: of what is resolved in a file, and as the edges of an answer."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import Confidence
from central.corpus.models import File, Reference, ScipSymbol
from central.db import Row, copy_into, copy_rows, fetch_rows, id_array, sql_with
from central.trace.edges import Edge, constructor_edges, edges_to
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Bases, Key, ResolvedDefinition
from central.trace.resolve.references import COLUMNS, Names, ReferenceSite, columns_of, sites_in
from central.trace.resolve.resolve import (
    Resolution,
    disagreements,
    resolve,
    with_unresolved,
)
from central.trace.stored.hierarchy import classes_in
from central.trace.stored.models import Edge as StoredEdge
from central.trace.stored.models import Inheritance, Path, Source
from central.trace.stored.recording import Surroundings, files_at

UNRESOLVED: Final = "unresolved"
ELSEWHERE: Final = "elsewhere"
_COPY: Final = copy_into(StoredEdge)
_COPY_BASES: Final = copy_into(Inheritance)
_VIA: Final = 9  # of the columns that references share: a list, which is no key


class Resolved(NamedTuple):
    """The references of a file, with their edges, also to constructors, and bases of classes."""

    resolutions: Sequence[tuple[ReferenceSite, Resolution]]
    edges: Sequence[Edge]
    bases: Collection[tuple[Key, Key]]
    disagreements: int = 0  # references that the rules bind to something else than an index

    def files(self) -> Iterator[int]:
        """Yield the files that the edges and bases name."""
        for class_, base in self.bases:
            yield from (class_[0], base[0])
        for edge in self.edges:
            yield edge.target[0]
            if edge.definition:
                yield edge.definition.file
                yield from edge.definition.via_files
                if edge.definition.receiver:
                    yield edge.definition.receiver[0]


def resolved(
    resolver: BatchResolver, sites: Sequence[ReferenceSite], classes: Sequence[Key] = ()
) -> Resolved:
    """Resolve references and classes; overrides and what only a name links are no edges."""
    resolutions = with_unresolved(resolver, sites, resolve(resolver, sites))
    pairs = list(zip(sites, resolutions, strict=True))
    edges = [edge for site, resolution in pairs for edge in edges_to(site, resolution)]
    edges += constructor_edges(resolver, edges)
    answers = zip(
        classes, resolver.resolve_all([Bases(*class_) for class_ in classes]), strict=True
    )
    bases = {(class_, base.key) for class_, answer in answers for base in answer}
    return Resolved(pairs, edges, bases)


def resolved_files(
    resolver: BatchResolver, files: Mapping[int, int]
) -> Iterator[tuple[int, Resolved]]:
    """Resolve files, together at first, and yield what each has; they are given by path."""
    sites, classes = sites_in(resolver, list(files.values())), classes_in(files.values())
    together = [site for file in files.values() for site in sites[file]]
    resolved(resolver, together, [class_ for file in files.values() for class_ in classes[file]])
    disagreements(resolver, together)
    resolver.taken_rows()
    for path, file in files.items():
        found = resolved(resolver, sites[file], classes[file])
        yield path, found._replace(disagreements=len(disagreements(resolver, sites[file])))


def write_edges(parts: Mapping[int, Resolved], around: Surroundings) -> None:
    """Write the edges and bases of files, given by the ids of their paths."""
    copy_rows(_COPY, edge_rows(parts, around))
    copy_rows(_COPY_BASES, base_rows(parts, around))


def base_rows(parts: Mapping[int, Resolved], around: Surroundings) -> Iterator[Row]:
    """Yield the rows of bases of files, in the order of the columns."""
    for path, part in parts.items():
        for (file, name), (base, base_name) in part.bases:
            yield (path, around.repositories[file], name, around.paths.get(base, 0), base_name)


def edge_rows(parts: Mapping[int, Resolved], around: Surroundings) -> Iterator[Row]:
    """Yield the rows of edges of files, in the order of the columns."""
    return (row for path, part in parts.items() for row in _rows(path, part, around))


def _rows(path: int, part: Resolved, around: Surroundings) -> Iterator[Row]:
    references: dict[Row, list[int]] = defaultdict(list)
    for edge in part.edges:
        references[_leading(edge, around)].append(edge.site.id)
    for site, resolution in part.resolutions:
        if not resolution.targets:
            references[_leading_nowhere(site, resolution)].append(site.id)
    for row, ids in references.items():
        via = list(row[_VIA]) or None
        repository = part.resolutions[0][0].repository
        yield (path, repository, ids, *row[:_VIA], via, *row[_VIA + 1 :])


def _leading(edge: Edge, around: Surroundings) -> Row:
    definition, paths = edge.definition, around.paths
    assert definition is not None  # noqa: S101 - only a name makes an edge without one
    written = definition.key if edge.is_to_constructor else None
    return (
        paths[edge.target[0]],
        edge.target[1],
        definition.kind,
        "",
        edge.rule,
        int(edge.confidence),
        edge.candidates,
        definition.is_certain,
        definition.is_alias,
        tuple(paths[file] for file in definition.via_files),
        paths.get(definition.receiver[0])
        if definition.receiver
        else None,  # a model's class has no file
        definition.receiver[1] if definition.receiver else "",
        paths[written[0]] if written else None,
        written[1] if written else "",
        definition.model,
        around.repositories[edge.target[0]] != edge.site.repository,
    )


def _leading_nowhere(site: ReferenceSite, resolution: Resolution) -> Row:
    rule = UNRESOLVED if resolution.is_unresolved else ELSEWHERE
    certainty = (rule, 0, 0, False, False)
    return (None, site.name, "", site.ecosystem, *certainty, (), None, "", None, "", "", False)


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
    return _sites_leading_nowhere(resolver, names, imported=False, limit=limit)


def imported_from_nowhere(
    resolver: BatchResolver, names: Names, *, limit: int
) -> list[ReferenceSite]:
    """Return references of these names that begin with an import and lead to nothing visible."""
    return _sites_leading_nowhere(resolver, names, imported=True, limit=limit)


def _sites_leading_nowhere(
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
