"""Tokens of an organisation: made, shown once with what to paste, listed, revoked."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from central.http.urls import absolute_url
from central.onboarding.models import Backfill
from central.repositories.token_repositories import check_token_repositories
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from central.tenancy.services.tokens import (
    create_organization_token,
    persistent_token,
    persistent_tokens,
    revoke_token,
)
from central.web.access import admin_page
from central.web.organization.forms import OrganizationTokenForm
from central.web.organization.pages import actor_of, confirmation, page_of, settings_page, submitted
from central.web.organization.snippets import UNKNOWN_OWNER, snippets_for


@admin_page
def tokens(request: HttpRequest, credential: Credential) -> HttpResponse:
    """List the valid ones; make one, which this answer shows and nothing else ever does."""
    organization = credential.organization
    form = OrganizationTokenForm(request.POST or None)

    def make(chosen: dict[str, Any]) -> HttpResponse:
        scopes, names = chosen["scopes"], chosen["repositories"]
        warning = check_token_repositories(
            visible_repositories(credential=credential), scopes=scopes, names=names
        )
        token = create_organization_token(
            organization=organization,
            scopes=scopes,
            name=chosen["name"],
            repositories=names,
            expires_days=chosen["expires_days"] or None,
            actor=actor_of(request),
        )
        if warning:
            messages.warning(request, warning)
        return _new_token(request, organization, token, scopes)

    if made := submitted(form, make):
        return made
    found = persistent_tokens(organization)
    return settings_page(
        request,
        "tokens",
        tokens=page_of(request, found),
        form=form,
        now=timezone.now(),
    )


@admin_page
def revoke(request: HttpRequest, credential: Credential, token_id: int) -> HttpResponse:
    """Ask, then revoke a token, also a person's own."""
    organization = credential.organization
    token = persistent_token(organization=organization, token_id=token_id)
    whose = f"It is {token.owner.get_username()}'s own." if token.owner else ""
    used = f"It was last used on {token.last_used_at:%Y-%m-%d}." if token.last_used_at else ""
    effects = [
        "Whatever uses it is refused from the next request on: agents, jobs, scripts.",
        *filter(None, (whose, used or "It was never used.")),
        "It cannot be made valid again; a new token has another value.",
    ]
    return confirmation(
        request,
        lambda: f"Revoked: {token.label}" if revoke_token(token, actor=actor_of(request)) else "",
        page="tokens",
        title=f"Revoke {token.label}?",
        effects=effects,
        button="Revoke the token",
        back=reverse("web:settings-tokens", args=[organization.slug]),
    )


def _new_token(
    request: HttpRequest, organization: Organization, token: str, scopes: list[str]
) -> HttpResponse:
    return settings_page(
        request,
        "new_token",
        page="tokens",
        new_token=token,
        snippets=snippets_for(
            url=absolute_url(request, "/").rstrip("/"),
            organization=organization.slug,
            token=token,
            scopes=scopes,
            owner=_owner_login(organization),
        ),
    )


def _owner_login(organization: Organization) -> str:
    """Return the owner's login at GitHub as the newest backfill has it."""
    owned = Backfill.objects.filter(organization=organization).exclude(owner="")
    return owned.values_list("owner", flat=True).first() or UNKNOWN_OWNER
