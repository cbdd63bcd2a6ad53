"""What all searches answer alike: results, the receipt of what was searched, and facets."""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from aeterna_code_search.contract.projects import AnsweringProject, MissingProject
from aeterna_code_search.contract.search import (
    FacetCount,
    Facets,
    Result,
    SearchAnswer,
    SearchReceipt,
    SearchRequest,
)
from central.owners.reading import owner_counts
from central.repositories.visibility import (
    RepositorySnapshot,
    answering_projects,
    listed_missing,
)
from central.search.confidence import confidence_of
from central.search.facets import facets_of
from central.search.scope import SearchScope


def search_answer(
    scope: SearchScope,
    request: SearchRequest,
    results: list[Result],
    *,
    lacks: Mapping[int, str],
    match: float | None,
    started: float,
    **more: Any,
) -> SearchAnswer:
    """Return the answer to a request. `more` are further fields of it."""
    return SearchAnswer(
        query=" | ".join(request.queries),
        queries=list(request.queries),
        count=len(results),
        results=results,
        receipt=search_receipt(scope, lacks, started=started),
        confidence=None if match is None else confidence_of(match),
        match=match,
        **{"next_cursor": None} | more,
    )


def search_receipt(
    scope: SearchScope, lacks: Mapping[int, str], *, started: float
) -> SearchReceipt:
    """Return the receipt of a search that `started` then (perf_counter).

    It names every project that the answer may cover incompletely, with the reason. `lacks` are
    reasons of the search by repository's id; only a lack of the whole index is worse.
    """
    missing = [
        repository.missing(reason)
        for repository in scope.selected
        if (reason := _reason(repository, lacks.get(repository.id, "")))
    ]
    missing += [MissingProject(name, "unknown_project") for name in scope.unknown]
    missing += scope.left_out
    listed, more = listed_missing(missing)
    took_ms = round((time.perf_counter() - started) * 1000, 1)
    answering = [*_of_branches(scope)] if scope.chosen.shown else answering_projects(scope.selected)
    return SearchReceipt(not missing, took_ms, answering, listed, more)


def _of_branches(scope: SearchScope) -> Iterator[AnsweringProject]:
    """Yield the projects that answer, once for each of several branches."""
    for item in scope.selected:
        shown = scope.chosen.shown.get(item.id, ())
        if len(shown) < 2:
            yield from answering_projects([item])
            continue
        for branch in shown:
            yield AnsweringProject(item.name, branch.commit, branch.indexed_at, branch.name)


def _reason(repository: RepositorySnapshot, partial_reason: str) -> str:
    reason = repository.incomplete_reason
    is_whole = repository.generation == 0 or reason == "failed"
    return reason if is_whole else partial_reason or reason


def search_facets(
    scope: SearchScope,
    files: Iterable[tuple[int, str, str]],
    branches: list[FacetCount],
    *,
    at_least: bool,
) -> Facets:
    """Count different files: (repository's id, path, language). `branches` are counted already."""
    found = [(scope.searched[key], path, language) for key, path, language in files]
    facets = facets_of(
        ((repository.name, path, language) for repository, path, language in found),
        owner_counts(scope.owners, ((repository, path) for repository, path, _ in found)),
        at_least=at_least,
    )
    return replace(facets, branches=branches)
