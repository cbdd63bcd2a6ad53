"""Answers of lists and of content, and how the schema describes them."""

import time
from dataclasses import dataclass, field
from typing import Annotated

from aeterna_code_search.contract.notes import YOUNGER
from aeterna_code_search.contract.projects import OWNERS, AnsweringProject, MissingProject
from central.repositories.visibility import RepositorySnapshot, answering_projects


@dataclass(frozen=True, slots=True)
class FilesReceipt:
    """Which commit answered, and why the answer may lack something."""

    complete: Annotated[bool, "Whether the index is of the newest known commit"]
    took_ms: float
    projects: list[AnsweringProject]
    missing: list[MissingProject]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file, or a directory with what is below it."""

    name: Annotated[str, "The last part of the path"]
    path: Annotated[str, "From the repository's root"]
    type: Annotated[str, "dir or file"]
    language: Annotated[str | None, "Of a file; null if it is unknown"]
    size: Annotated[int | None, "Of a file, in bytes"]
    files: Annotated[int | None, "Of a directory: how many files are below it"]
    skipped: Annotated[str | None, "Why the index has no content of the file; null: it has"]
    generated: Annotated[
        bool, "Whether it is generated: no search by words and meaning finds it"
    ] = False
    partly_parsed: Annotated[bool, "Whether its grammar understands only a part of it"] = False
    encoding: Annotated[str | None, "Of a file whose bytes are not UTF-8: Python's codec"] = None


@dataclass(frozen=True, slots=True)
class UnparsedRange:
    """Lines that a file's grammar does not understand, and how many calls seem to be in them."""

    start_line: int
    end_line: int
    calls: int


@dataclass(frozen=True, slots=True)
class FileList:
    """A page of a directory, or of the paths that match a glob."""

    project: str
    path: Annotated[str, "The directory; empty for the repository's root"]
    glob: str | None
    entries: list[FileEntry]
    count: Annotated[int, "Of entries on this page"]
    next_cursor: str | None
    receipt: FilesReceipt
    hint: Annotated[str | None, "Why the answer is empty"] = None


@dataclass(frozen=True, slots=True)
class FileContent:
    """Lines of an indexed file."""

    project: str
    path: str
    commit: str
    language: str | None
    size: Annotated[int, "Of the whole file, in bytes"]
    total_lines: int
    start_line: Annotated[int, "Of the content, 1-based; 0 if there is none"]
    end_line: Annotated[int, "Of the content, inclusive"]
    content: Annotated[str | None, "null if the file is skipped"]
    truncated: Annotated[bool, "Whether lines that were asked for did not fit"]
    skipped: Annotated[str | None, "Why the index has no content of the file; null: it has"]
    url: Annotated[str | None, "Of the lines, at the forge or else on this service's page"]
    receipt: FilesReceipt
    hint: Annotated[str | None, "What to do if the content is missing or truncated"] = None
    generated: Annotated[
        bool, "Whether it is generated: no search by words and meaning finds it"
    ] = False
    unparsed: Annotated[
        list[UnparsedRange], "Lines that its grammar does not understand; at most 200 ranges"
    ] = field(default_factory=list)
    encoding: Annotated[str | None, "Of the file's bytes if not UTF-8: Python's codec"] = None
    byte_order_mark: Annotated[bool, "Whether the file begins with one; content never does"] = False
    owners: Annotated[list[str] | None, OWNERS] = None


@dataclass(frozen=True, slots=True)
class ChangedPath:
    """What a commit did to a path."""

    path: str
    status: Annotated[str, "added, deleted, modified, renamed or type"]
    old_path: Annotated[str | None, "Before it was renamed"]


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """A commit of the indexed branch."""

    commit: str
    parents: list[str]
    authored_at: Annotated[str, "RFC 3339, in UTC"]
    committed_at: Annotated[str, "RFC 3339, in UTC"]
    subject: str
    body: Annotated[str, "The message without its subject; at most 10,000 characters"]
    merge: Annotated[
        str | None,
        "The commit of the branch's first-parent line that brought it, which may be itself; null "
        "if commits between them are not stored",
    ]
    reverts: Annotated[list[str], "Commits that it takes back"]
    reverted_by: Annotated[list[str], "Commits of the branch that take it back"]
    changed: Annotated[int, "Paths that it changes"]
    changes: Annotated[list[ChangedPath], "Those that were asked for, at most 100"]
    url: Annotated[str | None, "At the forge"]


@dataclass(frozen=True, slots=True)
class History:
    """A page of commits, the newest first."""

    project: str
    path: Annotated[str, "Empty for the whole repository"]
    commits: list[CommitEntry]
    count: Annotated[int, "Of commits on this page"]
    next_cursor: str | None
    since: Annotated[str | None, "When the oldest stored commit was made; null: none is stored"]
    receipt: FilesReceipt
    hint: Annotated[str | None, "Why the answer is empty, or ends"] = None
    symbol: Annotated[
        str | None, "The qualified name of the definition, if one was asked for", YOUNGER
    ] = None


@dataclass(frozen=True, slots=True)
class BlamedLines:
    """Lines that one commit made as they are."""

    start_line: int
    end_line: Annotated[int, "Inclusive"]
    commit: str
    subject: str
    committed_at: Annotated[str, "RFC 3339, in UTC"]
    author: Annotated[str | None, "Its address or a digest, by the organisation's policy"]
    merge: Annotated[str | None, "The commit of the branch's first-parent line that brought it"]
    url: Annotated[str | None, "At the forge"]


@dataclass(frozen=True, slots=True)
class UnattributedLines:
    """Lines whose commit is not known."""

    start_line: int
    end_line: Annotated[int, "Inclusive"]
    reason: Annotated[
        str,
        "not_stored: older than the stored commits; binary, large, withheld, absent, off or "
        "unknown: a commit's lines are not stored; many_paths, merge, inconsistent: what a commit "
        "did is not certain; limit: of time",
    ]


@dataclass(frozen=True, slots=True)
class Blame:
    """Which commit made each line of an indexed file."""

    project: str
    path: str
    commit: Annotated[str, "The indexed one"]
    total_lines: int
    start_line: Annotated[int, "Of the answer, 1-based; 0 if there is none"]
    end_line: Annotated[int, "Of the answer, inclusive"]
    ranges: list[BlamedLines]
    unknown: list[UnattributedLines]
    truncated: Annotated[bool, "Whether lines that were asked for did not fit"]
    since: Annotated[str | None, "When the oldest stored commit was made; null: none is stored"]
    receipt: FilesReceipt
    hint: Annotated[str | None, "Why lines are unknown, or what to do about those left out"] = None


def files_receipt(repository: RepositorySnapshot, *, started: float) -> FilesReceipt:
    """Return the receipt of an answer of one repository."""
    reason = repository.incomplete_reason
    return FilesReceipt(
        complete=not reason,
        took_ms=round((time.perf_counter() - started) * 1000, 1),
        projects=answering_projects([repository]),
        missing=[repository.missing(reason)] if reason else [],
    )
