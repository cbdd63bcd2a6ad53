"""Which of the branches asked for have a result; read only where branches are asked for."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from aeterna_code_search.contract.search import FacetCount
from central.corpus.branches.chosen import Chosen, NamedBranch
from central.corpus.models import Chunk, File
from central.db import fetch_rows, id_array, sql_with
from central.repositories.visibility import RepositorySnapshot
from central.search.candidates import Candidate, Version

_sql = sql_with(chunk=Chunk, file=File)
_VERSIONS: Final = _sql(
    "SELECT c.id, c.file_id, c.digest FROM {chunk} c WHERE c.id = ANY(%s::bigint[])"
)
_OF_FILES: Final = _sql(
    "SELECT f.id, f.repository_id, f.branches FROM {file} f WHERE f.id = ANY(%s::bigint[])"
)
# With those of other versions of the file that have the same chunk.
_OF_SAME_CHUNKS: Final = _sql("""SELECT c.id, f.repository_id, bit_or(version.branches)
    FROM {chunk} c JOIN {file} f ON f.id = c.file_id
    JOIN {file} version ON version.repository_id = f.repository_id AND version.path = f.path
    JOIN {chunk} same ON same.file_id = version.id AND same.digest = c.digest
    WHERE c.id = ANY(%s::bigint[]) GROUP BY c.id, f.repository_id""")


class ResultBranches(NamedTuple):
    """The branches that have a result, the default one first."""

    branches: Sequence[NamedBranch] = ()

    @property
    def names(self) -> list[str]:
        return [branch.name for branch in self.branches]

    def repository(self, snapshot: RepositorySnapshot) -> RepositorySnapshot:
        """Return the repository at the commit of the first branch, for addresses and stamps."""
        if not self.branches:
            return snapshot
        return snapshot._replace(commit=self.branches[0].commit)


NOWHERE: Final = ResultBranches()


def versions_of(chunks: Sequence[int]) -> dict[int, Version]:
    """Return by chunk id which version of a file it is of, and the digest of its text."""
    rows = fetch_rows(_VERSIONS, [id_array(chunks)]) if chunks else []
    return {key: Version(file, bytes(digest)) for key, file, digest in rows}


def branches_of_hits(chosen: Chosen, hits: Sequence[Candidate]) -> dict[int, ResultBranches]:
    """Return by id of ranked hits the branches that have the same text; of pieces, all of it."""
    if not hits:
        return {}
    pieces = {hit.id: [piece.id for piece in hit.pieces or (hit,)] for hit in hits}
    chunks = id_array({chunk for own in pieces.values() for chunk in own})
    bits = {key: bits for key, _, bits in fetch_rows(_OF_SAME_CHUNKS, [chunks])}
    found = {}
    for hit in hits:
        shared = -1
        for chunk in pieces[hit.id]:
            shared &= bits.get(chunk, 0)
        found[hit.id] = _shown(chosen, hit.repository, shared)
    return found


def branches_of_files(chosen: Chosen, files: Iterable[Sequence[int]]) -> dict[int, ResultBranches]:
    """Return by the first of them the branches that have one of these versions of a file."""
    versions = [*files] if chosen.shown else []
    if not versions:
        return {}
    ids = id_array({key for own in versions for key in own})
    rows = {key: (repository, bits) for key, repository, bits in fetch_rows(_OF_FILES, [ids])}
    found = {}
    for own in versions:
        shared, of = 0, 0
        for key in own:
            of, bits = rows.get(key, (of, 0))
            shared |= bits
        found[own[0]] = _shown(chosen, of, shared)
    return found


def _shown(chosen: Chosen, repository: int, bits: int) -> ResultBranches:
    shown = chosen.shown.get(repository, ())
    return ResultBranches([branch for branch in shown if bits & branch.bit])


def count_files(chosen: Chosen, files: Iterable[int]) -> list[FacetCount]:
    """Count files, by the keys of all versions that were found, by branch, most first."""
    if not chosen.shown:
        return []
    rows = fetch_rows(_OF_FILES, [id_array(files)])
    return _counts(
        name for _, repository, bits in rows for name in _shown(chosen, repository, bits).names
    )


def count_files_of_hits(chosen: Chosen, hits: Sequence[Candidate]) -> list[FacetCount]:
    """Count the files of ranked hits by branch, most first."""
    if not chosen.shown:
        return []
    shown = branches_of_hits(chosen, hits)
    found = {(name, hit.file) for hit in hits for name in shown[hit.id].names}
    return _counts(name for name, _ in found)


def _counts(names: Iterable[str]) -> list[FacetCount]:
    ordered = sorted(Counter(names).items(), key=lambda item: (-item[1], item[0]))
    return [FacetCount(name, count) for name, count in ordered]
