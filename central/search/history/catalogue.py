"""The stored commits of repositories, in memory while they are the newest: times, ids, authors.

An apply gives a repository another generation, and its commits are read again. Commits that the
retention deleted meanwhile have no rows any more, so readers leave them out.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from central.corpus.models import Commit
from central.db import fetch_rows, id_array, sql_with
from central.repositories.models import Repository
from central.repositories.visibility import RepositorySnapshot
from central.sized_cache import SizedCache
from central.tenancy.models import Organization

HISTORY_COMMITS_SEARCHED: Final = 200_000  # of a search, the newest of each repository
HISTORY_ORDER_BYTES: Final = 32 * 1024 * 1024  # of commits' times and authors in memory, roughly
_AUTHOR_BYTES: Final = 100
_sql = sql_with(commit=Commit, repository=Repository, organization=Organization)
# The organisation's row is another after each change of its policy, to and fro.
_NEWEST = _sql("""SELECT r.id, c.id, o.xmin::text
    FROM {repository} r JOIN {organization} o ON o.id = r.organization_id CROSS JOIN LATERAL (
        SELECT c.id FROM {commit} c WHERE c.repository_id = r.id
        ORDER BY c.committed_at DESC, c.id DESC LIMIT 1
    ) AS c WHERE r.id = ANY(%s::bigint[])""")
_COMMITS = _sql("""SELECT c.id, c.committed_at, c.author FROM {commit} c
    WHERE c.repository_id = %s::bigint ORDER BY c.committed_at DESC, c.id DESC""")


class CommitsState(NamedTuple):
    """What was read: the index's generation, its commit, and the newest stored commit's key.

    `organization` is the version of its row: its policy decides what is stored of authors, so that
    another one is as another index.
    """

    generation: int
    commit: str
    newest: int
    organization: str


class StoredCommits(NamedTuple):
    """The commits of a repository, the newest first; `authors` are indexes of `names`."""

    state: CommitsState
    ids: NDArray[np.int64]
    times: NDArray[np.int64]
    authors: NDArray[np.int32]
    names: tuple[str, ...]

    @property
    def memory(self) -> int:
        """Bytes, roughly."""
        arrays = self.ids.nbytes + self.times.nbytes + self.authors.nbytes
        return arrays + _AUTHOR_BYTES * len(self.names)

    def by(self, test: Callable[[str], bool]) -> NDArray[np.bool_]:
        """Return which commits have an author of whom the test is true."""
        of_names = np.fromiter(map(test, self.names), np.bool_, len(self.names))
        found: NDArray[np.bool_] = of_names[self.authors]
        return found


_kept: Final = SizedCache[int, StoredCommits](HISTORY_ORDER_BYTES)


def commits_states(repositories: Iterable[RepositorySnapshot]) -> dict[int, CommitsState]:
    """Return what the repositories have now; those without commits are left out."""
    known = {repository.id: repository for repository in repositories}
    return {
        key: CommitsState(known[key].generation, known[key].commit, newest, organization)
        for key, newest, organization in (fetch_rows(_NEWEST, [id_array(known)]) if known else ())
    }


def stored_commits(states: Mapping[int, CommitsState]) -> dict[int, StoredCommits]:
    """Return all stored commits of the repositories."""
    return {key: _read(key, state) for key, state in states.items()}


def _read(repository: int, state: CommitsState) -> StoredCommits:
    kept = _kept.get(repository)
    if kept is not None and kept.state == state:
        return kept
    rows = fetch_rows(_COMMITS, [repository])
    names: dict[str, int] = {}
    authors = [names.setdefault(author, len(names)) for _, _, author in rows]
    read = StoredCommits(
        state,
        np.array([key for key, _, _ in rows], np.int64),
        np.array([time for _, time, _ in rows], np.int64),
        np.array(authors, np.int32),
        tuple(names),
    )
    _kept.put(repository, read, read.memory)
    return read
