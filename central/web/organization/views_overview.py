"""The front page of the settings: what the organisation holds and uses, as its rows have it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.contrib import messages
from django.db import OperationalError
from django.db.models import Count, Max, Q, Sum
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone

from central.corpus.authors import set_author_policy
from central.corpus.branches.policy import MOST_BRANCHES
from central.corpus.models import File
from central.db import statement_timeout
from central.errors import InvalidError
from central.repositories.models import Repository
from central.tenancy.credentials import Credential
from central.tenancy.models import ApiToken, Organization, Role
from central.tenancy.services.invitations import open_invitations
from central.tenancy.services.organizations import set_branches, set_models
from central.tenancy.services.tokens import persistent_tokens
from central.trace.resolve.library_models import library_models
from central.web.access import admin_page
from central.web.organization.pages import actor_of, settings_page
from indexer.records.authors import AuthorPolicy

_SIZE_SECONDS: Final = 2.0
_UNUSED: Final = timedelta(days=30)
_TOKENS: Final = 10
_DIGITS: Final = 9
_SWITCHED: Final = {
    "on": "Traces use the models of libraries.",
    "off": "Traces do not use the models of libraries.",
}
_AUTHORS: Final = {
    AuthorPolicy.OFF.value: "Authors of commits are not stored",
    AuthorPolicy.HASHED.value: "Of authors of commits, digests are stored",
    AuthorPolicy.PLAIN.value: "Addresses of authors of commits are stored",
}


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts; `size` is in bytes, None if it takes too long to add up. `tokens_used` are the last.

    Searches are not here: the service counts them for all organisations together.
    """

    members: int
    admins: int
    invitations: int
    tokens: int
    idle_tokens: int
    tokens_used: list[ApiToken]
    repositories: int
    indexed: int
    indexed_at: datetime | None
    files: int
    skipped: int
    chunks: int
    symbols: int
    references: int
    size: int | None


@admin_page
def overview(request: HttpRequest, credential: Credential) -> HttpResponse:
    """Show counts, and which tokens are used.

    `models` of a form switches the models on or off, `authors` sets the policy of authors,
    `branches` and `branches_most` that of branches.
    """
    organization = credential.organization
    if request.method == "POST":
        messages.success(request, _change(organization, request.POST, actor=actor_of(request)))
        return redirect("web:settings-overview", organization=organization.slug)
    usage = usage_of(organization)
    known = library_models()
    return settings_page(
        request,
        "overview",
        usage=usage,
        models=known,
        uses=organization.uses_models,
        authors=organization.author_policy,
        author_policies=_AUTHORS,
        branches=organization.branches,
        branches_most=organization.branches_most,
        most_branches=MOST_BRANCHES,
    )


def _change(organization: Organization, form: QueryDict, *, actor: str) -> str:
    """Change what a form asks for; return what is so now. Raises InvalidError."""
    setting, policy = form.get("models", ""), form.get("authors", "")
    if setting in _SWITCHED:
        set_models(organization, is_on=setting == "on", actor=actor)
        return _SWITCHED[setting]
    if policy in _AUTHORS:
        set_author_policy(organization, AuthorPolicy(policy), actor=actor)
        return f"{_AUTHORS[policy]}."
    if "branches" in form:
        set_branches(
            organization,
            patterns=form.get("branches", "").split(),
            most=_whole_number(form.get("branches_most", "")),
            actor=actor,
        )
        return "Which branches are indexed is changed."
    raise InvalidError("There is no such action; load the page again.")


def _whole_number(text: str) -> int:
    try:
        return int(text[:_DIGITS])
    except ValueError as exc:
        raise InvalidError(f"How many branches is a number from 1 to {MOST_BRANCHES}.") from exc


def usage_of(organization: Organization) -> Usage:
    """Count what the organisation has: six queries, of which the one of sizes has a time limit."""
    members = organization.memberships.aggregate(
        members=Count("pk"), admins=Count("pk", filter=Q(role=Role.ADMIN))
    )
    tokens = persistent_tokens(organization)
    idle = Q(last_used_at=None) | Q(last_used_at__lt=timezone.now() - _UNUSED)
    counted = tokens.order_by().aggregate(tokens=Count("pk"), idle_tokens=Count("pk", filter=idle))
    index = Repository.objects.filter(organization=organization, retired_at=None).aggregate(
        repositories=Count("pk"),
        indexed=Count("pk", filter=Q(generation__gt=0)),
        indexed_at=Max("indexed_at"),
        **{
            name: Sum(name, default=0)
            for name in ("files", "skipped", "chunks", "symbols", "references")
        },
    )
    return Usage(
        **members,
        **counted,
        **index,
        invitations=open_invitations().filter(organization=organization).count(),
        tokens_used=list(tokens.exclude(last_used_at=None).order_by("-last_used_at")[:_TOKENS]),
        size=_size(organization),
    )


def _size(organization: Organization) -> int | None:
    """Add up the bytes of the indexed files."""
    files = File.objects.filter(
        repository__organization=organization, repository__retired_at=None, skipped=""
    )
    try:
        with statement_timeout(_SIZE_SECONDS):
            total: int = files.aggregate(size=Sum("size", default=0))["size"]
    except OperationalError:
        return None
    return total
