"""Pages of the commits that changed a file, a directory or a repository."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from aeterna_code_search.contract.files import HistoryRequest
from central.corpus.files import FileNotFoundInIndexError, has_directory, indexed_paths
from central.files.answers import ChangedPath, CommitEntry
from central.files.history import read_history
from central.repositories.listing import visible_repository
from central.repositories.models import Repository
from central.tenancy.credentials import Credential
from central.web.access import member_page
from central.web.urls_for import REF, breadcrumbs, directory_url, file_url, history_url
from central.web.views_files import with_addresses

COMMITS_SHOWN: Final = 50  # of a page
_SYMBOL_CHARACTERS: Final = 500
_PATHS_SHOWN: Final = 10  # of a commit


@dataclass(frozen=True, slots=True)
class _ShownChange:
    """A changed path; `status` is "" for a plain change, `url` for what is no longer there."""

    path: str
    status: str
    old_path: str
    url: str


@dataclass(frozen=True, slots=True)
class _ShownCommit:
    """A commit of the list. `changes` without the path that the page is of, but for its status."""

    commit: CommitEntry
    committed_at: datetime
    is_merge: bool
    brought_by: str
    changes: Sequence[_ShownChange]
    more: int


@member_page
def history(
    request: HttpRequest, credential: Credential, project: str, path: str = ""
) -> HttpResponse:
    """A page of commits, the newest first."""
    organization = credential.organization.slug
    repository = visible_repository(credential=credential, project=project)
    cursor = request.GET.get("cursor", "")
    symbol = request.GET.get("symbol", "")[:_SYMBOL_CHARACTERS]
    asked = HistoryRequest(
        project=project,
        path=path,
        symbol=symbol,
        ref=request.GET.get(REF, ""),
        limit=COMMITS_SHOWN,
        cursor=cursor,
    )
    try:
        found = read_history(credential=credential, request=asked)
    except FileNotFoundInIndexError as exc:
        raise with_addresses(exc, organization, project) from exc
    named = {change.path for commit in found.commits for change in commit.changes[:_PATHS_SHOWN]}
    present = indexed_paths(repository=repository, paths=[*named, found.path])
    pages = {other: file_url(organization, project, other) for other in present}
    context = {
        "section": "repositories",
        "project": project,
        "path": found.path,
        "breadcrumbs": _crumbs(organization, repository, found.path, present),
        "repository": repository,
        "found": found,
        "since": datetime.fromisoformat(found.since) if found.since else None,
        "rows": [_shown(commit, found.path, pages) for commit in found.commits],
        "cursor": cursor,
    }
    return render(request, "web/history.html", context)


def _crumbs(
    organization: str, repository: Repository, path: str, present: Collection[str]
) -> list[tuple[str, str]]:
    """Return (name, address) of each part of a path, then the history itself.

    The path leads to its page, or if it is no longer there, to its history.
    """
    project = repository.name
    end = ("history", "")
    if not path:
        return [end]
    *above, (name, _) = breadcrumbs(organization, project, path)
    if path in present:
        address = file_url(organization, project, path)
    elif has_directory(repository=repository, path=path):
        address = directory_url(organization, project, path)
    else:
        address = history_url(organization, project, path)
    return [*above, (name, address), end]


def _shown(commit: CommitEntry, path: str, pages: dict[str, str]) -> _ShownCommit:
    changes = list(_changes(commit.changes[:_PATHS_SHOWN], path, pages))
    is_listed = not path or any(change.path.startswith(f"{path}/") for change in commit.changes)
    return _ShownCommit(
        commit=commit,
        committed_at=datetime.fromisoformat(commit.committed_at),
        is_merge=len(commit.parents) > 1,
        brought_by="" if commit.merge in {None, commit.commit} else str(commit.merge),
        changes=changes,
        more=commit.changed - len(changes) if is_listed else 0,
    )


def _changes(
    changes: Sequence[ChangedPath], path: str, pages: dict[str, str]
) -> Iterator[_ShownChange]:
    for change in changes:
        status = "" if change.status == "modified" else change.status
        if status or change.path != path:
            yield _ShownChange(
                change.path, status, change.old_path or "", pages.get(change.path, "")
            )
