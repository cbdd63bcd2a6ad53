"""The status of the index."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final
from uuid import UUID

from aeterna_code_search.contract.notes import YOUNGER, argument

STATUS_UNREAD_MANIFESTS: Final = 20  # that the status of a project names

RUN_STATES_NOT_ENDED: Final = ("open", "queued", "applying")


class IndexState(StrEnum):
    """The state of an index; the first that holds, in this order."""

    PAUSED = "paused"  # an administrator stopped indexing
    INDEXING = "indexing"  # a run is open, queued or being applied
    FAILED = "failed"  # the newest run failed, or the clone of one without an index
    BEHIND = "behind"  # a newer commit is known that is not indexed
    NEVER = "never"
    CURRENT = "current"


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """`GET /api/v1/index/status`."""

    project: str = argument("", tool="This repository only", sidecar="", chars=200)


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run that has not ended."""

    id: UUID
    state: Annotated[str, RUN_STATES_NOT_ENDED]
    progress: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BranchStatus:
    """The index of a branch beside the default one."""

    ref: Annotated[str, "Its short name, as ref of requests"]
    last_indexed_commit: str | None
    indexed_at: datetime | None
    files: int
    trouble: Annotated[str | None, "failed or behind: what its newest run left; null: neither"]
    error: str | None
    reason: Annotated[
        str | None,
        "branch_not_indexed: answers lack it until a run of it processes every file; else null",
    ]


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    """One repository's index."""

    project: str
    default_branch: str
    last_indexed_commit: str | None
    indexed_at: datetime | None
    generation: int
    state: Annotated[str, IndexState]
    mode: str | None
    reason: str | None
    vectors: Annotated[
        str | None, "relay, direct, or direct_refused: relayed, because direct was refused", YOUNGER
    ]
    reindex_requested_at: Annotated[
        datetime | None,
        "Since when the next run is to process every file; null: it is not",
        YOUNGER,
    ]
    indexed_by: Annotated[str, ("action", "central"), YOUNGER]
    files: int
    skipped: int
    skipped_reasons: Annotated[
        dict[str, int] | None,
        "Reason → skipped files; null: too many for one answer, ask for one project",
        YOUNGER,
    ]
    generated: Annotated[
        int, "Of the files: only symbols, references and text are indexed", YOUNGER
    ]
    partly_parsed: Annotated[
        int, "Of the files: a grammar understands only a part of them", YOUNGER
    ]
    unread_manifests: Annotated[
        dict[str, str],
        "Path → why a manifest is not read, or not whole: invalid, too_large or partial; the first "
        f"{STATUS_UNREAD_MANIFESTS}",
        YOUNGER,
    ]
    older_extractor: Annotated[
        list[str],
        "Parts of the extractor that are older than this service's: languages, hosts, manifests, "
        "selection, or everything; the next run reads what depends on them again",
        YOUNGER,
    ]
    chunks: int
    symbols: int
    references: int
    disk_bytes: Annotated[
        int,
        "Bytes on disk, estimated: by its rows, its share of the tables and of the embedded "
        "vector store; measured at most every five minutes",
        YOUNGER,
    ]
    languages: dict[str, int]
    resolved_by: Annotated[
        dict[str, int],
        "Of the files that may have references: which SCIP indexer, with its version, has bound "
        "them, or the service's own rules → files",
        YOUNGER,
    ]
    languages_without_symbols: Annotated[
        list[str],
        "Languages of its files of which only text is indexed: no definitions or callers",
        YOUNGER,
    ]
    embedder: str | None
    policies_not_run: Annotated[
        list[str],
        "Ids of policies that are not run in it; each policy's own answer says why",
        YOUNGER,
    ]
    error: str | None
    lacking_since: Annotated[
        datetime | None,
        "Since when it should have an index and has none: answers lack it; else null",
        YOUNGER,
    ]
    run: LiveRun | None
    branches: Annotated[list[BranchStatus], "Beside the default one, by name", YOUNGER]


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The organisation's index."""

    org_id: str
    last_updated: datetime | None
    total_chunks: int
    projects: list[ProjectStatus]
