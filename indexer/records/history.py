"""Commits, as a run sends them and central stores them.

A commit's record is a function of the commit alone, so a commit that is stored is never sent again.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

COMMITS_SENT: Final = 1_000  # the newest of a repository, of which a run sends those unknown
COMMIT_PATHS: Final = 1_000  # of a commit; the record says how many it changed
COMMIT_PARENTS: Final = 100
COMMIT_REVERTS: Final = 20
SUBJECT_CHARACTERS: Final = 500
BODY_CHARACTERS: Final = 10_000
AUTHOR_CHARACTERS: Final = 320
LAST_SECOND: Final = 253_402_300_799  # of the year 9999, since 1970
HUNKS_BYTES: Final = 131_072  # of a path of a commit
COMMIT_HUNKS_BYTES: Final = 524_288  # of a commit
BLOB_DIGITS: Final = 16  # that tell the versions of a file from one another


class ChangeStatus(StrEnum):
    """What a commit does to a path, by git's letters. A copy is an addition."""

    ADDED = "A"
    DELETED = "D"
    MODIFIED = "M"
    RENAMED = "R"
    TYPE = "T"  # from a file to a link, say


class Unread(StrEnum):
    """Why a change comes without its lines."""

    BINARY = "binary"
    LARGE = "large"  # beyond HUNKS_BYTES or COMMIT_HUNKS_BYTES
    WITHHELD = "withheld"  # a path whose content is not sent: secrets, or excluded by settings
    ABSENT = "absent"  # not in the clone
    OFF = "off"  # by settings
    UNKNOWN = "unknown"  # an earlier client sent none


@dataclass(frozen=True, slots=True)
class PathChange:
    """A path that a commit changes; `old_path` is the one before a rename, else "".

    `blob`: the first BLOB_DIGITS of the id of its content afterwards, "" if it is gone.
    `hunks`: what became of its lines (indexer.records.hunks), "" if none changed, or if `unread`.
    """

    path: str
    status: ChangeStatus
    old_path: str = ""
    blob: str = ""
    hunks: str = ""
    unread: Unread | None = Unread.UNKNOWN


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit; times are seconds since 1970, from 0 to LAST_SECOND.

    `author` is an address, lower case, or its digest, or "" by the policy of the organisation.
    `reverts` are the commits that git's own sentence in its message names. `changes` are against
    the parent; of a merge, against all parents: what it has of none of them. They are at most
    COMMIT_PATHS, in the order of their paths, of `changed`.
    """

    sha: str
    parents: tuple[str, ...]
    authored_at: int
    committed_at: int
    author: str
    subject: str
    body: str
    reverts: tuple[str, ...]
    changes: tuple[PathChange, ...]
    changed: int


@dataclass(frozen=True, slots=True)
class CommitRemoval:
    """A commit that the branch no longer has."""

    sha: str
