"""The commits of a run: those that central does not have, and those that the branch lost."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from indexer.bundle.encode import encode_commit
from indexer.client.api import IndexingClient, OpenedRun
from indexer.config.project_file import PROJECT_FILE, parse_project_file
from indexer.errors import GitError
from indexer.git.history import newest_commits, read_commits
from indexer.git.repository import Repository
from indexer.records.files import COMMITS
from indexer.records.history import Commit, CommitRemoval
from indexer.records.runs import Mode, Plan

_UNREAD: Final = 3  # commits that git cannot read: then the others are left out, too
_log = logging.getLogger(__name__)


def commit_lines(
    *,
    repository: Repository,
    central: IndexingClient,
    opened: OpenedRun,
    plan: Plan,
    head: str,
) -> Iterator[bytes]:
    """Yield the lines of the commits between the indexed commit and `head`, the oldest first.

    Without an indexed commit that `head` contains, they are compared with those that central has.
    What git cannot read of the past is left out, with a warning: files are indexed without it.
    """
    if COMMITS not in opened.record_fields or not repository.has_history:
        return
    try:
        removed, wanted = _compared(repository, central, opened, plan, head)
    except GitError as exc:
        _log.warning("history: %s. Files are indexed without their history", exc)
        return
    yield from (encode_commit(CommitRemoval(sha)) for sha in removed)
    for record in _readable(repository, wanted):
        commit = replace(record, author="")  # nothing there needs it yet
        line = encode_commit(commit)
        if len(line) > opened.batch_bytes:
            line = encode_commit(replace(commit, body="", changes=()))
        yield line


def _readable(repository: Repository, wanted: Sequence[str]) -> Iterator[Commit]:
    """Yield commits, without those that git cannot read; of many, without the rest.

    When git ends, its last answers are lost: the next commit is then read alone.
    """
    unread, is_alone = 0, False
    while wanted and unread < _UNREAD:
        count = 0
        try:
            for commit in read_commits(repository, wanted[:1] if is_alone else wanted):
                count += 1
                yield commit
        except GitError as exc:
            if is_alone:
                _log.warning("history: %s is left out: %s", wanted[0], exc)
                unread, count = unread + 1, 1
            is_alone = not is_alone
        else:
            is_alone = False
        wanted = wanted[count:]
    if wanted:
        _log.warning("history: the newest %d commits are left out", len(wanted))


def _compared(
    repository: Repository, central: IndexingClient, opened: OpenedRun, plan: Plan, head: str
) -> tuple[list[str], list[str]]:
    """Return the commits to remove, and those to send, the oldest first.

    A shallow clone does not tell what the branch lost.
    """
    if not parse_project_file(repository.read_path(head, PROJECT_FILE) or b"").has_commits:
        return central.stored_commits(opened.run_id), []
    if plan.mode is Mode.INCREMENTAL and plan.base:
        return [], newest_commits(repository, head, base=plan.base)[::-1]
    stored = central.stored_commits(opened.run_id)
    contained = _contained(repository, head, stored)
    lost = [] if repository.is_shallow() else [sha for sha in stored if sha not in contained]
    known = set(stored)
    return lost, [sha for sha in newest_commits(repository, head)[::-1] if sha not in known]


def _contained(repository: Repository, head: str, commits: Sequence[str]) -> set[str]:
    """Return those of some commits that `head` contains. Walks only as far as they differ."""
    if not commits:
        return set()
    names = "".join(f"{sha}\n" for sha in commits).encode()
    checked = b"".join(repository.read_offline("cat-file", "--batch-check", stdin=names))
    lines = [line.split() for line in checked.decode().splitlines()]
    present = [line[0] for line in lines if line[1:2] == ["commit"]]
    asked = "".join(f"{sha}\n" for sha in [*present, f"^{head}"]).encode()
    lost = b"".join(repository.read_offline("rev-list", "--stdin", stdin=asked))
    return set(present).difference(lost.decode().split())
