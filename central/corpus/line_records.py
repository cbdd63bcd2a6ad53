"""Stored records of commits, as central.corpus.line_history reads them."""

from collections.abc import Collection, Iterable, Mapping
from itertools import dropwhile, islice
from typing import Final

from central.corpus.line_history import GONE, CommitGraph, FileChange, StoredCommit
from central.corpus.models import Commit, CommitChange, CommitPatch, File
from central.corpus.patches import unpack_patch
from central.db import fetch_rows, fetch_rows_planned_each_time, id_array, sql_with
from indexer.decoding import blob_bytes

_PATCHES_AHEAD: Final = 32  # of the commits of a path that are read together
_KEPT_CHARACTERS: Final = 32_000_000  # of patches; of 10,000 commits they could be 1,300 million
_sql = sql_with(commit=Commit, change=CommitChange, patch=CommitPatch)
_COMMITS: Final = _sql("""SELECT sha, parents, changed FROM {commit}
    WHERE repository_id = %s::bigint ORDER BY committed_at DESC, id DESC""")
_OF_PATHS: Final = _sql("""SELECT h.path, h.old_path, h.status, h.blob, h.unread, c.sha, c.id
    FROM {change} h JOIN {commit} c ON c.id = h.commit_id
    WHERE h.repository_id = %s::bigint
        AND (h.path = ANY(%s::text[]) OR h.old_path = ANY(%s::text[]))
    ORDER BY c.committed_at DESC, c.id DESC""")
_PATCHES: Final = _sql("""SELECT p.commit_id, p.data FROM {patch} p
    WHERE p.repository_id = %s::bigint AND p.commit_id = ANY(%s::bigint[])""")


def lines_of_diffs(file: File) -> list[str]:
    """Return the lines of an indexed file as hunks have them: as UTF-8, with a byte order mark."""
    data = blob_bytes(text=file.content, encoding=file.encoding, size=file.size, blob=file.blob)
    text = file.content if data is None else data.decode(errors="replace")
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def commit_graph(repository_id: int, head: str) -> CommitGraph:
    """Read the stored commits of a repository."""
    rows = fetch_rows(_COMMITS, [repository_id])
    return CommitGraph((StoredCommit(*row) for row in rows), head)


class StoredChanges:
    """What the commits of a repository changed; it remembers what it read, patches up to a size."""

    def __init__(self, repository_id: int) -> None:
        self._repository_id = repository_id
        self._paths: dict[str, dict[str, FileChange]] = {}
        self._ids: dict[str, int] = {}
        self._patches: dict[int, Mapping[str, str]] = {}
        self._kept = 0  # characters of them

    def read_ahead(self, paths: Collection[str]) -> None:
        """Read what commits did to several paths at once."""
        wanted = [path for path in paths if path not in self._paths]
        self._paths |= {path: {} for path in wanted}
        asked = [self._repository_id, wanted, wanted]
        rows = fetch_rows_planned_each_time(_OF_PATHS, asked) if wanted else []
        for path, old_path, status, blob, unread, sha, key in rows:
            self._ids[sha] = key
            if old_path in self._paths:
                self._paths[old_path].setdefault(sha, GONE)
            if path in self._paths:
                self._paths[path][sha] = FileChange(status, old_path, blob, unread)

    def of_path(self, path: str) -> Mapping[str, FileChange]:
        """Return what commits did to a path, by commit; GONE for one that renamed it away."""
        self.read_ahead([path])
        return self._paths[path]

    def hunks(self, commit: str, path: str) -> str:
        """Return the stored hunks of a change."""
        key = self._ids[commit]
        if key not in self._patches:
            older = dropwhile(lambda sha: sha != commit, self.of_path(path))
            self._read_patches(self._ids[sha] for sha in older)
        return self._patches[key].get(path, "")

    def _read_patches(self, keys: Iterable[int]) -> None:
        wanted = list(islice((key for key in keys if key not in self._patches), _PATCHES_AHEAD))
        if self._kept > _KEPT_CHARACTERS:
            self._patches, self._kept = {}, 0
        self._patches |= {key: {} for key in wanted}
        for key, data in fetch_rows(_PATCHES, [self._repository_id, id_array(wanted)]):
            self._patches[key] = dict(unpack_patch(data))
            self._kept += sum(map(len, self._patches[key].values()))
