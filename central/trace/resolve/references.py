"""References with their context, read or counted by name, by root or by enclosing definition."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from central.corpus.models import File, Import, Reference, ScipSymbol
from central.db import fetch_rows, id_array, sql_with
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Key


class ReferenceSite(NamedTuple):
    """A reference with the context of its file."""

    id: int
    repository: int
    file: int
    path: str
    package: int
    ecosystem: str
    kind: str
    name: str
    binding: str
    root: str
    chain: str
    access: str
    caller: str
    line: int
    column: int
    generated: bool = False
    symbol: str = ""  # what an index bound it to


COLUMNS: Final = """r.id, r.repository_id, r.file_id, f.path, coalesce(f.package_id, 0),
    r.ecosystem, r.kind, r.name, r.binding, r.root, r.chain, r.access, r.caller, r.line, r.column,
    f.generated <> '', CASE WHEN r.symbol_id IS NULL THEN '' ELSE
        (SELECT x.text FROM {scip_symbol} x WHERE x.id = r.symbol_id) END"""
# The last name but one: the receiver of a member.
_CONTAINER = """split_part(concat_ws('.', r.root, nullif(r.chain, '')), '.',
    CASE WHEN r.access = 'path' THEN -2 ELSE -1 END)"""
# An unbound name of these ecosystems is built in unless the file has a wildcard import.
BUILT_IN = """r.binding = 'free' AND r.ecosystem IN ('pypi', 'npm') AND NOT EXISTS (
    SELECT FROM {imported} i WHERE i.file_id = r.file_id AND i.local = '' AND i.wildcard)"""
# What may lead to the definitions that a ReferenceQuery describes.
_LIKELY = """((%s::bool AND r.access = 'path' AND r.binding <> 'local')
            OR (r.access = 'path' AND r.chain = '' AND r.binding = 'local'
                AND r.file_id = ANY(%s::bigint[]))
            OR (%s::bool AND ((r.access = 'path' AND r.chain = '' AND r.binding <> 'local')
                OR {container} = ANY(%s::text[]))))"""
_sql = sql_with(
    likely=_LIKELY,
    container=_CONTAINER,
    built_in=BUILT_IN,
    columns=COLUMNS,
    imported=Import,
    reference=Reference,
    file=File,
    scip_symbol=ScipSymbol,
)
_BOUND = _sql("""SELECT {columns}
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
    JOIN {reference} r ON r.name = q.name AND r.ecosystem = q.ecosystem
        AND r.repository_id = ANY(%s::bigint[]) AND r.binding IN ('local', 'import', 'free')
    JOIN {file} f ON f.id = r.file_id
    WHERE NOT (r.access = 'path' AND r.chain = '' AND r.binding = 'local'
            AND NOT r.file_id = ANY(%s::bigint[]))
        AND (%s::bigint[] IS NULL OR r.file_id = ANY(%s::bigint[]))
        AND NOT ({built_in})
    LIMIT %s""")
_BY_NAME = _sql("""SELECT {columns}
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
    JOIN {reference} r ON r.name = q.name AND r.ecosystem = q.ecosystem
        AND r.repository_id = ANY(%s::bigint[]) AND r.binding IN ('local', 'import', 'free')
    JOIN {file} f ON f.id = r.file_id
    WHERE r.kind <> 'type' AND (%s::text = '' OR r.kind = %s::text)
        AND {likely} AND NOT ({built_in})""")
_BY_ROOT = _sql("""SELECT {columns}
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, root)
    JOIN {reference} r ON r.file_id = q.file AND r.root = q.root AND r.binding = 'import'
    JOIN {file} f ON f.id = r.file_id
    WHERE r.kind <> 'type' AND r.repository_id = ANY(%s::bigint[])
        AND (%s::text = '' OR r.kind = %s::text)
        AND (%s::text[] IS NULL OR r.name = ANY(%s::text[]))""")
_BOUND_BY_INDEX = _sql("""SELECT {columns}
    FROM {scip_symbol} q
    JOIN {reference} r ON r.symbol_id = q.id
    JOIN {file} f ON f.id = r.file_id
    WHERE q.name = ANY(%s::text[]) AND q.repository_id = ANY(%s::bigint[])
        AND (r.kind = 'type') = %s::bool
        AND (%s::bigint[] IS NULL OR r.file_id = ANY(%s::bigint[]))
    LIMIT %s""")
_TYPES = _sql("""SELECT {columns}
    FROM {reference} r JOIN {file} f ON f.id = r.file_id
    WHERE split_part(CASE WHEN r.chain = '' THEN r.root ELSE r.chain END, '.', -1)
            = ANY(%s::text[])
        AND r.repository_id = ANY(%s::bigint[]) AND r.kind = 'type'
    LIMIT %s""")
_TYPES_BY_ROOT = _sql("""SELECT {columns}
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, root)
    JOIN {reference} r ON r.file_id = q.file AND r.root = q.root AND r.kind = 'type'
    JOIN {file} f ON f.id = r.file_id
    WHERE r.repository_id = ANY(%s::bigint[])
    LIMIT %s""")
_GIVEN = _sql("""SELECT {columns}
    FROM {reference} r JOIN {file} f ON f.id = r.file_id
    WHERE split_part(CASE WHEN r.chain = '' THEN r.root ELSE r.chain END, '.', -1)
            = ANY(%s::text[])
        AND r.repository_id = ANY(%s::bigint[]) AND r.kind = 'type' AND r.access = 'path'
        AND r.ecosystem = 'npm' AND r.caller LIKE '<%%.(0)'
    LIMIT %s""")
_OPEN = _sql("""SELECT {columns}
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
    JOIN {reference} r ON r.name = q.name AND r.ecosystem = q.ecosystem
        AND r.repository_id = ANY(%s::bigint[]) AND r.binding IN ('unknown', 'free')
    JOIN {file} f ON f.id = r.file_id
    WHERE r.kind <> 'type' AND (r.binding = 'unknown' OR {built_in}) AND r.symbol_id IS NULL
        AND (%s::bigint[] IS NULL OR r.file_id = ANY(%s::bigint[])) LIMIT %s""")
_UNLIKELY = _sql("""SELECT {columns}, count(*) OVER ()
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
    JOIN {reference} r ON r.name = q.name AND r.ecosystem = q.ecosystem
        AND r.repository_id = ANY(%s::bigint[]) AND r.binding IN ('local', 'import', 'free')
    JOIN {file} f ON f.id = r.file_id
    WHERE NOT (r.access = 'path' AND r.chain = '' AND r.binding = 'local')
        AND NOT {likely} AND NOT ({built_in})
        AND (%s::bigint[] IS NULL OR r.file_id = ANY(%s::bigint[]))
    ORDER BY r.id LIMIT %s""")
_FILES = _sql("""SELECT f.id, f.path,
        (SELECT count(*) FROM {reference} r WHERE r.file_id = f.id)
    FROM (SELECT f.id, f.path FROM {file} f
        WHERE f.repository_id = %s::bigint AND f.repository_id = ANY(%s::bigint[])
            AND f.path >= %s::text AND (%s::bool OR f.path > %s::text)
        ORDER BY f.path LIMIT %s) AS f
    ORDER BY f.path""")
_OF_FILES = _sql("""SELECT {columns}
    FROM unnest(%s::bigint[]) AS q (file)
    CROSS JOIN LATERAL (SELECT f.path, f.package_id, f.generated FROM {file} f
        WHERE f.id = q.file AND f.repository_id = ANY(%s::bigint[]) OFFSET 0) AS f
    CROSS JOIN LATERAL (SELECT r.* FROM {reference} r
        WHERE r.file_id = q.file OFFSET 0) AS r
    WHERE r.kind <> 'type' AND (f.path > %s::text OR r.id > %s::bigint)
    ORDER BY f.path, r.id LIMIT %s""")
_IN = _sql("""SELECT {columns} FROM {reference} r JOIN {file} f ON f.id = r.file_id
    WHERE r.file_id = ANY(%s::bigint[]) AND r.repository_id = ANY(%s::bigint[])
        AND r.kind <> 'type'
    ORDER BY r.id""")
# A file may have many of the definitions; its references are read once.
_WITHIN = _sql(r"""SELECT {columns}
    FROM (SELECT file, array_agg(name) AS names,
            array_agg(regexp_replace(name, '([\\%%_])', '\\\1', 'g') || '.%%') AS inside
        FROM unnest(%s::bigint[], %s::text[]) AS q (file, name) GROUP BY file) AS q
    CROSS JOIN LATERAL (SELECT f.path, f.package_id, f.generated FROM {file} f
        WHERE f.id = q.file AND f.repository_id = ANY(%s::bigint[]) OFFSET 0) AS f
    CROSS JOIN LATERAL (SELECT r.* FROM {reference} r
        WHERE r.file_id = q.file AND (r.caller = ANY(q.names) OR r.caller LIKE ANY(q.inside))
        OFFSET 0) AS r
    WHERE r.kind <> 'type'""")

_AT = _sql("""SELECT {columns}
    FROM {reference} r JOIN {file} f ON f.id = r.file_id
    WHERE f.repository_id = %s::bigint AND f.repository_id = ANY(%s::bigint[])
        AND f.path = %s::text AND r.line = %s::int
        AND (r.kind <> 'type' OR r.binding = 'scip')
        AND r.column <= %s::int AND r.column + greatest(length(r.name), 1) > %s::int
    ORDER BY r.column DESC, r.id LIMIT %s""")

_SITES_AT: Final = 20
_GIVEN_SITES: Final = 1_000  # calls that are given a component of one name
Names = Sequence[tuple[str, str]]  # (name, ecosystem)


class ReferenceQuery(NamedTuple):
    """A query for references of these names in their ecosystems.

    `files` contain the definitions, of which one is at top level if `at_top`. `containers` are the
    names of receivers of the members sought; None if no member is sought.
    """

    names: Names
    files: Sequence[int]
    at_top: bool
    containers: Sequence[str] | None
    kind: str = ""


def bound_sites(
    resolver: BatchResolver,
    names: Names,
    files: Sequence[int],
    *,
    within: Collection[int] | None,
    limit: int,
) -> list[ReferenceSite]:
    """Read at most `limit` references of these names that their file binds, in no order.

    Of those that are bound to a definition of their own file by its bare name, only the ones in
    `files`. If `within` is given, only those in these files.
    """
    asked = [*columns_of(names), resolver.repositories, id_array(files), *_allowed(within), limit]
    return [ReferenceSite(*row) for row in fetch_rows(_BOUND, asked)]


def indexed_sites(
    resolver: BatchResolver,
    names: Sequence[str],
    *,
    within: Collection[int] | None,
    limit: int,
    as_types: bool = False,
) -> list[ReferenceSite]:
    """Read at most `limit` references that an index binds to what has one of the names.

    Uses of types in annotations are others: only these if `as_types`.
    """
    asked = [list(names), resolver.repositories, as_types, *_allowed(within), limit]
    return [ReferenceSite(*row) for row in fetch_rows(_BOUND_BY_INDEX, asked)]


def sites_named(resolver: BatchResolver, query: ReferenceQuery) -> list[ReferenceSite]:
    """Read references that their file binds and that match the query."""
    asked = [
        *columns_of(query.names),
        resolver.repositories,
        query.kind,
        query.kind,
        *_likely(query),
    ]
    return [ReferenceSite(*row) for row in fetch_rows(_BY_NAME, asked)]


def _likely(query: ReferenceQuery) -> list[object]:
    files, containers = id_array(query.files), list(query.containers or ())
    return [query.at_top, files, query.containers is not None, containers]


def sites_rooted(
    resolver: BatchResolver,
    roots: Iterable[Key],
    *,
    kind: str = "",
    names: Sequence[str] | None = None,
) -> list[ReferenceSite]:
    """Read references that begin with an import's local name, given as (file, local name).

    `names` limits them to those that end in one of the names.
    """
    keys = list(dict.fromkeys(roots))
    if not keys:
        return []
    asked = [*columns_of(keys), resolver.repositories, kind, kind, names, names]
    return [ReferenceSite(*row) for row in fetch_rows(_BY_ROOT, asked)]


def type_sites(
    resolver: BatchResolver, names: Sequence[str], roots: Iterable[Key], *, limit: int
) -> list[ReferenceSite]:
    """Read up to `limit` TYPE references that end in one of the names or begin with an import."""
    keys = sorted(set(roots))
    rows = fetch_rows(_TYPES, [list(names), resolver.repositories, limit])
    if keys:
        rows += fetch_rows(_TYPES_BY_ROOT, [*columns_of(keys), resolver.repositories, limit])
    return list(dict.fromkeys(ReferenceSite(*row) for row in rows))[:limit]


def given_sites(resolver: BatchResolver, names: Sequence[str]) -> list[ReferenceSite]:
    """Read the TYPE references of first arguments of calls in JavaScript, by their names."""
    rows = fetch_rows(_GIVEN, [list(names), resolver.repositories, _GIVEN_SITES])
    return [ReferenceSite(*row) for row in rows]


def sites_within(resolver: BatchResolver, definitions: Iterable[Key]) -> list[ReferenceSite]:
    """Read references inside these definitions, also in nested ones."""
    keys = list(dict.fromkeys(definitions))
    if not keys:
        return []
    rows = fetch_rows(_WITHIN, [*columns_of(keys), resolver.repositories])
    return [ReferenceSite(*row) for row in rows]


class CountedFile(NamedTuple):
    """A file and the number of its references, including TYPE references."""

    id: int
    path: str
    references: int


def files_from(
    resolver: BatchResolver, repository: int, path: str, *, inclusive: bool, limit: int
) -> list[CountedFile]:
    """Read files of a repository in order of path, after `path` or from it on."""
    asked = [repository, resolver.repositories, path, inclusive, path, limit]
    rows = fetch_rows(_FILES, asked)
    return [CountedFile(*row) for row in rows]


def sites_of_files(
    resolver: BatchResolver, files: Sequence[CountedFile], *, after: tuple[str, int], limit: int
) -> list[ReferenceSite]:
    """Read references in these files in order of path and id, after such a pair."""
    ids = id_array(file.id for file in files)
    rows = fetch_rows(_OF_FILES, [ids, resolver.repositories, *after, limit])
    return [ReferenceSite(*row) for row in rows]


def sites_in(resolver: BatchResolver, files: Sequence[int]) -> Mapping[int, list[ReferenceSite]]:
    """Read all references of these files, by file."""
    found: dict[int, list[ReferenceSite]] = defaultdict(list)
    for row in fetch_rows(_IN, [id_array(files), resolver.repositories]):
        site = ReferenceSite(*row)
        found[site.file].append(site)
    return found


def sites_at(
    resolver: BatchResolver, repository: int, path: str, *, line: int, column: int
) -> list[ReferenceSite]:
    """Read the references whose names cover a position, the last to begin first.

    Few: for different uses of a name, or with a name that is not written there.
    """
    asked = [repository, resolver.repositories, path, line, column, column, _SITES_AT]
    return [ReferenceSite(*row) for row in fetch_rows(_AT, asked)]


def unresolved_sites(
    resolver: BatchResolver, names: Names, *, within: Collection[int] | None, limit: int
) -> list[ReferenceSite]:
    """Read references of these names that no file binds, in no order."""
    asked = [*columns_of(names), resolver.repositories, *_allowed(within), limit]
    rows = fetch_rows(_OPEN, asked)
    return [ReferenceSite(*row) for row in rows]


def unlikely_sites(
    resolver: BatchResolver,
    query: ReferenceQuery,
    *,
    within: Collection[int] | None,
    limit: int,
) -> tuple[list[ReferenceSite], int]:
    """Read bound references that do not match the query but for their names; and count all.

    Without those that are bound to a definition of their own file by its bare name.
    """
    names = columns_of(query.names)
    asked = [*names, resolver.repositories, *_likely(query), *_allowed(within), limit]
    rows = fetch_rows(_UNLIKELY, asked)
    return [ReferenceSite(*row[:-1]) for row in rows], rows[0][-1] if rows else 0


def _allowed(within: Collection[int] | None) -> list[object]:
    """Return the parameters that allow these files alone, or all."""
    allowed = None if within is None else id_array(within)
    return [allowed, allowed]


def columns_of(pairs: Sequence[tuple[object, object]]) -> list[list[object]]:
    """Return pairs as two columns: parameters of `unnest`."""
    return [[left for left, _ in pairs], [other for _, other in pairs]]


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
