"""The receipt of a search: what was searched, and what was not."""

from collections.abc import Mapping

from aeterna_code_search.contract.projects import MissingProject
from aeterna_code_search.contract.search import SearchReceipt
from central.repositories.visibility import (
    RepositorySnapshot,
    answering_projects,
    listed_missing,
)


def missing_projects(
    scope: list[RepositorySnapshot], unknown: list[str], lacks: Mapping[int, str]
) -> list[MissingProject]:
    """Return every project that the answer may cover incompletely, with the reason.

    `lacks`: reasons of the search by repository's id. Only a lack of the whole index is worse.
    """
    missing = [
        repository.missing(reason)
        for repository in scope
        if (reason := _reason(repository, lacks.get(repository.id, "")))
    ]
    missing += [MissingProject(name, "unknown_project") for name in unknown]
    return sorted(missing, key=lambda item: item.project)


def _reason(repository: RepositorySnapshot, partial_reason: str) -> str:
    reason = repository.incomplete_reason
    is_whole = repository.generation == 0 or reason == "failed"
    return reason if is_whole else partial_reason or reason


def search_receipt(
    scope: list[RepositorySnapshot], missing: list[MissingProject], *, took_ms: float
) -> SearchReceipt:
    """Return the receipt of a search in `scope`; it is complete if nothing is missing."""
    listed, more = listed_missing(missing)
    return SearchReceipt(not missing, took_ms, answering_projects(scope), listed, more)
