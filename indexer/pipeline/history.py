"""The commits of a run: those that central does not have, and those that the branch lost."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from indexer.bundle.encode import encode_commit
from indexer.client.api import AuthorRule, IndexingClient, OpenedRun
from indexer.config.project_file import PROJECT_FILE, ProjectFile, parse_project_file
from indexer.errors import ConfigurationError, GitError
from indexer.git.commit_changes import WhyUnread
from indexer.git.history import newest_commits, read_commits, without_lines
from indexer.git.repository import Repository
from indexer.pipeline.plan import selection_rules
from indexer.pipeline.select import skip_reason_by_path
from indexer.records.authors import AuthorPolicy, author_digest
from indexer.records.files import COMMIT_LINES, COMMITS
from indexer.records.history import COMMITS_SENT, Commit, CommitRemoval, Unread
from indexer.records.runs import Mode, Plan, Reason

_UNREAD: Final = 3  # commits that git cannot read: then the others are left out, too
_PATHS: Final = 10_000  # of which a run remembers whether their lines are sent
_log = logging.getLogger(__name__)


def history_plan(plan: Plan, commit: str) -> Plan:
    """Return the plan of a run that sends all commits again, though no file may have changed."""
    if plan.reason is Reason.UP_TO_DATE:
        return Plan(Mode.INCREMENTAL, Reason.REQUESTED, commit)
    return plan


def commit_lines(
    *,
    repository: Repository,
    central: IndexingClient,
    opened: OpenedRun,
    plan: Plan,
    head: str,
    sends_all: bool = False,
) -> Iterator[bytes]:
    """Yield the lines of the commits between the indexed commit and `head`, the oldest first.

    Without an indexed commit that `head` contains, they are compared with those that central has.
    With `sends_all`, and if other lines are to be sent now than before, all are sent again; to a
    service that reads no lines, those that it does not have.

    What git cannot read of the past is left out, with a warning: files are indexed without it.
    """
    if COMMITS not in opened.record_fields or not repository.has_history:
        return
    has_lines = COMMIT_LINES in opened.record_fields
    try:
        removed, wanted = _compared(
            repository, central, opened, plan, head, sends_all=sends_all, has_lines=has_lines
        )
    except GitError as exc:
        _log.warning("history: %s. Files are indexed without their history", exc)
        return
    yield from (encode_commit(CommitRemoval(sha)) for sha in removed)
    why_unread = _why_unread(repository, head) if has_lines else without_lines
    for record in _readable(repository, wanted, why_unread):
        commit = replace(record, author=_author(opened.authors, record.author))
        yield _line(commit, has_lines=has_lines, most_bytes=opened.batch_bytes)


def _author(rule: AuthorRule, address: str) -> str:
    """Return what is sent of an address; it may look like a digest and is none."""
    if rule.policy is AuthorPolicy.OFF or not address:
        return ""
    return address if rule.policy is AuthorPolicy.PLAIN else author_digest(rule.key, address)


def _line(commit: Commit, *, has_lines: bool, most_bytes: int) -> bytes:
    """Return the line of a commit, without its lines or more if it would be too large."""
    line = encode_commit(commit, has_lines=has_lines)
    if len(line) > most_bytes:
        changes = tuple(
            replace(change, hunks="", unread=Unread.LARGE) if change.hunks else change
            for change in commit.changes
        )
        line = encode_commit(replace(commit, changes=changes), has_lines=has_lines)
    if len(line) > most_bytes:
        line = encode_commit(replace(commit, body="", changes=()), has_lines=has_lines)
    return line


def _why_unread(repository: Repository, head: str) -> WhyUnread:
    """Return the rule of `head`: no lines of a path whose content no run sends."""
    if not _project_file(repository, head).has_commit_lines:
        return without_lines
    rules = selection_rules(repository, head)

    @lru_cache(_PATHS)
    def why_unread(path: str) -> Unread | None:
        return Unread.WITHHELD if skip_reason_by_path(path, rules) else None

    return why_unread


def _project_file(repository: Repository, commit: str) -> ProjectFile:
    return parse_project_file(repository.read_path(commit, PROJECT_FILE) or b"")


def _readable(
    repository: Repository, wanted: Sequence[str], why_unread: WhyUnread
) -> Iterator[Commit]:
    """Yield commits, without those that git cannot read; of many, without the rest.

    When git ends, its last answers are lost: the next commit is then read alone, and if that fails,
    without its lines.
    """
    unread, is_alone = 0, False
    while wanted and unread < _UNREAD:
        count = 0
        try:
            if is_alone:
                yield _read_alone(repository, wanted[0], why_unread)
                count = 1
            else:
                portion = wanted[:COMMITS_SENT]  # whose texts are in memory together
                for commit in read_commits(repository, portion, why_unread=why_unread):
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


def _read_alone(repository: Repository, commit: str, why_unread: WhyUnread) -> Commit:
    try:
        [record] = read_commits(repository, [commit], why_unread=why_unread)
    except GitError:
        if why_unread is without_lines:
            raise
        [record] = read_commits(repository, [commit])
        _log.warning("history: git cannot tell the changed lines of %s", commit)
        changes = (
            replace(change, unread=change.unread and Unread.LARGE) for change in record.changes
        )
        return replace(record, changes=tuple(changes))
    return record


def _compared(
    repository: Repository,
    central: IndexingClient,
    opened: OpenedRun,
    plan: Plan,
    head: str,
    *,
    sends_all: bool,
    has_lines: bool,
) -> tuple[list[str], list[str]]:
    """Return the commits to remove, and those to send, the oldest first.

    A shallow clone does not tell what the branch lost.
    """
    if not _project_file(repository, head).has_commits:
        return central.stored_commits(opened.run_id), []
    is_incremental = plan.mode is Mode.INCREMENTAL and plan.base is not None
    if sends_all:
        if repository.is_shallow():
            repository.unshallow()
    elif is_incremental:
        return [], newest_commits(repository, head, base=plan.base)[::-1]
    stored = central.stored_commits(opened.run_id)
    if has_lines and (sends_all or _sends_other_lines(repository, opened.base_commit, head)):
        newest = newest_commits(repository, head, limit=max(COMMITS_SENT, len(stored)))
        return stored, newest[::-1]
    contained = _contained(repository, head, stored)
    lost = [] if repository.is_shallow() else [sha for sha in stored if sha not in contained]
    known = set(stored)
    return lost, [sha for sha in newest_commits(repository, head)[::-1] if sha not in known]


def _sends_other_lines(repository: Repository, base: str | None, head: str) -> bool:
    """Whether the rules that keep lines from being sent may differ since the indexed commit."""
    if base is None or base == head:
        return False
    try:
        if repository.is_shallow() and not repository.has_commit(base):
            repository.unshallow()
        before = _project_file(repository, base)
    except (GitError, ConfigurationError):  # it is not in the clone, or was never read
        return True
    now = _project_file(repository, head)
    return (before.include, before.exclude, before.has_commit_lines) != (
        now.include,
        now.exclude,
        now.has_commit_lines,
    )


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
