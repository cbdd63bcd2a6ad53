"""Candidate files of an exact search, in the order of the answer, and their content."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from math import prod
from threading import Lock
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from django.db import connection

from central.corpus.models import File, Symbol
from central.corpus.trigrams.segments import FileIds
from central.db import fetch_rows, fetch_rows_planned_each_time, id_array, like_pattern, sql_with
from central.query.filters import Match
from central.query.patterns import text_matcher
from central.query.syntax import Filter, Query
from central.search.ranking.rules import PATH_PENALTIES, path_traits

EXACT_CACHE_BYTES: Final = 128 * 1024 * 1024  # of content that a server keeps in memory
EXACT_READ_BYTES: Final = 4 * 1024 * 1024  # of files that are read by one statement
_FIRST_BYTES = 256 * 1024  # of the first statement: a page is often full after it
_sql = sql_with(file=File, symbol=Symbol)
_CONTENT = _sql("""SELECT f.id, convert_to(f.content, 'UTF8') FROM {file} f
    WHERE f.id = ANY(%s::bigint[])""")
_LIVE = _sql("SELECT f.id FROM {file} f WHERE f.id = ANY(%s::bigint[])")
_NEWER = _sql("""SELECT f.repository_id, f.id FROM {file} f
    WHERE f.repository_id = ANY(%s::bigint[]) AND f.id > %s::bigint AND f.skipped = ''
    ORDER BY f.id LIMIT %s""")
_NAMES = _sql("""SELECT DISTINCT s.name FROM {symbol} s
    WHERE s.repository_id = ANY(%s::bigint[]) AND s.name ILIKE %s::text""")

FileKey: TypeAlias = tuple[int, str, int]  # id, path and size


class ContentCache:
    """Content by file, up to a size. Thread-safe.

    A file's content never changes: what is indexed again has another id. When it is full, any file
    may go: a search that reads more than there is room for leaves some of the others' files.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = Lock()
        self._kept: dict[FileKey, bytes] = {}
        self._keys: list[FileKey] = []  # the same ones, to take any of
        self._bytes = 0

    def get(self, keys: Iterable[FileKey]) -> dict[FileKey, bytes]:
        """Return the content of those that are kept."""
        with self._lock:
            return {key: self._kept[key] for key in keys if key in self._kept}

    def add(self, contents: dict[FileKey, bytes]) -> None:
        """Keep content, in the place of other files."""
        with self._lock:
            for key, content in contents.items():
                if key not in self._kept and len(content) <= self._most:
                    self._kept[key] = content
                    self._keys.append(key)
                    self._bytes += len(content)
            while self._bytes > self._most:
                self._drop_one()

    def _drop_one(self) -> None:
        place = random.randrange(len(self._keys))  # noqa: S311
        self._keys[place], self._keys[-1] = self._keys[-1], self._keys[place]
        self._bytes -= len(self._kept.pop(self._keys.pop()))


_cache = ContentCache(EXACT_CACHE_BYTES)


class CandidateFile(NamedTuple):
    """A file of a visible repository that may match; `factor` is that of its path.

    It is 0 for a generated file, which so comes after all others of its rank.
    """

    id: int
    repository: int
    path: str
    language: str
    size: int
    factor: float
    generated: bool = False


def candidate_file(row: Sequence[Any]) -> CandidateFile:
    """Return a file of a row: id, repository, path, language, size, whether it is generated."""
    id_, repository, path, language, size, generated = row
    factor = 0.0 if generated else path_factor(path)
    return CandidateFile(id_, repository, path, language, size, factor, generated)


def defined_names(term: Filter, query: Query, *, repositories: Sequence[int]) -> list[str]:
    """Return the names of symbols that a `sym:` filter means."""
    like = f"%{like_pattern(term.value)}%" if term.match is Match.SUBSTRING else "%"
    rows = fetch_rows_planned_each_time(_NAMES, [id_array(repositories), like])
    matches = text_matcher(
        term.value, term.match, ignore_case=query.ignores_case(term), column=term.column
    )
    return [name for (name,) in rows if matches(name)]


def newer_files(repositories: Sequence[int], *, newer_than: int, limit: int) -> dict[int, FileIds]:
    """Return keys of files above one, by repository: those that were indexed later."""
    found: dict[int, list[int]] = {}
    for repository, file in fetch_rows(_NEWER, [id_array(repositories), newer_than, limit]):
        found.setdefault(repository, []).append(file)
    return {key: np.array(ids, dtype=np.int64) for key, ids in found.items()}


def in_order(
    files: Iterable[CandidateFile], *, rank: Callable[[CandidateFile], int]
) -> list[CandidateFile]:
    """Order by the rank of definitions, then by the path rules of ranking, then as they come.

    The order depends on no content, so a page needs to read only its own files.
    """
    groups: dict[float, list[CandidateFile]] = {}
    for file in files:
        groups.setdefault(2 * rank(file) - file.factor, []).append(file)  # factors are up to 1
    return [file for group in sorted(groups) for file in groups[group]]


@lru_cache(maxsize=65536)
def path_factor(path: str) -> float:
    """Return the product of the path penalties of ranking: 1.0 for ordinary source."""
    return prod(1.0 - PATH_PENALTIES[kind] for kind in path_traits(path).kinds)


def contents(
    places: Iterable[tuple[int, CandidateFile]],
) -> Iterator[tuple[int, CandidateFile, bytes | None]]:
    """Yield files, each with its place and its content, in order.

    Little is read at first, then some megabytes at a time. The content of a file that is gone is
    None, also if it is in memory: outside of a transaction, it is asked if it is still there.
    """
    portion: list[tuple[int, CandidateFile]] = []
    size, most = 0, _FIRST_BYTES
    for place, file in places:
        if portion and size + file.size > most:
            yield from _read(portion)
            portion, size, most = [], 0, min(2 * most, EXACT_READ_BYTES)
        portion.append((place, file))
        size += file.size
    if portion:
        yield from _read(portion)


def _read(
    portion: Sequence[tuple[int, CandidateFile]],
) -> Iterator[tuple[int, CandidateFile, bytes | None]]:
    files = {file.id: file for _, file in portion}
    kept = _cache.get(map(_key, files.values()))
    by_id = {file_id: kept[_key(file)] for file_id, file in files.items() if _key(file) in kept}
    if by_id and not connection.in_atomic_block:
        by_id = {key: by_id[key] for (key,) in fetch_rows(_LIVE, [id_array(by_id)])}
    missing = [file_id for file_id in files if file_id not in by_id]
    if missing:
        read = dict(fetch_rows(_CONTENT, [id_array(missing)]))
        _cache.add({_key(files[file_id]): content for file_id, content in read.items()})
        by_id.update(read)
    return ((place, file, by_id.get(file.id)) for place, file in portion)


def _key(file: CandidateFile) -> FileKey:
    """Return what tells a file from another that has its id after a failover."""
    return file.id, file.path, file.size
