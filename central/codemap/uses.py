"""What packages use of one another, by stored edges and what is resolved beside them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import Confidence
from central.codemap.currency import Beside
from central.corpus.models import File
from central.db import fetch_rows, id_array, sql_with
from central.trace.resolve.engine import BatchResolver
from central.trace.stored.models import Edge as StoredEdge
from central.trace.stored.models import PackageImport, Path, Source
from central.trace.stored.package_imports import (
    PackagePlace,
    imported_by,
    imports_in,
    package_imports,
)
from central.trace.stored.state import CURRENT

_sql = sql_with(
    current=CURRENT,
    edge=StoredEdge,
    imported=PackageImport,
    source=Source,
    path=Path,
    file=File,
)
# Where the files at paths belong, and whether their own edges are current. `written`: the class is
# used too, and is counted.
_CALLS: Final = _sql("""WITH place AS MATERIALIZED (
        SELECT p.id, f.repository_id, coalesce(f.package_id, 0) AS package,
            s.path_id IS NOT NULL AND {current} AS is_current
        FROM {path} p JOIN {file} f ON f.repository_id = p.repository_id AND f.path = p.path
        LEFT JOIN {source} s ON s.path_id = p.id
        WHERE f.repository_id = ANY(%s::bigint[])),
    calls AS (
        SELECT e.source, e.target, sum(cardinality(e.references)) AS count FROM {edge} e
        WHERE (e.is_foreign OR e.repository_id = %s::bigint) AND e.written IS NULL
            AND e.confidence >= %s::int AND e.repository_id = ANY(%s::bigint[])
        GROUP BY 1, 2)
    SELECT f.repository_id, f.package, t.repository_id, t.package, sum(count)::bigint
    FROM calls JOIN place f ON f.id = calls.source AND f.is_current
    JOIN place t ON t.id = calls.target
    WHERE (f.repository_id, f.package) <> (t.repository_id, t.package)
    GROUP BY 1, 2, 3, 4""")
_USES: Final = _sql("""SELECT e.repository_id, coalesce(f.package_id, 0),
        t.repository_id, coalesce(t.package_id, 0), t.id, e.name,
        sum(cardinality(e.references))::bigint
    FROM {edge} e JOIN {source} s ON s.path_id = e.source AND {current}
    JOIN {file} f ON f.id = s.file_id
    JOIN {path} p ON p.id = e.target
    JOIN {file} t ON t.repository_id = p.repository_id AND t.path = p.path
    WHERE (e.is_foreign OR e.repository_id = %s::bigint) AND e.written IS NULL
        AND (f.repository_id <> t.repository_id
            OR f.package_id IS DISTINCT FROM t.package_id)
        AND e.confidence >= %s::int
        AND e.repository_id = ANY(%s::bigint[]) AND t.repository_id = ANY(%s::bigint[])
    GROUP BY 1, 2, 3, 4, 5, 6""")
_IMPORTS: Final = _sql("""SELECT i.repository_id, coalesce(f.package_id, 0),
        i.target_repository, i.target_package, sum(i.imports)::bigint
    FROM {imported} i JOIN {source} s ON s.path_id = i.source AND {current}
    JOIN {file} f ON f.id = s.file_id
    WHERE (i.repository_id <> i.target_repository OR i.repository_id = %s::bigint)
        AND i.repository_id = ANY(%s::bigint[]) AND i.target_repository = ANY(%s::bigint[])
    GROUP BY 1, 2, 3, 4""")
_PLACES: Final = _sql("""SELECT f.id, f.repository_id, coalesce(f.package_id, 0) FROM {file} f
    WHERE f.id = ANY(%s::bigint[])""")


class Use(NamedTuple):
    """A package uses a definition of another one."""

    user: PackagePlace
    provider: PackagePlace
    file: int  # of the definition
    name: str  # its qualified name


def uses(
    resolver: BatchResolver,
    beside: Beside,
    *,
    inside: int,
    of: int = 0,
    min_confidence: Confidence,
) -> Mapping[Use, int]:
    """Return how many references are such a use, with at least this confidence.

    Between repositories, and between the packages that are `inside` one, if it is not 0. Only of
    definitions `of` one, if it is not 0; it must be visible.
    """
    seen = resolver.repositories
    providers = id_array([of]) if of else seen
    asked = [beside.hidden, inside, int(min_confidence), seen, providers]
    counts: Counter[Use] = Counter()
    for *four, file, name, count in fetch_rows(_USES, asked):
        counts[Use(PackagePlace(*four[:2]), PackagePlace(*four[2:]), file, name)] = count
    counts.update(_beside(beside, inside, of, min_confidence))
    return counts


def _beside(beside: Beside, inside: int, of: int, min_confidence: Confidence) -> Iterator[Use]:
    """Yield a use for each reference beside the stored ones."""
    places = _places({edge.target[0] for edge in beside.edges})
    for edge in beside.edges:
        user = PackagePlace(edge.site.repository, edge.site.package)
        use = Use(user, places[edge.target[0]], *edge.target)
        is_sure = edge.confidence >= min_confidence and not edge.is_to_constructor
        if is_sure and _is_asked(user, use.provider, inside, of):
            yield use


def calls(
    resolver: BatchResolver, beside: Beside, *, inside: int, min_confidence: Confidence
) -> Mapping[tuple[PackagePlace, PackagePlace], int]:
    """Return how many references of a package lead into another one; as `uses`, without them."""
    seen = resolver.repositories
    asked = [beside.hidden, seen, inside, int(min_confidence), seen]
    counts: Counter[tuple[PackagePlace, PackagePlace]] = Counter()
    for *four, count in fetch_rows(_CALLS, asked):
        counts[PackagePlace(*four[:2]), PackagePlace(*four[2:])] = count
    for use in _beside(beside, inside, 0, min_confidence):
        counts[use.user, use.provider] += 1
    return counts


def imports(
    resolver: BatchResolver, beside: Beside, *, inside: int, of: int = 0
) -> Mapping[tuple[PackagePlace, PackagePlace], int]:
    """Return how many imports of a package lead into another one; as `uses`."""
    seen = resolver.repositories
    providers = id_array([of]) if of else seen
    counts: Counter[tuple[PackagePlace, PackagePlace]] = Counter()
    for *four, count in fetch_rows(_IMPORTS, [beside.hidden, inside, seen, providers]):
        counts[PackagePlace(*four[:2]), PackagePlace(*four[2:])] = count
    statements = imports_in(resolver, beside.files) if beside.files else {}
    found = {file: imported_by(resolver, several) for file, several in statements.items()}
    for (file, provider), count in package_imports(found).items():
        user = found[file][0].own
        if _is_asked(user, provider, inside, of):
            counts[user, provider] += count
    return counts


def _is_asked(user: PackagePlace, provider: PackagePlace, inside: int, of: int) -> bool:
    if of and provider.repository != of:
        return False
    is_foreign = user.repository != provider.repository
    return is_foreign or (user.repository == inside and user != provider)


def _places(files: Iterable[int]) -> dict[int, PackagePlace]:
    ids = id_array(files)
    return {file: PackagePlace(*place) for file, *place in fetch_rows(_PLACES, [ids])}
