"""Repositories of an organisation: paused, indexed again, removed."""

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from aeterna_code_search.contract.status import IndexState
from central.background import BACKFILLS
from central.errors import InvalidError
from central.onboarding.services.requests import request_again
from central.repositories import actions
from central.repositories.expectations import is_expected
from central.repositories.installations import expect_installed
from central.repositories.listing import ListFilter, list_repositories, visible_repository
from central.repositories.models import IndexedBy, Repository
from central.repositories.states import index_state
from central.tenancy.credentials import Credential
from central.web.access import admin_page
from central.web.organization.pages import actor_of, confirmation, settings_page

_DIGITS = 6
_SWITCHED: Final = {
    "on": "Answers lack the repositories that the GitHub App lists until they are indexed.",
    "off": "Answers do not lack repositories because the GitHub App lists them.",
}
_BY_HAND = (
    "The next merge has every file processed. To start it now, run the repository's workflow by "
    "hand: on GitHub Actions, Code index, Run workflow."
)


@admin_page
def repositories(request: HttpRequest, credential: Credential) -> HttpResponse:
    """List the repositories, those with trouble first; `state`, `name`, `page` as elsewhere.

    `expects_installed` of a form says whether what the GitHub App lists is expected.
    """
    if request.method == "POST":
        messages.success(request, _switch(request, credential))
        return redirect("web:settings-repositories", organization=credential.organization.slug)
    state, page = request.GET.get("state", ""), request.GET.get("page", "")
    wanted = ListFilter(
        state=IndexState(state) if state in set(IndexState) else None,
        name=request.GET.get("name", "").replace("\0", "").strip()[:200],
        is_worst_first=True,
        page=int(page) if page.isdecimal() and page.isascii() and len(page) <= _DIGITS else 1,
    )
    found = list_repositories(credential=credential, list_filter=wanted)
    return settings_page(
        request,
        "repositories",
        found=found,
        wanted=wanted,
        expects_installed=credential.organization.expects_installed,
    )


def _switch(request: HttpRequest, credential: Credential) -> str:
    setting = request.POST.get("expects_installed", "")
    if setting not in _SWITCHED:
        raise InvalidError("There is no such action; load the page again.")
    actor = actor_of(request)
    expect_installed(credential.organization, is_on=setting == "on", actor=actor)
    return _SWITCHED[setting]


@admin_page
def repository(request: HttpRequest, credential: Credential, project: str) -> HttpResponse:
    """Show a repository; `action` of a form pauses, resumes, re-indexes or expects it."""
    found = visible_repository(credential=credential, project=project)
    if request.method == "POST":
        action = _ACTIONS.get(request.POST.get("action", ""))
        if action is None:
            raise InvalidError("There is no such action; load the page again.")
        messages.success(request, action(found, actor_of(request)))
        return redirect(
            "web:settings-repository", organization=credential.organization.slug, project=project
        )
    return settings_page(
        request,
        "repository",
        page="repositories",
        repository=found,
        state=index_state(found),
        is_expected=is_expected(found),
        is_cloned=found.indexed_by == IndexedBy.CENTRAL,
    )


@transaction.atomic
def _reindex(found: Repository, actor: str) -> str:
    actions.request_reindex(found, actor=actor)
    if not request_again(found, actor=actor):
        return f"A new index of {found.name} is requested. {_BY_HAND}"
    transaction.on_commit(BACKFILLS.wake)
    return f"{found.name} is queued: this service clones it and processes every file."


def _done(act: Callable[..., object], sentence: str) -> Callable[[Repository, str], str]:
    """Return an action that says so, with the repository's name."""

    def action(found: Repository, actor: str) -> str:
        act(found, actor=actor)
        return sentence.format(name=found.name)

    return action


_ACTIONS: Final[dict[str, Callable[[Repository, str], str]]] = {
    "pause": _done(
        actions.pause,
        "Indexing of {name} is paused. What is indexed can be searched.",
    ),
    "resume": _done(actions.resume, "Indexing of {name} goes on with the next merge."),
    "reindex": _reindex,
    "expect": _done(actions.expect_index, "Answers lack {name} until it is indexed."),
    "expect_not": _done(
        actions.expect_no_index,
        "Answers do not lack {name} any more. When it is indexed, it is expected again.",
    ),
}


@admin_page
def remove(request: HttpRequest, credential: Credential, project: str) -> HttpResponse:
    """Ask, then remove a repository with all that is indexed of it."""
    found = visible_repository(credential=credential, project=project)
    organization = credential.organization

    def act() -> str:
        actions.purge(found, actor=actor_of(request))
        return f"{found.name} is removed; its data is being deleted."

    return confirmation(
        request,
        act,
        page="repositories",
        title=f"Remove {found.name} from {organization}?",
        effects=_effects(found),
        button=f"Remove {found.name}",
        back=reverse("web:settings-repository", args=[organization.slug, project]),
        then=reverse("web:settings-repositories", args=[organization.slug]),
    )


def _effects(found: Repository) -> list[str]:
    counts: dict[str, Any] = {"files": found.files, "chunks": found.chunks}
    held = " and ".join(f"{number:,} {name}" for name, number in counts.items())
    again = (
        "This service does not clone it again, unless a new backfill chooses it."
        if found.indexed_by == IndexedBy.CENTRAL
        else "Its workflow makes it anew at the next merge: remove the workflow first, or pause "
        "the repository instead."
    )
    return [
        f"It is not found any more, and its index is deleted: {held}.",
        "Documents of the knowledge graph that belong to it are deleted as well.",
        again,
        "The repository at its forge stays as it is.",
    ]
