"""Pages of files: the entries of a directory, or the paths that match a glob."""

import re
import time
from collections.abc import Iterator, Sequence
from typing import Final

from aeterna_code_search.contract.files import ListRequest
from central.corpus.branches.of_project import reading_branch
from central.corpus.files import FileNotFoundInIndexError, near_paths
from central.corpus.models import File
from central.db import fetch_rows_planned_each_time, like_pattern, one_moment, sql_with
from central.errors import InvalidError
from central.files.answers import FileEntry, FileList, files_receipt
from central.files.directory import Position, directory_page, file_entries
from central.http.cursors import decode_cursor, encode_cursor
from central.repositories.visibility import RepositorySnapshot, repository_snapshot
from central.tenancy.credentials import Credential
from indexer.globs import excess, ignore_spec

FILES_MATCHED: Final = 200_000  # paths that a glob is compared with for a page
_SALT: Final = "central.files.list"
_BATCH: Final = 10_000

_sql = sql_with(file=File)
_PATHS = _sql("""SELECT f.path FROM {file} f
    WHERE f.repository_id = %s::bigint AND f.path ~>~ %s::text
        AND (%s::text = '' OR f.path LIKE %s::text)
    ORDER BY f.path USING ~<~ LIMIT %s""")


def list_files(*, credential: Credential, request: ListRequest) -> FileList:
    """Return a page of a directory, directories first, or of the paths that match a glob.

    Raises NotFoundError for an unknown project, branch or path, and InvalidError for the glob or
    cursor.
    """
    started = time.perf_counter()
    path = "" if request.path == "." else request.path.strip("/")
    asked = [credential.organization.slug, request.project, path, request.glob]
    if request.ref:
        asked.append(request.ref)
    if "\0" in path:  # which PostgreSQL refuses
        raise FileNotFoundInIndexError([])
    pattern = _pattern(request.glob) if request.glob else None
    position = decode_cursor(request.cursor, salt=_SALT, asked=asked)
    branch = reading_branch(credential, project=request.project, ref=request.ref)
    with branch, one_moment():
        repository = repository_snapshot(credential=credential, project=request.project)
        if pattern is None:
            entries, following = directory_page(repository.id, path, position, request.limit)
        else:
            entries, following = _matching(repository.id, path, pattern, position, request.limit)
        if not entries and not position:
            entries = _file_at(repository, path) if pattern is None else []
            _require_directory(repository, path, entries)
    cursor = encode_cursor(salt=_SALT, asked=asked, position=following) if following else None
    return FileList(
        project=repository.name,
        path=path,
        glob=request.glob or None,
        entries=entries,
        count=len(entries),
        next_cursor=cursor,
        receipt=files_receipt(repository, started=started),
        hint=None if entries else _hint(repository, request, has_more=bool(following)),
    )


def _pattern(glob: str) -> re.Pattern[str]:
    """Compile a glob. Raises InvalidError for one that can match nothing."""
    why = excess(glob)
    if why:
        raise _invalid(f"The glob is {why}; give a shorter one.")
    if glob.startswith(("!", "#")):
        raise _invalid("A glob that begins with ! or # matches nothing; write a \\ before it.")
    try:
        [pattern] = ignore_spec([glob]).patterns
    except ValueError as exc:
        raise _invalid("The glob is not a pattern of .gitignore; see its brackets.") from exc
    if pattern.regex is None:
        raise _invalid("The glob matches nothing.")
    return pattern.regex


def _invalid(message: str) -> InvalidError:
    return InvalidError(message, errors={"glob": [message]})


def _matching(
    repository: int, path: str, pattern: re.Pattern[str], position: Position | None, limit: int
) -> tuple[list[FileEntry], Position | None]:
    """Return matches in order of path; the page may end before `limit` if few paths match."""
    before = f"{path}/" if path else ""
    found: list[str] = []
    after = str(position[0]) if position else ""
    following: Position | None = None
    for count, other_path in enumerate(_paths_after(repository, before, after)):
        if count == FILES_MATCHED:
            following = [after]
            break
        if pattern.match(other_path[len(before) :]):
            if len(found) == limit:
                following = [found[-1]]
                break
            found.append(other_path)
        after = other_path
    rows = File.objects.filter(repository_id=repository, path__in=found)
    entries = {file_entry.path: file_entry for file_entry in file_entries(rows)}
    return [entries[other_path] for other_path in found], following


def _paths_after(repository: int, before: str, after: str) -> Iterator[str]:
    """Yield the paths below a directory after a path, in order of their bytes."""
    asked: Sequence[object]
    while True:
        asked = [repository, after, before, f"{like_pattern(before)}%", _BATCH]
        rows = fetch_rows_planned_each_time(_PATHS, asked)
        yield from (path for (path,) in rows)
        if len(rows) < _BATCH:
            return
        after = rows[-1][0]


def _file_at(repository: RepositorySnapshot, path: str) -> list[FileEntry]:
    return file_entries(File.objects.filter(repository_id=repository.id, path=path))


def _require_directory(
    repository: RepositorySnapshot, path: str, entries: Sequence[FileEntry]
) -> None:
    """Raise NotFoundError if the index has nothing at or below the path."""
    if entries:
        return
    below = File.objects.filter(repository_id=repository.id, path__startswith=f"{path}/")
    if path and not below.exists():
        raise FileNotFoundInIndexError(near_paths(repository.id, path))


def _hint(repository: RepositorySnapshot, request: ListRequest, *, has_more: bool) -> str:
    if repository.generation == 0:
        return "Nothing of this repository is indexed yet."
    if has_more:
        return "No path matches so far; next_cursor goes on from here."
    if request.cursor:
        return "There are no more entries; the page before was the last."
    if request.glob and "{" in request.glob:
        return "No path matches; a glob has no braces: ask once for each alternative."
    if request.glob:
        return "No path matches; a glob with a slash begins at the directory: **/ is any depth."
    return "The index of this repository has no files."
