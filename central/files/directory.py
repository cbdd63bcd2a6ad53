"""The entries of one directory, read without the paths below its directories.

A loose index scan: after the first path of a directory, the next is looked for behind all of its
paths. Entries are in the order of git, by bytes, where a directory's name ends with a slash.
"""

from collections.abc import Sequence
from typing import Final

from django.db.models import Q, QuerySet

from central.corpus.models import File
from central.db import fetch_rows_planned_each_time, sql_with
from central.files.answers import FileEntry

DIRECTORY: Final = "dir"
FILE: Final = "file"
Position = list[str | bool]  # of the last entry before a page: whether it is a file, its name

_BEHIND_SLASH: Final = chr(ord("/") + 1)
_BEHIND_NAME: Final = "\x01"
_GAPS: Final = 1_000  # behind them, directories are passed path by path
_BEHIND_ALL: Final = "\U0010ffff" * 257  # more bytes than a path may have

_DIRECTORY: Final = "left(b.path, %s::int + strpos(substr(b.path, %s::int), '/')) AS start"
_BELOW: Final = """{file} b WHERE b.repository_id = %s::bigint AND b.path ~<~ %s::text
    AND strpos(substr(b.path, %s::int), '/')"""
_sql = sql_with(file=File, directory=_DIRECTORY, below=_BELOW)
_DIRECTORIES = _sql("""WITH RECURSIVE found AS (
    (SELECT {directory} FROM {below} > 0 AND b.path ~>=~ %s::text
        ORDER BY b.path USING ~<~ LIMIT 1)
    UNION ALL SELECT following.start FROM found CROSS JOIN LATERAL
    (SELECT {directory} FROM {below} > 0 AND b.path ~>=~ (left(found.start, -1) || %s::text)
        ORDER BY b.path USING ~<~ LIMIT 1) following)
SELECT start FROM found LIMIT %s""")
_COUNTS = _sql("""SELECT (SELECT count(*) FROM {file} f WHERE f.repository_id = %s::bigint
    AND f.path ~>=~ one.start AND f.path ~<~ (left(one.start, -1) || %s::text))
FROM unnest(%s::text[]) WITH ORDINALITY one(start, place) ORDER BY one.place""")
_FILES = _sql("""SELECT f.path, f.language, f.size, f.skipped, f.generated,
    f.is_unparsed, f.encoding
FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY gap(start, stop, place) CROSS JOIN LATERAL
    (SELECT b.path, b.language, b.size, b.skipped, b.generated,
        b.unparsed IS NOT NULL AS is_unparsed, b.encoding FROM {below} = 0
        AND b.path ~>=~ gap.start AND b.path ~<~ gap.stop
    ORDER BY b.path USING ~<~ LIMIT %s) f
ORDER BY gap.place, f.path USING ~<~ LIMIT %s""")


def directory_page(
    repository: int, path: str, position: Position | None, limit: int
) -> tuple[list[FileEntry], Position | None]:
    """Return at most `limit` entries after `position`, and the position of the next page."""
    directory = _Directory(repository, f"{path}/" if path else "")
    is_file, name = position or (False, "")
    found: list[FileEntry] = []
    if not is_file:
        starts = directory.starts(f"{name}{_BEHIND_SLASH}" if name else "", limit + 1)
        found = directory.counted(starts[:limit])
        if len(starts) > limit:
            return found, [False, found[-1].name]
    room = limit - len(found)
    files = directory.files(f"{name}{_BEHIND_NAME}" if is_file else "", room + 1)
    found += files[:room]
    return found, [found[-1].type == FILE, found[-1].name] if len(files) > room else None


class _Directory:
    """One directory of a repository; `before` is its path with a slash, "" for the root."""

    def __init__(self, repository: int, before: str) -> None:
        self._repository = repository
        self._before = before
        self._end = f"{before[:-1]}{_BEHIND_SLASH}" if before else _BEHIND_ALL
        self._below = [repository, self._end, len(before) + 1]

    def starts(self, after: str, limit: int) -> list[str]:
        """Return what the paths of each directory begin with."""
        name = [len(self._before), len(self._before) + 1]
        first = [*name, *self._below, f"{self._before}{after}"]
        parameters = [*first, *name, *self._below, _BEHIND_SLASH, limit]
        return [start for (start,) in fetch_rows_planned_each_time(_DIRECTORIES, parameters)]

    def counted(self, starts: Sequence[str]) -> list[FileEntry]:
        """Return directories with the number of files below each."""
        parameters = [self._repository, _BEHIND_SLASH, list(starts)]
        counts = fetch_rows_planned_each_time(_COUNTS, parameters) if starts else []
        paths = [start[:-1] for start in starts]
        return [
            FileEntry(path[len(self._before) :], path, DIRECTORY, None, None, count, None)
            for path, (count,) in zip(paths, counts, strict=True)
        ]

    def files(self, after: str, limit: int) -> list[FileEntry]:
        """Return the files from a name on, read from the gaps between directories."""
        starts = self.starts(after, _GAPS)
        begins = [f"{self._before}{after}", *(f"{start[:-1]}{_BEHIND_SLASH}" for start in starts)]
        parameters = [begins, [*starts, self._end], *self._below, limit, limit]
        return [_file_entry(*row) for row in fetch_rows_planned_each_time(_FILES, parameters)]


_ENTRY_FIELDS: Final = (
    "path",
    "language",
    "size",
    "skipped",
    "generated",
    "is_unparsed",
    "encoding",
)


def file_entries(files: QuerySet[File]) -> list[FileEntry]:
    """Return the entries of files, in no order."""
    rows = files.annotate(is_unparsed=Q(unparsed__isnull=False)).values_list(*_ENTRY_FIELDS)
    return [_file_entry(*row) for row in rows]


def _file_entry(
    path: str,
    language: str,
    size: int,
    skipped: str,
    generated: str,
    is_unparsed: bool,
    encoding: str,
) -> FileEntry:
    """Return the entry of a file, given its _ENTRY_FIELDS."""
    return FileEntry(
        name=path.rpartition("/")[2],
        path=path,
        type=FILE,
        language=language or None,
        size=size,
        files=None,
        skipped=skipped or None,
        generated=bool(generated),
        partly_parsed=is_unparsed,
        encoding=encoding or None,
    )
