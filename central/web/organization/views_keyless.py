"""Keyless trust: which jobs at GitHub may index an organisation's repositories without a token."""

from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from central.errors import InvalidError, NotFoundError
from central.github.models import GitHubPolicy
from central.github.services.policies import (
    PATTERNS,
    add_pattern,
    policy_of,
    remove_pattern,
    set_policy,
)
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from central.web.access import admin_page
from central.web.organization.forms import KeylessForm, PatternForm
from central.web.organization.pages import actor_of, confirmation, settings_page, submitted

# Of each list: its title, and what holds while it is empty.
_LISTS: Final = {
    "job_workflow_refs": ("Workflows", "None: any workflow of the owner's repositories may."),
    "refs": (
        "Branches",
        "None: any branch may be a repository's first; after that, only that branch.",
    ),
    "events": ("Events", ""),
}


@admin_page
def keyless(request: HttpRequest, credential: Credential) -> HttpResponse:
    """Show the policy; a form with `pattern` adds an entry, the other sets the switches."""
    organization = credential.organization
    if request.method != "POST":
        return _page(request, organization)
    form = (PatternForm if "pattern" in request.POST else KeylessForm)(request.POST)

    def change(chosen: dict[str, Any]) -> GitHubPolicy:
        actor = actor_of(request)
        if isinstance(form, PatternForm):
            return add_pattern(organization=organization, actor=actor, **chosen)
        return set_policy(organization_slug=organization.slug, actor=actor, **chosen)

    if submitted(form, change):
        messages.success(request, "The policy is changed.")
        return redirect("web:settings-keyless", organization=organization.slug)
    return _page(request, organization, form)


def _page(
    request: HttpRequest,
    organization: Organization,
    form: KeylessForm | PatternForm | None = None,
) -> HttpResponse:
    """Show the policy, and the form with its errors if it was refused."""
    policy = policy_of(organization)
    switches = KeylessForm(initial={"enabled": policy.enabled, "impact": policy.impact})
    lists = [
        (name, title, empty, _entries(organization, name, getattr(policy, name)))
        for name, (title, empty) in _LISTS.items()
    ]
    return settings_page(
        request,
        "keyless",
        policy=policy,
        lists=lists,
        switches=form if isinstance(form, KeylessForm) else switches,
        entry=form if isinstance(form, PatternForm) else PatternForm(),
        owner_id=organization.github_owner_id,
        issuer=settings.GITHUB_OIDC_ISSUER,
        audience=settings.PUBLIC_URL,
    )


def _entries(
    organization: Organization, patterns: str, present: list[str]
) -> list[tuple[str, str]]:
    """Return each entry with the address that removes it."""
    address = reverse("web:settings-keyless-remove", args=[organization.slug])
    return [
        (shown_pattern, f"{address}?{urlencode({'patterns': patterns, 'pattern': shown_pattern})}")
        for shown_pattern in present
    ]


@admin_page
def remove(request: HttpRequest, credential: Credential) -> HttpResponse:
    """Ask, then remove the entry that the address names by `patterns` and `pattern`."""
    organization = credential.organization
    patterns = request.GET.get("patterns", "")
    pattern = request.GET.get("pattern", "")
    if patterns not in PATTERNS:
        raise InvalidError("There is no such list of the policy.")
    present = getattr(policy_of(organization), patterns)
    if pattern not in present:
        raise NotFoundError("The policy has no such entry.", code="pattern_not_found")

    def act() -> str:
        remove_pattern(
            organization=organization, patterns=patterns, pattern=pattern, actor=actor_of(request)
        )
        return f"{pattern} is removed."

    return confirmation(
        request,
        act,
        page="keyless",
        title=f"Remove {pattern}?",
        effects=_effects(patterns, is_last=len(present) == 1),
        button="Remove it",
        back=reverse("web:settings-keyless", args=[organization.slug]),
    )


def _effects(patterns: str, *, is_last: bool) -> list[str]:
    title, empty = _LISTS[patterns]
    if is_last and empty:
        return [
            f"{title}: this is the last entry, so more jobs may index then, not fewer.",
            empty,
        ]
    return ["Jobs that only this entry lets in need a token from then on."]
