"""Commits as a run brings them; their ids are their subjects in hexadecimal."""

from collections.abc import Sequence

from django.db import transaction

from central.corpus.commits import put_commits, settle_commits
from central.repositories.models import Repository
from indexer.records.history import ChangeStatus, Commit, PathChange


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


def store_commits(
    repository: Repository, head: str, *commits: Commit, base: str = "", gone: Sequence[str] = ()
) -> None:
    """What the apply of a run does with its commits; `head`, `base` and `gone` by subjects."""
    with transaction.atomic():
        put_commits(repository.pk, commits, list(map(identity, gone)))
        settle_commits(
            repository.pk,
            head=identity(head),
            base=base and identity(base),
            parents={own.sha: own.parents for own in commits},
            is_rewritten=bool(gone),
        )
