"""The indexed files of repositories without their content, in memory while they are the newest.

An apply gives a repository another generation, and its files are read again. A request reads a
bounded number of files; of further or very large repositories only those that it asks for.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from central.corpus.models import File
from central.corpus.trigrams.segments import FileIds
from central.db import fetch_rows, id_array, sql_with
from central.repositories.models import Repository
from central.search.exact.files import CandidateFile, candidate_file
from central.sized_cache import SizedCache

CATALOGUE_REPOSITORY_FILES: Final = 50_000  # whose paths a search reads whole, to keep them
CATALOGUE_BYTES: Final = 64 * 1024 * 1024  # of paths that a server keeps in memory, roughly
_sql = sql_with(file=File, repository=Repository)
_SIZES = _sql("SELECT r.id, r.files FROM {repository} r WHERE r.id = ANY(%s::bigint[])")
_ALL = _sql("""SELECT r.generation, r.last_indexed_commit,
        f.id, f.repository_id, f.path, f.language, f.size, f.generated <> ''
    FROM {repository} r JOIN {file} f ON f.repository_id = r.id
    WHERE r.id = %s AND f.skipped = ''""")
_SOME = _sql("""SELECT f.id, f.repository_id, f.path, f.language, f.size, f.generated <> ''
    FROM {file} f
    WHERE f.id = ANY(%s::bigint[]) AND f.repository_id = ANY(%s::bigint[]) AND f.skipped = ''""")
_FIRST = _sql("""SELECT f.id, f.repository_id, f.path, f.language, f.size, f.generated <> ''
    FROM {file} f
    WHERE f.repository_id = %s AND f.skipped = '' ORDER BY f.path LIMIT %s""")
_FILE_BYTES = 350  # of a file in memory, besides the characters of its path


class IndexedState(NamedTuple):
    """What an index is of. The commit tells generations apart that a failover counted again."""

    generation: int
    commit: str

    @property
    def branch(self) -> int:
        """What tells branches apart in a generation (central.corpus.branches.tables)."""
        return self.generation >> 32


class _Files(NamedTuple):
    """Files by path factor and path; `places` are where the ids, ascending, are among them."""

    state: IndexedState
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

    @property
    def memory(self) -> int:
        """Bytes, roughly."""
        return sum(_FILE_BYTES + len(file.path) for file in self.files)


class Catalogue:
    """Files by repository; what was longest unused goes. Thread-safe."""

    def __init__(self) -> None:
        self._kept = SizedCache[tuple[int, int], _Files](CATALOGUE_BYTES)

    def files(
        self, states: Mapping[int, IndexedState], wanted: Mapping[int, FileIds]
    ) -> list[CandidateFile]:
        """Return the files with these ids, by repository, in the order of `_Files`.

        `states`: those of the repositories as they were read. Repositories are read whole until
        they are CATALOGUE_REPOSITORY_FILES together; of the others, the files with these ids.
        """
        whole = self._whole({repository: states[repository] for repository in wanted})
        rest = {repository: ids for repository, ids in wanted.items() if repository not in whole}
        some: dict[int, list[CandidateFile]] = {}
        if rest:
            ids = [id_ for own in rest.values() for id_ in own.tolist()]
            for file in map(candidate_file, fetch_rows(_SOME, [id_array(ids), id_array(rest)])):
                some.setdefault(file.repository, []).append(file)
        return [
            file
            for repository, ids in wanted.items()
            for file in (
                whole[repository].with_ids(ids)
                if repository in whole
                else _in_order(some.get(repository, ()))
            )
        ]

    def every_file(self, states: Mapping[int, IndexedState], *, limit: int) -> list[CandidateFile]:
        """Return at most `limit` files of the repositories, the same ones each time."""
        found: list[CandidateFile] = []
        for repository, state in states.items():
            rest = limit - len(found)
            if rest <= 0:
                break
            if files := self._whole({repository: state}).get(repository):
                found += islice(files.files, rest)
            else:
                found += _in_order(map(candidate_file, fetch_rows(_FIRST, [repository, rest])))
        return found

    def _whole(self, states: Mapping[int, IndexedState]) -> dict[int, _Files]:
        """Return what is kept of the repositories, after the reading of some that are missing."""
        whole: dict[int, _Files] = {}
        for repository, state in states.items():
            kept = self._kept.get((repository, state.branch))
            if kept and kept.state == state:
                whole[repository] = kept
        missing = [repository for repository in states if repository not in whole]
        if missing:
            sizes = dict(fetch_rows(_SIZES, [id_array(missing)]))
            left = CATALOGUE_REPOSITORY_FILES
            for added in missing:
                if sizes.get(added, 0) <= left:
                    left -= sizes.get(added, 0)
                    whole[added] = self._read(added)
        return whole

    def _read(self, repository: int) -> _Files:
        rows = fetch_rows(_ALL, [repository])
        files = _in_order(candidate_file(row[2:]) for row in rows)
        ids = np.array([file.id for file in files], np.int64)
        places = np.argsort(ids)
        state = IndexedState(*rows[0][:2]) if rows else IndexedState(0, "")
        read = _Files(state, files, ids[places], places)
        self._kept.put((repository, state.branch), read, read.memory)
        return read


catalogue: Final = Catalogue()


def _in_order(files: Iterable[CandidateFile]) -> list[CandidateFile]:
    return sorted(files, key=lambda file: (-file.factor, file.path))
