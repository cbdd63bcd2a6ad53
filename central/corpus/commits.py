"""Commits of a repository, stored with the files of the run that brought them.

`put_commits` and `settle_commits` need a transaction.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from django.conf import settings

from central.corpus.authors import Authors
from central.corpus.messages import Message, message_of, message_terms, subject_vectors
from central.corpus.models import Commit, CommitChange, CommitPatch, WithheldPath
from central.corpus.patches import changed_lines, pack_patch, unpack_patch
from central.db import (
    columns_of,
    copy_into,
    copy_rows,
    execute,
    fetch_rows,
    id_array,
    new_ids,
    sql_with,
)
from central.repositories.models import Repository
from central.tenancy.models import Organization
from indexer.records import history
from indexer.records.authors import AuthorPolicy

_AT_ONCE: Final = 1_000  # rows of a transaction of the retention
_sql = sql_with(
    commit=Commit,
    change=CommitChange,
    patch=CommitPatch,
    withheld=WithheldPath,
    repository=Repository,
    organization=Organization,
    without_changes="""patches AS (
        DELETE FROM {patch} WHERE commit_id = ANY(ARRAY(SELECT id FROM gone))
    ), changes AS (
        DELETE FROM {change} WHERE commit_id = ANY(ARRAY(SELECT id FROM gone))
    ) SELECT count(*) FROM gone""",
)
_STORED: Final = _sql("SELECT sha FROM {commit} WHERE repository_id = %s::bigint ORDER BY sha")
_LINES: Final = _sql("SELECT sha, parents FROM {commit} WHERE repository_id = %s::bigint")
_FOUND: Final = _sql(
    "SELECT sha FROM {commit} WHERE repository_id = %s::bigint AND sha = ANY(%s::text[])"
)
_DELETE: Final = _sql("""WITH gone AS (
        DELETE FROM {commit} WHERE repository_id = %s::bigint AND sha = ANY(%s::text[])
        RETURNING id
    ), {without_changes}""")
_FORGET: Final = _sql("""UPDATE {commit} SET merge = ''
    WHERE repository_id = %s::bigint AND merge = ANY(%s::text[])""")
_DELETE_OLD: Final = _sql("""WITH gone AS (
        DELETE FROM {commit} WHERE id = ANY(ARRAY(
            SELECT id FROM (
                SELECT id, committed_at, row_number() OVER (
                    ORDER BY committed_at DESC, id DESC
                ) AS place FROM {commit} WHERE repository_id = %s::bigint
            ) found WHERE place > %s OR committed_at < %s::bigint LIMIT %s))
        RETURNING id
    ), {without_changes}""")
# A process of a version without lines deletes commits alone.
_DELETE_ORPHANS: Final = _sql("""DELETE FROM {patch} WHERE repository_id = %s::bigint
    AND NOT EXISTS (SELECT FROM {commit} WHERE {commit}.id = {patch}.commit_id)""")
_MERGE: Final = _sql("""UPDATE {commit} SET merge = now.merge
    FROM unnest(%s::text[], %s::text[]) AS now (sha, merge)
    WHERE {commit}.repository_id = %s::bigint AND {commit}.sha = now.sha
        AND {commit}.merge <> now.merge""")
_UNDESCRIBED: Final = _sql("""SELECT c.id, c.subject, c.body, p.data,
        ARRAY(SELECT h.path FROM {change} h WHERE h.commit_id = c.id)
    FROM {commit} c LEFT JOIN {patch} p ON p.commit_id = c.id
    WHERE c.id = ANY(%s::bigint[]) AND c.terms = ''::bytea ORDER BY c.id""")
_DESCRIBE: Final = _sql("""UPDATE {commit} SET terms = made.terms, vector = made.vector
    FROM unnest(%s::bigint[], %s::bytea[], %s::bytea[]) AS made (id, terms, vector)
    WHERE {commit}.id = made.id""")
_RULES: Final = _sql("""SELECT o.author_policy, o.author_key,
        ARRAY(SELECT w.path FROM {withheld} w WHERE w.repository_id = r.id)
    FROM {repository} r JOIN {organization} o ON o.id = r.organization_id
    WHERE r.id = %s::bigint""")
_COMMITS: Final = copy_into(Commit, "id", *columns_of(Commit))
_CHANGES: Final = copy_into(CommitChange)
_PATCHES: Final = copy_into(CommitPatch, "commit", "repository", "data")
STORED_ALREADY: Final = 0  # in the text index, for the key of a commit that came once more
_Parents = Mapping[str, Sequence[str]]


class _Rules(NamedTuple):
    """What is not stored of the commits of a repository, whatever comes."""

    authors: Authors
    withheld: frozenset[str]

    def kept(self, commit: history.Commit) -> history.Commit:
        return replace(
            commit,
            author=self.authors.kept(commit.author),
            changes=tuple(map(self._change, commit.changes)),
        )

    def _change(self, change: history.PathChange) -> history.PathChange:
        if not settings.HISTORY_LINES and change.unread in {None, history.Unread.UNKNOWN}:
            return replace(change, hunks="", unread=history.Unread.OFF)
        if self.withheld and is_withheld(change.path, change.old_path, self.withheld):
            return replace(change, hunks="", unread=history.Unread.WITHHELD)
        return change


def kept_commits(repository_id: int, commits: Sequence[history.Commit]) -> list[history.Commit]:
    """Return what may be stored of commits: authors by the policy, and no line that is withheld."""
    if not commits:
        return []
    [(policy, key, paths)] = fetch_rows(_RULES, [repository_id])
    rules = _Rules(Authors(AuthorPolicy(policy), bytes(key)), frozenset(paths))
    return list(map(rules.kept, commits))


def is_withheld(path: str, old_path: str, withheld: Collection[str]) -> bool:
    """Whether a change has lines of a path that is withheld, or of one below it."""
    return any(
        own[:end] in withheld
        for own in (path, old_path)
        for end in (*(at for at, character in enumerate(own) if character == "/"), len(own))
    )


def stored_commits(repository_id: int) -> list[str]:
    """Return the ids of the commits that need not be sent again."""
    return [sha for (sha,) in fetch_rows(_STORED, [repository_id])]


def put_commits(
    repository_id: int, commits: Sequence[history.Commit], removed: Sequence[str]
) -> dict[str, int]:
    """Store commits, unless they are stored, and delete those of `removed`; return the new keys.

    Of each what `kept_commits` returns. The repository's row is locked.

    Their texts are in the text index, or the caller adds them. No commit comes before its parent.
    What the removed ones brought is settled again.
    """
    if removed:
        execute(_DELETE, [repository_id, list(removed)])
        execute(_FORGET, [repository_id, list(removed)])
    if not commits:
        return {}
    ids = [commit.sha for commit in commits]
    known = {sha for (sha,) in fetch_rows(_FOUND, [repository_id, ids])}
    new = kept_commits(repository_id, [own for own in commits if own.sha not in known])
    keys = new_ids(Commit, len(new))
    terms = message_terms([message_of(commit) for commit in new])
    vectors = subject_vectors([commit.subject for commit in new])
    copy_rows(
        _COMMITS,
        (
            (
                *(key, repository_id, commit.sha, list(commit.parents)),
                *(commit.authored_at, commit.committed_at, commit.subject, commit.body),
                *(list(commit.reverts), commit.changed, commit.author, of_terms, vector, ""),
            )
            for key, commit, of_terms, vector in zip(keys, new, terms, vectors, strict=True)
        ),
    )
    copy_rows(
        _CHANGES,
        (
            (
                *(repository_id, key, change.path, change.status, change.old_path),
                *(change.blob, change.unread or ""),
            )
            for key, commit in zip(keys, new, strict=True)
            for change in commit.changes
        ),
    )
    copy_rows(
        _PATCHES,
        (
            (key, repository_id, patch)
            for key, commit in zip(keys, new, strict=True)
            if (patch := pack_patch((own.path, own.hunks) for own in commit.changes)) is not None
        ),
    )
    return {commit.sha: key for key, commit in zip(keys, new, strict=True)}


class DerivedRow(NamedTuple):
    """What is derived of a stored commit's message (central.corpus.messages)."""

    key: int
    terms: bytes
    vector: bytes | None


def derived_rows(keys: Sequence[int]) -> list[DerivedRow]:
    """Derive the terms and vectors of stored commits that have none yet."""
    rows = fetch_rows(_UNDESCRIBED, [id_array(keys)]) if keys else []
    terms = message_terms([_stored_message(*row) for _, *row in rows])
    vectors = subject_vectors([subject for _, subject, *_ in rows])
    return list(map(DerivedRow, (key for key, *_ in rows), terms, vectors))


def _stored_message(subject: str, body: str, patch: bytes | None, paths: Sequence[str]) -> Message:
    """Return what `message_of` returns of the commit that came."""
    lines = changed_lines(hunks for _, hunks in unpack_patch(patch))
    return Message(subject, body, "\n".join(sorted(paths)), "\n".join(lines))


def put_derived_rows(rows: Sequence[DerivedRow]) -> None:
    """Store what `derived_rows` derived."""
    if rows:
        execute(_DESCRIBE, [list(column) for column in zip(*rows, strict=True)])


def settle_commits(
    repository_id: int, *, head: str, base: str, parents: _Parents, is_rewritten: bool
) -> None:
    """Say which merge brought each commit, and delete the oldest beyond HISTORY_COMMITS.

    `parents` are those of the run's commits by id; `base` is what they follow, "" if some may be
    older than those that are stored. If the branch went on from `base` by first parents and nothing
    was removed, only these are looked at, else all that are stored.
    """
    if not (parents or is_rewritten):
        return
    line = first_parent_line(head, parents)
    before = next(iter(parents[line[-1]]), "") if line else head
    if is_rewritten or not base or before != base:
        parents = dict(fetch_rows(_LINES, [repository_id]))
    merges = merges_of(head, parents)
    execute(_MERGE, [list(merges), list(merges.values()), repository_id])
    execute(_DELETE_OLD, [repository_id, settings.HISTORY_COMMITS, 0, None])


def delete_old_commits(*, older_than: datetime | None) -> int:
    """Delete commits beyond HISTORY_COMMITS of a repository, and of before a time; return how many.

    Not in a transaction.
    """
    before = int(older_than.timestamp()) if older_than else 0
    count = 0
    for repository in Repository.objects.order_by("pk").values_list("pk", flat=True):
        asked = [repository, settings.HISTORY_COMMITS, before, _AT_ONCE]
        deleted = _AT_ONCE
        while deleted == _AT_ONCE:
            [(deleted,)] = fetch_rows(_DELETE_OLD, asked)
            count += deleted
        execute(_DELETE_ORPHANS, [repository])
    return count


def first_parent_line(head: str, parents: _Parents) -> list[str]:
    """Return the commits from `head` along first parents, as far as they are known."""
    line: dict[str, None] = {}
    while head in parents and head not in line:
        line[head] = None
        head = next(iter(parents[head]), "")
    return list(line)


def merges_of(head: str, parents: _Parents) -> dict[str, str]:
    """Return, for each known commit that `head` contains, the commit that brought it.

    It is the oldest of the first-parent line that contains it.
    """
    merges: dict[str, str] = {}
    for merge in reversed(first_parent_line(head, parents)):
        waiting = [merge]
        while waiting:
            sha = waiting.pop()
            if sha in parents and sha not in merges:
                merges[sha] = merge
                waiting.extend(parents[sha])
    return merges
