"""The status of the index: one answer for every protocol."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from django.db.models import Count, Window
from django.db.models.functions import RowNumber

from aeterna_code_search.contract.status import (
    STATUS_UNREAD_MANIFESTS,
    BranchStatus,
    IndexStatus,
    LiveRun,
    ProjectStatus,
    StatusRequest,
)
from central.errors import NotFoundError
from central.extensions import added
from central.repositories.disk_usage import disk_bytes
from central.repositories.expectations import is_expected
from central.repositories.extractors import parts_to_read_again
from central.repositories.models import Repository
from central.repositories.states import index_state, with_live_runs
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential
from indexer.ecosystems import ecosystem_of
from indexer.records.languages import WITHOUT_SYMBOLS
from indexer.records.refs import short_name

STATUS_SKIPPED_FILES: Final = 50_000  # that the status of several projects counts by reason
RULES: Final = "rules"
BRANCH_NOT_INDEXED: Final = "branch_not_indexed"
_OTHERS: Final = "other indexers"
_NAMED: Final = 3


def index_status(*, credential: Credential, request: StatusRequest) -> IndexStatus:
    """Return the status of all visible repositories, or of the one that is asked for.

    Three queries, another one if files are skipped, and two to measure the disk. Raises
    NotFoundError for a project that is not visible.
    """
    repositories = with_live_runs(visible_repositories(credential=credential))
    if request.project:
        repositories = repositories.filter(name=request.project)
    found = list(repositories.order_by("name").prefetch_related("branch_set"))
    if request.project and not found:
        raise NotFoundError(
            "There is no such repository for this credential; check project.",
            code="repository_not_found",
        )
    skipped = _skipped_reasons(found)
    unread = unread_manifests(found)
    disk = disk_bytes(found)
    not_run = {
        key: ids for find in added("policies_not_run") for key, ids in find(credential).items()
    }
    return IndexStatus(
        org_id=credential.organization.slug,
        last_updated=max((r.indexed_at for r in found if r.indexed_at), default=None),
        total_chunks=sum(repository.chunks for repository in found),
        projects=[
            _project_status(
                repository,
                None if skipped is None else skipped.get(repository.pk, {}),
                not_run.get(repository.pk, []),
                unread.get(repository.pk, {}),
                disk[repository.pk],
            )
            for repository in found
        ],
    )


def _skipped_reasons(repositories: list[Repository]) -> dict[int, dict[str, int]] | None:
    """Return the skipped files of each reason by repository; None if there are too many."""
    keys = [repository.pk for repository in repositories if repository.skipped]
    if (
        len(repositories) > 1
        and sum(repository.skipped for repository in repositories) > STATUS_SKIPPED_FILES
    ):
        return None
    if not keys:
        return {}
    # As a condition of the partial index on skipped files, which answers this alone.
    of_reasons = Repository.objects.filter(pk__in=keys, file_set__skipped__gt="").order_by()
    counts = of_reasons.values_list("pk", "file_set__skipped").annotate(count=Count("file_set"))
    found: dict[int, dict[str, int]] = {}
    for key, reason, count in counts.order_by("pk", "-count", "file_set__skipped"):
        found.setdefault(key, {})[reason] = count
    return found


def unread_manifests(repositories: list[Repository]) -> dict[int, dict[str, str]]:
    """Return the first unread manifests of each repository, with why."""
    keys = [repository.pk for repository in repositories if repository.generation]
    if not keys:
        return {}
    # As a condition of the partial index on them, from which they are read.
    numbered = Repository.objects.filter(
        pk__in=keys, file_set__manifest__data__has_key="problem"
    ).annotate(number=Window(RowNumber(), partition_by="pk", order_by="file_set__path"))
    rows = numbered.filter(number__lte=STATUS_UNREAD_MANIFESTS).order_by("pk", "file_set__path")
    found: dict[int, dict[str, str]] = {}
    for key, path, problem in rows.values_list(
        "pk", "file_set__path", "file_set__manifest__data__problem"
    ):
        found.setdefault(key, {})[path] = problem
    return found


def _project_status(
    repository: Repository,
    skipped_reasons: dict[str, int] | None,
    policies_not_run: list[str],
    unread_manifests: dict[str, str],
    disk: int,
) -> ProjectStatus:
    live_run = repository.live_run  # type: ignore[attr-defined]
    return ProjectStatus(
        project=repository.name,
        default_branch=short_name(repository.tracked_ref),
        last_indexed_commit=repository.last_indexed_commit or None,
        indexed_at=repository.indexed_at,
        generation=repository.generation,
        state=index_state(repository).value,
        mode=repository.last_mode or None,
        reason=repository.last_reason or None,
        vectors=repository.last_vectors or None,
        reindex_requested_at=repository.reindex_requested_at,
        indexed_by=repository.indexed_by,
        files=repository.files,
        skipped=repository.skipped,
        skipped_reasons=skipped_reasons,
        generated=repository.generated,
        partly_parsed=repository.partly_parsed,
        unread_manifests=unread_manifests,
        older_extractor=parts_to_read_again(repository),
        chunks=repository.chunks,
        symbols=repository.symbols,
        references=repository.references,
        disk_bytes=disk,
        languages=repository.languages,
        resolved_by=resolved_by(repository.scip, repository.languages),
        languages_without_symbols=sorted(WITHOUT_SYMBOLS.intersection(repository.languages)),
        embedder=repository.embedder or None,
        policies_not_run=policies_not_run,
        error=repository.trouble_detail or None,
        lacking_since=repository.created_at
        if is_expected(repository) and not repository.generation
        else None,
        run=live_run and LiveRun(**{**live_run, "id": UUID(live_run["id"])}),
        branches=branch_statuses(repository),
    )


def branch_statuses(repository: Repository) -> list[BranchStatus]:
    """Return the branches beside the default one, by name."""
    return [
        BranchStatus(
            ref=short_name(branch.ref),
            last_indexed_commit=branch.last_indexed_commit or None,
            indexed_at=branch.indexed_at,
            files=branch.files,
            trouble=branch.trouble or None,
            error=branch.trouble_detail or None,
            reason=None if branch.is_indexed else BRANCH_NOT_INDEXED,
        )
        for branch in repository.branch_set.all()
    ]


def resolved_by(scip: Mapping[str, int], languages: Mapping[str, int]) -> dict[str, int]:
    """Return the files that each SCIP indexer has bound, the most first, and those of the rules.

    Counted are the files of languages in which references are traced.
    """
    traced = sum(count for name, count in languages.items() if ecosystem_of(name))
    ordered = sorted(scip.items(), key=lambda item: (-item[1], item[0]))
    found = dict(ordered[:_NAMED])
    if others := sum(files for _, files in ordered[_NAMED:]):
        found[_OTHERS] = others
    rules = max(traced - sum(found.values()), 0)
    return {**found, RULES: rules} if rules or not found else found
