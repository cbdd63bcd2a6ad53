"""The status of the index: one answer for every protocol."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from central.errors import NotFoundError
from central.repositories.models import IndexedBy, Repository
from central.repositories.states import (
    LIVE_RUN_STATES,
    IndexState,
    index_state,
    with_live_runs,
)
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential
from indexer.records.languages import WITHOUT_SYMBOLS


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run that has not ended."""

    id: UUID
    state: Annotated[str, LIVE_RUN_STATES]
    progress: dict[str, Any]


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
    reindex_requested_at: Annotated[
        datetime | None, "Since when the next run is to process every file; null: it is not"
    ]
    indexed_by: Annotated[str, IndexedBy]
    files: int
    skipped: int
    generated: Annotated[int, "Of the files: only symbols, references and text are indexed"]
    chunks: int
    symbols: int
    references: int
    languages: dict[str, int]
    languages_without_symbols: Annotated[
        list[str], "Languages of its files of which only text is indexed: no definitions or callers"
    ]
    embedder: str | None
    error: str | None
    run: LiveRun | None


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The organisation's index."""

    org_id: str
    last_updated: datetime | None
    total_chunks: int
    projects: list[ProjectStatus]


def index_status(*, credential: Credential, project: str = "") -> IndexStatus:
    """Return the status of all visible repositories or of `project`.

    One query. Raises NotFoundError for a project that is not visible.
    """
    repositories = with_live_runs(visible_repositories(credential=credential))
    if project:
        repositories = repositories.filter(name=project)
    found = list(repositories.order_by("name"))
    if project and not found:
        raise NotFoundError(
            "There is no such repository for this credential; check project.",
            code="repository_not_found",
        )
    return IndexStatus(
        org_id=credential.organization.slug,
        last_updated=max((r.indexed_at for r in found if r.indexed_at), default=None),
        total_chunks=sum(repository.chunks for repository in found),
        projects=[_project_status(repository) for repository in found],
    )


def _project_status(repository: Repository) -> ProjectStatus:
    live_run = repository.live_run  # type: ignore[attr-defined]
    return ProjectStatus(
        project=repository.name,
        default_branch=repository.tracked_ref.removeprefix("refs/heads/"),
        last_indexed_commit=repository.last_indexed_commit or None,
        indexed_at=repository.indexed_at,
        generation=repository.generation,
        state=index_state(repository).value,
        mode=repository.last_mode or None,
        reason=repository.last_reason or None,
        reindex_requested_at=repository.reindex_requested_at,
        indexed_by=repository.indexed_by,
        files=repository.files,
        skipped=repository.skipped,
        generated=repository.generated,
        chunks=repository.chunks,
        symbols=repository.symbols,
        references=repository.references,
        languages=repository.languages,
        languages_without_symbols=sorted(WITHOUT_SYMBOLS.intersection(repository.languages)),
        embedder=repository.embedder or None,
        error=repository.trouble_detail or None,
        run=live_run and LiveRun(**{**live_run, "id": UUID(live_run["id"])}),
    )
