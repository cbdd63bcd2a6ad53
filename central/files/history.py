"""Commits that changed a file, through its renames, a directory, or anything of a repository."""

import time
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from aeterna_code_search.contract.files import HistoryRequest
from central.corpus.branches.of_project import require_default_branch
from central.corpus.commit_facts import (
    NO_COMMITS,
    reverting_commits,
    stored_since,
    time_text,
)
from central.corpus.files import FileNotFoundInIndexError, near_paths
from central.corpus.models import Commit, CommitChange, File
from central.db import fetch_rows_planned_each_time, id_array, like_pattern, one_moment, sql_with
from central.files.answers import ChangedPath, CommitEntry, History, files_receipt
from central.files.symbol_history import (
    DefinedLines,
    commits_of_definition,
    find_definition,
    why_ends,
)
from central.http.cursors import decode_cursor, encode_cursor
from central.query.dates import read_time
from central.repositories.visibility import (
    RepositorySnapshot,
    forge_commit_url,
    repository_snapshot,
)
from central.tenancy.credentials import Credential
from indexer.limits import HISTORY_PATHS
from indexer.records.history import LAST_SECOND, ChangeStatus

_RENAMES: Final = 100  # of a file, after the time that is asked for
_SALT: Final = "central.files.history"
_sql = sql_with(
    commit=Commit,
    change=CommitChange,
    file=File,
    columns="c.id, c.sha, c.parents, c.authored_at, c.committed_at, c.subject, c.body, c.merge,"
    " c.reverts, c.changed",
    older="c.committed_at >= %s::bigint AND c.committed_at < %s::bigint"
    " AND c.committed_at <= %s::bigint AND (c.committed_at < %s::bigint OR c.id < %s::bigint)",
    in_order="ORDER BY c.committed_at DESC, c.id DESC LIMIT %s",
)
_ALL = _sql("""SELECT {columns} FROM {commit} c
    WHERE c.repository_id = %s::bigint AND {older} {in_order}""")
_BELOW = _sql("""SELECT {columns} FROM {commit} c
    WHERE c.repository_id = %s::bigint AND EXISTS (
        SELECT FROM {change} h WHERE h.repository_id = c.repository_id AND h.commit_id = c.id
            AND (h.path LIKE %s::text OR h.old_path LIKE %s::text)
    ) AND {older} {in_order}""")
_OF_FILE = _sql("""SELECT {columns}, h.path, h.status, h.old_path
    FROM {change} h JOIN {commit} c ON c.id = h.commit_id
    WHERE h.repository_id = %s::bigint AND (h.path = %s::text OR h.old_path = %s::text)
        AND {older} {in_order}""")
_OF_COMMITS = _sql("""SELECT {columns} FROM {commit} c
    WHERE c.repository_id = %s::bigint AND c.sha = ANY(%s::text[]) AND {older} {in_order}""")
_RENAMED = _sql("""SELECT c.committed_at, c.id, h.old_path
    FROM {change} h JOIN {commit} c ON c.id = h.commit_id
    WHERE h.repository_id = %s::bigint AND h.path = %s::text AND h.status = 'R'
        AND {older} {in_order}""")
_CHANGES = _sql("""SELECT commit_id, path, status, old_path FROM (
        SELECT h.*, row_number() OVER (PARTITION BY h.commit_id ORDER BY h.path) AS place
        FROM {change} h WHERE h.commit_id = ANY(%s::bigint[])
            AND (h.path = ANY(%s::text[]) OR h.old_path = ANY(%s::text[])
                OR h.path LIKE %s::text OR h.old_path LIKE %s::text)) found
    WHERE place <= %s ORDER BY commit_id, path""")
_IS_DIRECTORY_NOW = _sql("""SELECT FROM {file} f
    WHERE f.repository_id = %s::bigint AND f.path LIKE %s::text AND NOT EXISTS (
        SELECT FROM {file} g WHERE g.repository_id = f.repository_id AND g.path = %s::text
    ) LIMIT 1""")
_IS_CHANGED = _sql("""SELECT FROM {change} h
    WHERE h.repository_id = %s::bigint AND (h.path = %s::text OR h.old_path = %s::text)
    LIMIT 1""")
_IS_DIRECTORY = _sql("""SELECT FROM {change} h
    WHERE h.repository_id = %s::bigint AND h.path LIKE %s::text LIMIT 1""")


class _Row(NamedTuple):
    """A commit as it is stored."""

    id: int
    sha: str
    parents: list[str]
    authored_at: int
    committed_at: int
    subject: str
    body: str
    merge: str
    reverts: list[str]
    changed: int


class _Position(NamedTuple):
    """The last commit of a page, and the file's path before it; "" if it is no file's history."""

    committed_at: int
    id: int
    path: str


def read_history(*, credential: Credential, request: HistoryRequest) -> History:
    """Return a page of commits, the newest first by the time they were committed.

    Raises NotFoundError for an unknown project, a path of neither index nor history, or a symbol
    that is not exactly one, and InvalidError for the cursor.
    """
    started = time.perf_counter()
    require_default_branch(credential, project=request.project, ref=request.ref, what="History")
    path = "" if request.path == "." else request.path.strip("/")
    asked = [
        *(credential.organization.slug, request.project, path),
        *(request.after, request.before, request.symbol),
    ]
    if "\0" in path:  # which PostgreSQL refuses
        raise FileNotFoundInIndexError([])
    given = decode_cursor(request.cursor, salt=_SALT, asked=asked)
    with one_moment():
        repository = repository_snapshot(credential=credential, project=request.project)
        reading = (
            _SymbolReading(repository, request, find_definition(repository, request.symbol, path))
            if request.symbol
            else _Reading(repository, request, path)
        )
        rows, following = reading.page(_Position(*given) if given else None)
        if not rows and not given:
            reading.require_path()
        commits = reading.entries(rows)
        since = stored_since(repository.id)
    return History(
        project=repository.name,
        path=reading.path,
        commits=commits,
        count=len(commits),
        next_cursor=encode_cursor(salt=_SALT, asked=asked, position=following)
        if following
        else None,
        since=since,
        receipt=files_receipt(repository, started=started),
        hint=reading.hint if commits else _hint(repository, request, since, why=reading.hint or ""),
        symbol=reading.symbol,
    )


class _Reading:
    """One question about the history of a repository. `names`: a file's path in each commit."""

    symbol: str | None = None
    hint: str | None = None  # beside commits

    def __init__(self, repository: RepositorySnapshot, request: HistoryRequest, path: str) -> None:
        self._repository = repository
        self.path = path
        self._limit = request.limit
        after, before = read_time(request.after), read_time(request.before)
        self._times = (
            max(0, after or 0),
            LAST_SECOND + 1 if before is None else min(max(0, before), LAST_SECOND + 1),
        )
        self._below = f"{like_pattern(path)}/%" if path else "%"
        # What was a file, or a submodule, may be a directory now.
        changed = [repository.id, path, path]
        self._is_changed = bool(path and fetch_rows_planned_each_time(_IS_CHANGED, changed))
        self._is_file = self._is_changed and not fetch_rows_planned_each_time(
            _IS_DIRECTORY_NOW, [repository.id, self._below, path]
        )
        self._names: dict[int, str] = {}

    def require_path(self) -> None:
        """Raise NotFoundError if neither index nor history has anything at or below the path."""
        key, path = self._repository.id, self.path
        files = File.objects.filter(repository_id=key)
        if not (
            not path
            or self._is_changed
            or fetch_rows_planned_each_time(_IS_DIRECTORY, [key, self._below])
            or files.filter(path=path).exists()
            or files.filter(path__startswith=f"{path}/").exists()
        ):
            raise FileNotFoundInIndexError(near_paths(key, path))

    def page(self, after: _Position | None) -> tuple[list[_Row], _Position | None]:
        """Return the commits after a position, and the position of the next page."""
        position = after or _Position(LAST_SECOND + 1, 0, self.path if self._is_file else "")
        rows: list[_Row] = []
        last = position
        for row, following in self._rows(position):
            if len(rows) == self._limit:
                return rows, last
            rows.append(row)
            last = following
        return rows, None

    def _rows(self, position: _Position) -> Iterator[tuple[_Row, _Position]]:
        """Yield one commit more than a page has, each with the position after it."""
        if position.path:
            yield from self._of_file(position)
            return
        query, path = (_BELOW, [self._below] * 2) if self.path else (_ALL, [])
        older = self._older(position, self._limit + 1)
        for values in fetch_rows_planned_each_time(query, [self._repository.id, *path, *older]):
            row = _Row(*values)
            yield row, _Position(row.committed_at, row.id, "")

    def _of_file(self, position: _Position) -> Iterator[tuple[_Row, _Position]]:
        position = self._renamed_until_asked(position)
        left = self._limit + 1
        while left:
            older = self._older(position, left)
            asked = [self._repository.id, position.path, position.path, *older]
            for *values, path, status, old_path in fetch_rows_planned_each_time(_OF_FILE, asked):
                row = _Row(*values)
                self._names[row.id] = position.path
                is_renamed = status == ChangeStatus.RENAMED and path == position.path
                name = old_path if is_renamed else position.path
                position = _Position(row.committed_at, row.id, name)
                left -= 1
                yield row, position
                if is_renamed:
                    break
            else:
                return

    def _renamed_until_asked(self, position: _Position) -> _Position:
        """Follow the renames that are newer than all commits that are asked for."""
        newer = (self._times[1], LAST_SECOND + 1)
        for _ in range(_RENAMES if position.committed_at > newer[0] else 0):
            older = self._older(position, 1, times=newer)
            asked = [self._repository.id, position.path, *older]
            found = fetch_rows_planned_each_time(_RENAMED, asked)
            if not found:
                break
            position = _Position(*found[0])
        return position

    def _older(
        self, position: _Position, limit: int, *, times: tuple[int, int] | None = None
    ) -> list[object]:
        before = position.committed_at
        return [*(times or self._times), before, before, position.id, limit]

    def entries(self, rows: Sequence[_Row]) -> list[CommitEntry]:
        """Return the commits with what they did to the path."""
        names, below = list(set(self._names.values())), None if self._is_file else self._below
        asked = [id_array(row.id for row in rows), names, names, below, below, HISTORY_PATHS]
        changes: dict[int, list[ChangedPath]] = {}
        for key, path, status, old_path in fetch_rows_planned_each_time(_CHANGES, asked):
            if self._names.get(key, path) not in {path, old_path}:
                continue
            kind = ChangeStatus(status).name.lower()
            changes.setdefault(key, []).append(ChangedPath(path, kind, old_path or None))
        own = self._repository.id
        reverted = reverting_commits([own], [row.sha for row in rows])
        return [
            CommitEntry(
                commit=row.sha,
                parents=row.parents,
                authored_at=time_text(row.authored_at),
                committed_at=time_text(row.committed_at),
                subject=row.subject,
                body=row.body,
                merge=row.merge or None,
                reverts=row.reverts,
                reverted_by=reverted.get((own, row.sha), []),
                changed=row.changed,
                changes=changes.get(row.id, []),
                url=forge_commit_url(self._repository.web_url, row.sha),
            )
            for row in rows
        ]


class _SymbolReading(_Reading):
    """The same of a definition: of its file's commits those that changed its lines."""

    def __init__(
        self, repository: RepositorySnapshot, request: HistoryRequest, defined: DefinedLines
    ) -> None:
        super().__init__(repository, request, defined.path)
        self._touched = commits_of_definition(repository, defined)
        self._is_file = True
        self.symbol = defined.qualified_name
        self.hint = why_ends(self._touched.reasons) or None

    def _rows(self, position: _Position) -> Iterator[tuple[_Row, _Position]]:
        commits = self._touched.commits
        asked = [self._repository.id, list(commits), *self._older(position, self._limit + 1)]
        for values in fetch_rows_planned_each_time(_OF_COMMITS, asked):
            row = _Row(*values)
            self._names[row.id] = commits[row.sha]
            yield row, _Position(row.committed_at, row.id, self.path)


def _hint(
    repository: RepositorySnapshot, request: HistoryRequest, since: str | None, *, why: str
) -> str:
    if repository.generation == 0:
        return "Nothing of this repository is indexed yet."
    if since is None:
        return NO_COMMITS
    if request.cursor:
        return "There are no more commits; the page before was the last."
    if request.symbol:
        text = f"No commit of the stored lines changed it. Commits are stored since {since}."
        return f"{text} {why}" if why else text
    if request.after or request.before:
        return f"No stored commit of this time changed it. Commits are stored since {since}."
    return f"No stored commit changed it. Commits are stored since {since}."
