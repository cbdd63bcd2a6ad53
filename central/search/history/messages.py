"""Terms and vectors of commits in memory, for their rank; as long as they are the newest.

Postings are ordered by term: to look one up is a binary search.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from central.corpus.embeddings import unpack_terms
from central.corpus.models import Commit
from central.db import fetch_rows, sql_with
from central.search.history.catalogue import CommitsState, StoredCommits
from central.sized_cache import SizedCache
from indexer.embedding.catalogue import PACKAGED
from indexer.records.vectors import Vector

HISTORY_RANKED_BYTES: Final = 192 * 1024 * 1024  # of terms and vectors in memory
_ROWS: Final = 8_192  # of vectors that are compared at once
_sql = sql_with(commit=Commit)
_MESSAGES = _sql("""SELECT c.id, c.terms, c.vector, cardinality(c.parents) > 1, c.reverts <> '{}'
    FROM {commit} c WHERE c.repository_id = %s::bigint""")


class Messages(NamedTuple):
    """What ranks the commits of a repository, in the order of its `StoredCommits`.

    `terms` are different ones, ascending; the commits that have one are `places` from its start to
    the next one's, each with a weight. `vectors` have a row for each commit, of zeros if it has
    none, and `lengths` are theirs.
    """

    state: CommitsState
    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    places: NDArray[np.uint32]
    weights: NDArray[np.float16]
    vectors: NDArray[np.int8]
    lengths: NDArray[np.float32]
    is_merge: NDArray[np.bool_]
    is_revert: NDArray[np.bool_]

    @property
    def memory(self) -> int:
        """Bytes."""
        arrays: Sequence[NDArray[np.generic]] = self[1:]
        return sum(own.nbytes for own in arrays)

    def holding(self, term: int) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
        """Return the places of the commits with a term, and its weight in each."""
        at = int(np.searchsorted(self.terms, term))
        if at == len(self.terms) or self.terms[at] != term:
            at, end = 0, 0
        else:
            at, end = self.starts[at : at + 2].tolist()
        return self.places[at:end], self.weights[at:end].astype(np.float32)

    def cosines(self, vector: Vector) -> NDArray[np.float32]:
        """Return the cosine of each commit's vector and a unit vector; 0 without one."""
        parts = [
            self.vectors[start : start + _ROWS].astype(np.float32) @ vector
            for start in range(0, len(self.vectors), _ROWS)
        ]
        if not parts:
            return np.empty(0, np.float32)
        lengths = np.maximum(self.lengths, np.float32(1.0))
        return (np.concatenate(parts) / lengths).astype(np.float32)


_kept: Final = SizedCache[int, Messages](HISTORY_RANKED_BYTES)


def kept_messages(repository: int, commits: StoredCommits) -> Messages | None:
    """Return what ranks the commits of a repository, if it is in memory."""
    kept = _kept.get(repository)
    return kept if kept is not None and kept.state == commits.state else None


def read_messages(repository: int, commits: StoredCommits) -> Messages:
    """Read what ranks the commits of a repository.

    It is not kept while some commits wait for their terms, which an older version did not store.
    """
    read, is_whole = _read(repository, commits)
    if is_whole:
        _kept.put(repository, read, read.memory)
    return read


def _read(repository: int, commits: StoredCommits) -> tuple[Messages, bool]:
    place_of = {key: place for place, key in enumerate(commits.ids.tolist())}
    count = len(place_of)
    vectors = np.zeros((count, PACKAGED.dimensions), np.int8)
    is_merge, is_revert = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    terms: list[NDArray[np.uint32]] = []
    weights: list[NDArray[np.float32]] = []
    places: list[int] = []
    for key, packed, vector, merges, reverts in fetch_rows(_MESSAGES, [repository]):
        place = place_of.get(key)
        if place is None:
            continue
        own = unpack_terms(bytes(packed))
        terms.append(own.ids)
        weights.append(own.weights)
        places.append(place)
        is_merge[place], is_revert[place] = merges, reverts
        if vector is not None and len(vector) == PACKAGED.dimensions:
            vectors[place] = np.frombuffer(vector, np.int8)
    of_terms = np.concatenate(terms) if terms else np.empty(0, np.uint32)
    of_weights = np.concatenate(weights) if weights else np.empty(0, np.float32)
    of_places = np.repeat(np.array(places, np.uint32), [len(own) for own in terms])
    order = of_terms.argsort(kind="stable")
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float32))
    different, starts = np.unique(of_terms[order], return_index=True)
    read = Messages(
        commits.state,
        different,
        np.append(starts, len(order)),
        of_places[order],
        of_weights[order].astype(np.float16),
        vectors,
        lengths.astype(np.float32),
        is_merge,
        is_revert,
    )
    return read, all(map(len, terms))
