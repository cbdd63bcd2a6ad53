"""A filter that leaves few files, as the paths of these files: the store can look there alone."""

from collections.abc import Iterable, Sequence

from central.corpus.models import File
from central.db import fetch_rows_planned_each_time, id_array, sql_with
from central.search.filters import RowFilter, like_pattern
from indexer.limits import FILES_LOOKED_AT, NAMED_FILES

_sql = sql_with(file=File)
# LIKE, because an index answers it. A file that was skipped has no chunk.
_ADMITTED = _sql("""SELECT path, count(*) FROM (
        SELECT f.path FROM {file} f
        WHERE f.repository_id = ANY(%s::bigint[]) AND f.path LIKE %s::text
            AND (%s::text = '' OR f.language = %s::text) AND f.skipped = ''
            AND NOT lower(f.path) LIKE ANY(%s::text[])
        LIMIT %s) AS found
    GROUP BY path""")


def admitted_paths(rows: RowFilter, *, repositories: Sequence[int]) -> frozenset[str] | None:
    """The paths of the files of `repositories` that pass; None where they are too many to name."""
    found = fetch_rows_planned_each_time(
        _ADMITTED,
        [
            id_array(repositories),
            f"{like_pattern(rows.prefix)}%",
            rows.language,
            rows.language,
            [f"%{like_pattern(pattern)}%" for pattern in rows.excluded],
            FILES_LOOKED_AT,
        ],
    )
    if sum(count for _, count in found) >= FILES_LOOKED_AT:
        return None
    return few(path for path, _ in found)


def few(paths: Iterable[str]) -> frozenset[str] | None:
    """The paths, each once; None where they are too many to name."""
    different = frozenset(paths)
    return different if len(different) <= NAMED_FILES else None
