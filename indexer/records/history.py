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


class ChangeStatus(StrEnum):
    """What a commit does to a path, by git's letters. A copy is an addition."""

    ADDED = "A"
    DELETED = "D"
    MODIFIED = "M"
    RENAMED = "R"
    TYPE = "T"  # from a file to a link, say


@dataclass(frozen=True, slots=True)
class PathChange:
    """A path that a commit changes; `old_path` is the one before a rename, else ""."""

    path: str
    status: ChangeStatus
    old_path: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit; times are seconds since 1970, from 0 to LAST_SECOND.

    `author` is an address, lower case. `reverts` are the commits that git's own sentence in its
    message names. `changes` are against the parent; of a merge, against all parents: what it has
    of none of them. They are at most COMMIT_PATHS, in the order of their paths, of `changed`.
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
