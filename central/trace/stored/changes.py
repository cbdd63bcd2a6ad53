"""What has changed in a repository since its edges were followed, found by comparison.

Writing the corpus announces nothing: a crash, a restored backup and an older version that
applies a run leave a difference, which the next comparison finds.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from central.corpus.models import (
    Dependency,
    File,
    Module,
    Package,
    Reference,
    ScipDefinition,
    ScipDocument,
    ScipSymbol,
    Symbol,
)
from central.db import fetch_rows, id_array, sql_with
from central.trace.stored.models import FollowedRepository, Path, Source
from central.trace.stored.recording import WatchedKind

_sql = sql_with(
    module_key=WatchedKind.MODULE.key_of_column("m.name"),
    name_key=WatchedKind.NAME.key_of_column("n.name"),
    symbol_key=WatchedKind.SYMBOL.key_of_column("x.text"),
    distribution_key=WatchedKind.DISTRIBUTION.key_of_column("p.ecosystem || ':' || p.name"),
    file=File,
    module=Module,
    package=Package,
    dependency=Dependency,
    reference=Reference,
    symbol=Symbol,
    document=ScipDocument,
    definition=ScipDefinition,
    scip_symbol=ScipSymbol,
    path=Path,
    source=Source,
)
_CHANGED: Final = _sql("""WITH named AS MATERIALIZED (
        SELECT m.file_id, array_agg(DISTINCT {module_key}) AS keys,
            bit_xor(hashtextextended(concat_ws(' ', m.name, m.ecosystem, m.package_id, m.public,
                m.scope), 0)) AS digest
        FROM {module} m WHERE m.repository_id = %s::bigint GROUP BY m.file_id),
    now AS (
        SELECT f.path, f.id, coalesce(named.keys, '{}') AS modules,
            coalesce(named.digest, 0) # coalesce(f.package_id, 0) AS context,
            coalesce(hashtextextended(d.digest || ' ' || d.id, 0), 0) AS scip
        FROM {file} f LEFT JOIN named ON named.file_id = f.id
        LEFT JOIN {document} d ON d.repository_id = f.repository_id AND d.path = f.path
            AND d.file_id = f.id
        WHERE f.repository_id = %s::bigint AND f.skipped = '' AND %s::bool),
    before AS (
        SELECT p.path, s.path_id, s.file_id, s.context, s.modules, s.scip
        FROM {source} s JOIN {path} p ON p.id = s.path_id
        WHERE s.repository_id = %s::bigint)
    SELECT coalesce(now.path, before.path), before.path_id, now.id, now.context, now.scip,
        coalesce(now.modules, '{}'), coalesce(before.modules, '{}'),
        coalesce(now.context = before.context, false)
    FROM now FULL JOIN before ON before.path = now.path
    WHERE now.id IS DISTINCT FROM before.file_id OR now.context IS DISTINCT FROM before.context
        OR now.scip IS DISTINCT FROM before.scip
    ORDER BY 1""")
_NAMES: Final = _sql("""SELECT DISTINCT {name_key} FROM (
        SELECT s.name FROM {symbol} s WHERE s.file_id = ANY(%s::bigint[])
        UNION ALL
        SELECT r.name FROM {reference} r WHERE r.file_id = ANY(%s::bigint[]) AND r.kind = 'type'
            AND r.name <> '') AS n
    UNION SELECT {symbol_key} FROM {definition} d JOIN {scip_symbol} x ON x.id = d.symbol_id
    WHERE d.file_id = ANY(%s::bigint[])""")
# In their order, as the first dependency of a name may decide.
_PACKAGES: Final = _sql("""SELECT coalesce(array_agg(DISTINCT {distribution_key}), '{}'),
        coalesce(hashtextextended(string_agg(md5(concat_ws(' ', p.id, p.version, p.root, p.manifest,
            d.name, d.required, d.pinned, d.locked, d.alias)), '' ORDER BY p.id, d.id), 0), 0)
    FROM {package} p LEFT JOIN {dependency} d ON d.package_id = p.id
    WHERE p.repository_id = %s::bigint""")


class ChangedFile(NamedTuple):
    """A path whose file differs from what was followed.

    `id` is None of a file that is gone, `path_id` of a path that is new.
    """

    path: str
    path_id: int | None
    id: int | None
    context: int | None
    scip: int | None
    modules: list[int]
    modules_before: list[int]
    is_in_place: bool  # only its content has changed


class Packages(NamedTuple):
    """The keys of a repository's distributions, and a digest of what its manifests say."""

    keys: list[int]
    digest: int


def changed_files(repository: int, *, is_present: bool) -> list[ChangedFile]:
    """Return the paths of a repository whose files differ from those that were followed.

    One that is not present has no files any more, whatever is still to be deleted.
    """
    rows = fetch_rows(_CHANGED, [repository, repository, is_present, repository])
    return [ChangedFile(*row) for row in rows]


def packages_of(repository: int) -> Packages:
    """Return what the manifests of a repository say now."""
    [row] = fetch_rows(_PACKAGES, [repository])
    return Packages(*row)


def touched_keys(
    watermark: FollowedRepository,
    files: Sequence[ChangedFile],
    paths: Mapping[str, int],
    packages: Packages,
) -> set[int]:
    """Return the keys of everything whose change may change an answer."""
    ids = id_array(file.id for file in files if file.id is not None)
    keys = {WatchedKind.PATH.key(paths[file.path]) for file in files}
    keys.update(key for file in files for key in (*file.modules, *file.modules_before))
    keys.update(key for (key,) in fetch_rows(_NAMES, [ids, ids, ids]))
    if not all(file.is_in_place for file in files):
        keys |= {
            WatchedKind.C.key(watermark.repository_id),
            *packages.keys,
            *watermark.distributions,
        }
    if packages.digest != watermark.packages:
        keys |= {
            WatchedKind.MANIFESTS.key(watermark.repository_id),
            *packages.keys,
            *watermark.distributions,
        }
    return keys
