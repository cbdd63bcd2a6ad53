"""Pages of repositories and their runs."""

from functools import partial
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django_htmx.http import HTMX_STOP_POLLING, reswap, retarget

from aeterna_code_search.contract.status import IndexState
from central.corpus.files import skipped_counts, skipped_paths, why_skipped
from central.db import one_moment
from central.ingest.selectors import recent_runs, visible_run
from central.knowledge.services.not_run import policies_not_run
from central.owners.reading import owners_reader
from central.owners.summary import CodeownersSummary, codeowners_summary
from central.repositories.expectations import is_expected
from central.repositories.extractors import parts_to_read_again
from central.repositories.listing import ListFilter, list_repositories, visible_repository
from central.repositories.models import Push
from central.repositories.states import index_state
from central.repositories.status import branch_statuses, resolved_by, unread_manifests
from central.repositories.visibility import repository_snapshot
from central.tenancy.credentials import Credential
from central.web.access import member_page
from central.web.branches import branch_of, branch_page
from central.web.runs import (
    ShownRun,
    index_message,
    missing_commit,
    runner_of,
    shares,
    shown_run,
    why,
)
from indexer.records.languages import WITHOUT_SYMBOLS

_RUNS: Final = 20
_DIGITS: Final = 6


@member_page
def repositories(request: HttpRequest, credential: Credential) -> HttpResponse:
    """List repositories; `state`, `name`, `sort=trouble` and `page` are in the address."""
    state = request.GET.get("state", "")
    wanted = ListFilter(
        state=IndexState(state) if state in set(IndexState) else None,
        name=_text(request, "name").strip()[:200],
        is_worst_first=request.GET.get("sort") == "trouble",
        page=_number(request.GET.get("page", "")),
    )
    page = list_repositories(credential=credential, list_filter=wanted)
    context = {
        "section": "repositories",
        "wanted": wanted,
        "page": page,
        "all": sum(page.totals.values()),
        "rows": [(listed, shares(listed.languages)) for listed in page.repositories],
    }
    return render(request, "web/repositories.html", context)


def _text(request: HttpRequest, name: str) -> str:
    """A parameter without NUL, which PostgreSQL refuses."""
    return request.GET.get(name, "").replace("\0", "")


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) <= _DIGITS else 1


@member_page
@branch_page
def repository(request: HttpRequest, credential: Credential, project: str) -> HttpResponse:
    """State, figures, skipped files and runs of one; `skipped` and `after` list paths."""
    found = visible_repository(credential=credential, project=project)
    is_default = not branch_of(request).name
    runs = recent_runs(repository=found, limit=_RUNS) if is_default else []
    state = index_state(found)
    reason = request.GET.get("skipped", "")
    after = _text(request, "after")
    counts = skipped_counts(repository=found)
    paths, has_more = (
        skipped_paths(repository=found, reason=reason, after=after)
        if reason in dict(counts)
        else ([], False)
    )
    context = {
        "section": "repositories",
        "repository": found,
        "state": state,
        "message": index_message(found, state),
        "is_expected": is_expected(found),
        "missing": missing_commit(found, push=Push.objects.filter(pk=found.pk).first(), runs=runs)
        if is_default
        else None,
        "why": why(found.last_reason),
        "languages": shares(found.languages),
        "without_symbols": WITHOUT_SYMBOLS,
        "resolved_by": resolved_by(found.scip, found.languages)
        if found.scip and is_default
        else {},
        "unread_manifests": unread_manifests([found]).get(found.pk, {}),
        "codeowners": _codeowners(credential, project) if found.generation and is_default else None,
        "older": parts_to_read_again(found),
        "skipped": [(name, count, why_skipped(name)) for name, count in counts],
        "not_run": policies_not_run(found, credential=credential) if is_default else [],
        "branches": branch_statuses(found) if is_default and branch_of(request).choices else [],
        "reason": reason,
        "after": after,
        "paths": paths,
        "has_more": has_more,
        "runs": [shown_run(run) for run in runs],
    }
    return render(request, "web/repository.html", context)


def _codeowners(credential: Credential, project: str) -> CodeownersSummary:
    with one_moment():
        snapshot = repository_snapshot(credential=credential, project=project)
        return codeowners_summary(owners_reader(credential), snapshot)


@member_page
def run(request: HttpRequest, credential: Credential, run_id: UUID) -> HttpResponse:
    return render(request, "web/run.html", _context(credential, run_id))


@member_page
def run_progress(request: HttpRequest, credential: Credential, run_id: UUID) -> HttpResponse:
    """Return the progress, or the whole run once its state differs from `state`.

    The page polls it every second until the run has ended.
    """
    context = _context(credential, run_id)
    shown: ShownRun = context["shown"]
    if shown.run.state == request.GET.get("state"):
        return render(request, "web/_run_progress.html", context)
    status = 200 if shown.is_live else HTMX_STOP_POLLING
    response = render(request, "web/_run.html", context, status=status)
    return reswap(retarget(response, "#run"), "outerHTML")


def _context(credential: Credential, run_id: UUID) -> dict[str, Any]:
    found = visible_run(credential=credential, run_id=run_id)
    return {
        "section": "repositories",
        "repository": found.repository,
        "shown": shown_run(found),
        "runner": partial(runner_of, found),  # a poll does not show it
    }
