"""The indexed files of repositories without their content, in memory while they are the newest.

An apply gives a repository another generation, and its files are read again. Of repositories with
very many files, those that are asked for are read each time.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from central.corpus.models import File
from central.corpus.trigrams.segments import FileIds
from central.db import fetch_rows, id_array, sql_with
from central.repositories.models import Repository
from central.search.exact.files import CandidateFile, path_factor
from indexer.limits import CATALOGUE_FILES, CATALOGUE_REPOSITORY_FILES

_sql = sql_with(file=File, repository=Repository)
_SIZES = _sql("SELECT r.id, r.files FROM {repository} r WHERE r.id = ANY(%s::bigint[])")
_ALL = _sql("""SELECT r.generation, f.id, f.repository_id, f.path, f.language, f.size
    FROM {repository} r JOIN {file} f ON f.repository_id = r.id
    WHERE r.id = %s AND f.skipped = ''""")
_SOME = _sql("""SELECT f.id, f.repository_id, f.path, f.language, f.size FROM {file} f
    WHERE f.id = ANY(%s::bigint[]) AND f.repository_id = %s AND f.skipped = ''""")
_FIRST = _sql("""SELECT f.id, f.repository_id, f.path, f.language, f.size FROM {file} f
    WHERE f.repository_id = %s AND f.skipped = '' ORDER BY f.path LIMIT %s""")


class _Files(NamedTuple):
    """Files by path factor and path; `places` are where the ids, ascending, are among them."""

    generation: int
    files: Sequence[CandidateFile]
    ids: FileIds
    places: NDArray[np.int64]

    def with_ids(self, wanted: FileIds) -> list[CandidateFile]:
        """Return those that exist, in order."""
        if not len(self.ids):
            return []
        found = np.minimum(np.searchsorted(self.ids, wanted), len(self.ids) - 1)
        places = self.places[found[self.ids[found] == wanted]]
        places.sort()
        return [self.files[place] for place in places.tolist()]


class Catalogue:
    """Files by repository; what was longest unused goes. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[int, _Files] = OrderedDict()
        self._count = 0

    def files(
        self, generations: Mapping[int, int], wanted: Mapping[int, FileIds]
    ) -> list[CandidateFile]:
        """Return the files with these ids, by repository, in the order of `_Files`.

        `generations`: those of the repositories as they were read.
        """
        kept = self._of({one: generations[one] for one in wanted})
        found: list[CandidateFile] = []
        for repository, ids in wanted.items():
            if files := kept.get(repository):
                found += files.with_ids(ids)
            else:
                rows = fetch_rows(_SOME, [id_array(ids.tolist()), repository])
                found += _in_order(map(_candidate, rows))
        return found

    def every_file(self, generations: Mapping[int, int], *, limit: int) -> list[CandidateFile]:
        """Return at most `limit` files of the repositories, the same ones each time."""
        kept, found = self._of(generations), list[CandidateFile]()
        for repository in generations:
            rest = limit - len(found)
            if files := kept.get(repository):
                found += islice(files.files, rest)
            elif rest > 0:
                found += _in_order(map(_candidate, fetch_rows(_FIRST, [repository, rest])))
        return found

    def _of(self, generations: Mapping[int, int]) -> dict[int, _Files]:
        """Return what is kept of the repositories, after the reading of what is missing."""
        with self._lock:
            kept = {one: files for one in generations if (files := self._kept.get(one))}
            for one in kept:
                self._kept.move_to_end(one)
        old = [one for one, files in kept.items() if files.generation != generations[one]]
        missing = [*old, *(one for one in generations if one not in kept)]
        if missing:
            sizes = dict(fetch_rows(_SIZES, [id_array(missing)]))
            for one in missing:
                kept.pop(one, None)
                if sizes.get(one, 0) <= CATALOGUE_REPOSITORY_FILES:
                    kept[one] = self._read(one)
        return kept

    def _read(self, repository: int) -> _Files:
        rows = fetch_rows(_ALL, [repository])
        files = _in_order(_candidate(row[1:]) for row in rows)
        ids = np.array([file.id for file in files], np.int64)
        places = np.argsort(ids)
        read = _Files(rows[0][0] if rows else 0, files, ids[places], places)
        with self._lock:
            self._count += len(files) - len(self._dropped(repository))
            self._kept[repository] = read
            while self._count > CATALOGUE_FILES:
                self._count -= len(self._dropped(next(iter(self._kept))))
        return read

    def _dropped(self, repository: int) -> Sequence[CandidateFile]:
        files = self._kept.pop(repository, None)
        return files.files if files else ()


catalogue: Final = Catalogue()


def _candidate(row: tuple[int, int, str, str, int]) -> CandidateFile:
    return CandidateFile(*row, path_factor(row[2]))


def _in_order(files: Iterable[CandidateFile]) -> list[CandidateFile]:
    return sorted(files, key=lambda file: (-file.factor, file.path))
