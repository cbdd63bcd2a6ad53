"""Commits as a run brings them; their ids are their subjects in hexadecimal."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from central.corpus.commits import put_commits, settle_commits
from central.corpus.patches import commit_text
from central.corpus.trigrams.indexed import Indexed
from central.corpus.trigrams.segments import SegmentWriter
from central.repositories.models import Repository
from indexer.bundle.encode import encode_commit
from indexer.bundle.gzip import compress
from indexer.records.history import ChangeStatus, Commit, CommitRemoval, PathChange
from tests.central.protocol import Api, apply_run


def identity(subject: str) -> str:
    """The id of a commit."""
    return subject.encode().hex().ljust(40, "0")[:40]


def change(
    path: str, old_path: str = "", status: str = "M", *, hunks: str = "", blob: str = ""
) -> PathChange:
    """A changed path, renamed if it has an old one; its lines as git prints them."""
    status = "R" if old_path else status
    return PathChange(path, ChangeStatus(status), old_path, blob, hunks, unread=None)


def commit(
    subject: str,
    *parents: str,
    at: int = 0,
    changes: Sequence[PathChange] = (),
    author: str = "",
    body: str = "",
    reverts: Sequence[str] = (),
) -> Commit:
    """A commit; its parents and what it reverts by their subjects."""
    return Commit(
        sha=identity(subject),
        parents=tuple(map(identity, parents)),
        authored_at=at,
        committed_at=at,
        author=author,
        subject=subject,
        body=body,
        reverts=tuple(map(identity, reverts)),
        changes=tuple(changes),
        changed=len(changes),
    )


def queue_commits(api: Api, head: str, *commits: Commit, gone: Sequence[str] = ()) -> Any:
    """A full run of no files that brings commits and takes others away, not applied yet."""
    run = api.open(commit_sha=identity(head)).json()
    api.put_tree(run, [])
    batches = [list(map(CommitRemoval, map(identity, gone))), commits] if gone else [commits]
    for number, batch in enumerate(batches, start=1):
        lines = b"".join(map(encode_commit, batch))
        assert api.put_bytes(run, number, compress(lines)).status_code == 204
    body = api.announcement(run, commit_sha=identity(head), batches=len(batches))
    assert api.deliver(run, body).status_code == 202
    return run["run_id"]


def push_commits(api: Api, head: str, *commits: Commit, gone: Sequence[str] = ()) -> None:
    """The same, applied."""
    assert apply_run(run_id=queue_commits(api, head, *commits, gone=gone)) == "applied"


def store_commits(
    repository: Repository, head: str, *commits: Commit, base: str = "", gone: Sequence[str] = ()
) -> None:
    """What the apply of a run does with its commits; `head`, `base` and `gone` by subjects."""
    with transaction.atomic(), SegmentWriter[str](Indexed.COMMITS) as texts:
        keys = put_commits(repository.pk, commits, list(map(identity, gone)))
        for own in commits:
            if own.sha in keys:
                hunks = (change.hunks for change in own.changes)
                texts.add(own.sha, commit_text(own.subject, own.body, hunks))
        texts.finish()
        texts.insert(repository.pk, keys)
        settle_commits(
            repository.pk,
            head=identity(head),
            base=base and identity(base),
            parents={own.sha: own.parents for own in commits},
            is_rewritten=bool(gone),
        )
