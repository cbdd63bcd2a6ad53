"""Lines of a path that are purged from the stored history, such as those of a secret.

Its commits stay, with their messages and paths. Files of the index are not concerned: a run removes
them. Backups, and the pages that PostgreSQL has not cleaned yet, have the lines for a while.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from django.db import transaction

from central.corpus.commits import derived_rows, is_withheld, put_derived_rows
from central.corpus.models import (
    Commit,
    CommitChange,
    CommitPatch,
    TrigramSegment,
    WithheldPath,
)
from central.corpus.patches import pack_patch, unpack_patch
from central.corpus.trigrams.hashes import FORMAT
from central.corpus.trigrams.indexed import Indexed
from central.corpus.trigrams.segments import delete_segments, unpack_ids
from central.corpus.trigrams.upkeep import build_now
from central.db import execute, fetch_rows, id_array, like_pattern, sql_with
from central.errors import InvalidError
from central.repositories.models import Branch, Repository
from central.tenancy.audit import record
from indexer.bundle.lines import path_problem
from indexer.records.history import ChangeStatus, Unread

_COMMITS: Final = 500  # whose patches are in memory together
_NAMED: Final = 20  # paths, in the audit log
_sql = sql_with(
    commit=Commit,
    change=CommitChange,
    patch=CommitPatch,
    segment=TrigramSegment,
    withheld=WithheldPath,
    repository=Repository,
    branch=Branch,
)
# Runs that are open may hold its lines, and caches: both end with the generation.
_ADVANCE: Final = _sql("""UPDATE {repository} SET generation = generation + 1,
        text_generation = CASE WHEN text_generation = generation
            THEN generation + 1 ELSE text_generation END
    WHERE id = %s AND retired_at IS NULL""")
# What other branches share stays as it is.
_FOLLOW: Final = _sql("""UPDATE {branch} SET default_generation = default_generation + 1
    FROM {repository} r WHERE r.id = %s AND repository_id = r.id
        AND default_generation = r.generation - 1""")
_FORMER_NAMES: Final = _sql("""SELECT DISTINCT old_path FROM {change}
    WHERE repository_id = %s::bigint AND status = %s::text
        AND (path = %s::text OR path LIKE %s::text)""")
_LATER_NAMES: Final = _sql("""SELECT DISTINCT path FROM {change}
    WHERE repository_id = %s::bigint AND status = %s::text
        AND (old_path = %s::text OR old_path LIKE %s::text) ORDER BY path""")
_RENAMES: Final = _sql("""SELECT h.path, h.old_path FROM {change} h
    JOIN {commit} c ON c.id = h.commit_id
    WHERE h.repository_id = %s::bigint AND h.status = %s::text AND h.unread = %s::text
        AND c.sha = ANY(%s::text[])
    ORDER BY h.id""")
_WITHHELD: Final = _sql("SELECT path FROM {withheld} WHERE repository_id = %s::bigint")
_CHANGES: Final = _sql("""SELECT id, commit_id FROM {change}
    WHERE repository_id = %s::bigint AND (
        path = %s::text OR path LIKE %s::text OR old_path = %s::text OR old_path LIKE %s::text)""")
_MARK: Final = _sql("UPDATE {change} SET unread = %s::text WHERE id = ANY(%s::bigint[])")
_REMEMBER: Final = _sql("""INSERT INTO {withheld} (repository_id, path)
    SELECT %s::bigint, path FROM unnest(%s::text[]) AS path ON CONFLICT DO NOTHING""")
_PATCHES: Final = _sql("""SELECT p.commit_id, p.data, ARRAY(
        SELECT h.path FROM {change} h WHERE h.commit_id = p.commit_id AND h.unread = %s::text)
    FROM {patch} p WHERE p.commit_id = ANY(%s::bigint[])""")
_REPLACE: Final = _sql("""UPDATE {patch} SET data = made.data
    FROM unnest(%s::bigint[], %s::bytea[]) AS made (commit_id, data)
    WHERE {patch}.commit_id = made.commit_id""")
_FORGET: Final = _sql("UPDATE {commit} SET terms = '' WHERE id = ANY(%s::bigint[])")
_DELETE: Final = _sql("DELETE FROM {patch} WHERE commit_id = ANY(%s::bigint[])")
_SEGMENTS: Final = _sql(
    "SELECT id, files, format = %s::int FROM {segment} WHERE history_of_id = %s ORDER BY id"
)


class PurgedLines(NamedTuple):
    """What a purge took away: lines of these paths, from so many commits.

    `later`: names that they were given since, whose lines are kept.
    """

    paths: list[str]
    commits: int
    later: list[str]


@transaction.atomic
def purge_path(repository: Repository, path: str, *, actor: str) -> PurgedLines:
    """Delete the stored changed lines of a file, or of all below a directory, for good.

    Also those of the names that it had before. None that comes later is stored. Open runs of the
    repository have to be started again. Raises InvalidError for what is no path.
    """
    path = path.strip("/")
    if "\0" in path or path_problem(path):  # none of a commit is such a path
        raise InvalidError("Give a path as git lists it, such as config/secrets.env.")
    if not execute(_ADVANCE, [repository.pk]):  # its row stays locked
        return PurgedLines([], 0, [])
    execute(_FOLLOW, [repository.pk])
    paths = _with_former_names(repository.pk, path)
    commits = _purge(repository.pk, paths)
    record(
        actor=actor,
        action="repository.path_purged",
        target=repository.name,
        organization=repository.organization,
        detail={"paths": paths[:_NAMED], "commits": commits},
    )
    return PurgedLines(paths, commits, _later_names(repository.pk, paths))


def purge_names_of_past(repository_id: int, commits: Sequence[str]) -> None:
    """Purge the names that withheld paths had before, by the renames of commits of the past.

    They came after the purge, which did not know these names. In the transaction that stored them,
    when the text index has them.
    """
    withheld = {path for (path,) in fetch_rows(_WITHHELD, [repository_id])} if commits else set()
    if not withheld:
        return
    asked = [repository_id, ChangeStatus.RENAMED.value, Unread.WITHHELD.value, [*commits]]
    names = {
        former: None
        for path, old_path in fetch_rows(_RENAMES, asked)
        if is_withheld(path, "", withheld) and not is_withheld(old_path, "", withheld)
        for former in _with_former_names(repository_id, old_path)
    }
    if names:
        _purge(repository_id, list(names))


def _purge(repository_id: int, paths: Sequence[str]) -> int:
    """Delete the lines of paths, and keep those away that come; return of how many commits."""
    execute(_REMEMBER, [repository_id, list(paths)])
    commits: set[int] = set()
    for name in paths:
        below = f"{like_pattern(name)}/%"
        rows = fetch_rows(_CHANGES, [repository_id, name, below, name, below])
        execute(_MARK, [Unread.WITHHELD.value, id_array(key for key, _ in rows)])
        commits.update(commit for _, commit in rows)
    touched = sorted(commits)
    for start in range(0, len(touched), _COMMITS):
        _purge_patches(touched[start : start + _COMMITS])
    if touched:
        _purge_segments(repository_id, touched)
    return len(touched)


def _with_former_names(repository_id: int, path: str) -> list[str]:
    """Return a path and those that were renamed to it, or to one below it, and so on."""
    names = {path: None}
    waiting = [path]
    while waiting:
        name = waiting.pop()
        asked = [repository_id, ChangeStatus.RENAMED.value, name, f"{like_pattern(name)}/%"]
        for (former,) in fetch_rows(_FORMER_NAMES, asked):
            if not is_withheld(former, "", names):
                names[former] = None
                waiting.append(former)
    return list(names)


def _later_names(repository_id: int, paths: Sequence[str]) -> list[str]:
    """Return what the first names became, other than one of them or one below it, and so on."""
    names: dict[str, None] = {}
    waiting = list(paths)
    while waiting:
        name = waiting.pop()
        asked = [repository_id, ChangeStatus.RENAMED.value, name, f"{like_pattern(name)}/%"]
        for (later,) in fetch_rows(_LATER_NAMES, asked):
            if later not in names and not is_withheld(later, "", paths):
                names[later] = None
                waiting.append(later)
    return list(names)


def _purge_patches(commits: Sequence[int]) -> None:
    kept: dict[int, bytes] = {}
    emptied: list[int] = []
    for commit, data, withheld in fetch_rows(_PATCHES, [Unread.WITHHELD.value, id_array(commits)]):
        patch = pack_patch(pair for pair in unpack_patch(data) if pair[0] not in withheld)
        if patch is not None:
            kept[commit] = patch
        else:
            emptied.append(commit)
    execute(_REPLACE, [list(kept), list(kept.values())])
    execute(_DELETE, [id_array(emptied)])
    execute(_FORGET, [id_array(commits)])
    put_derived_rows(derived_rows(commits))


def _purge_segments(repository_id: int, commits: Sequence[int]) -> None:
    """Write the segments again that have some commits, or cannot be read."""
    while keys := [
        key
        for key, files, is_present in fetch_rows(_SEGMENTS, [FORMAT, repository_id])
        if not is_present or _has_any(bytes(files), commits)
    ]:
        delete_segments(
            keys, Indexed.COMMITS
        )  # a merge may have put another in place of one of them: look again
    build_now(repository_id, Indexed.COMMITS)


def _has_any(files: bytes, commits: Sequence[int]) -> bool:
    try:
        return bool(np.isin(unpack_ids(files), commits).any())
    except ValueError:  # of a row that is none
        return True
