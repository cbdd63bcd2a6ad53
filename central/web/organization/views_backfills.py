"""Backfills of an organisation: started, followed, ended."""

from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from central.background import BACKFILLS
from central.onboarding.models import Backfill
from central.onboarding.progress import progress_of
from central.onboarding.services.requests import (
    cancel_backfill,
    find_backfill,
    request_addresses,
    request_owner,
)
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from central.web.access import admin_page
from central.web.organization.forms import BackfillForm
from central.web.organization.pages import actor_of, confirmation, settings_page, submitted

_LISTED = 20  # the newest
_DIGITS = 18


@admin_page
def backfills(request: HttpRequest, credential: Credential) -> HttpResponse:
    """List the newest with their counts; start one."""
    organization = credential.organization
    form = BackfillForm(request.POST or None)
    if started := submitted(form, lambda _: _start(organization, form, actor_of(request))):
        transaction.on_commit(BACKFILLS.wake)
        return redirect(
            "web:settings-backfill", organization=organization.slug, backfill_id=started.pk
        )
    newest = Backfill.objects.filter(organization=organization).select_related("organization")
    return settings_page(
        request,
        "backfills",
        backfills=[progress_of(newer, rows=0) for newer in newest[:_LISTED]],
        form=form,
        has_owner=organization.github_owner_id is not None,
    )


def _start(organization: Organization, form: BackfillForm, actor: str) -> Backfill:
    chosen = form.cleaned_data
    if chosen["owner"]:
        return request_owner(
            organization=organization,
            owner=chosen["owner"],
            selection=form.selection(),
            actor=actor,
        )
    return request_addresses(
        organization=organization,
        urls=chosen["urls"].split(),
        actor=actor,
        may_use_credentials=False,
    )


@admin_page
@require_safe
def backfill(request: HttpRequest, credential: Credential, backfill_id: UUID) -> HttpResponse:
    """Show how far it is, and a page of its repositories, after `after`."""
    after = request.GET.get("after", "")
    is_number = after.isdecimal() and after.isascii() and len(after) <= _DIGITS
    found = find_backfill(organization=credential.organization, backfill_id=backfill_id)
    return settings_page(
        request,
        "backfill",
        page="backfills",
        progress=progress_of(found, after=int(after) if is_number else 0),
        after=after,
        can_be_cancelled=found.state in {"listing", "listed"},
    )


@admin_page
def cancel(request: HttpRequest, credential: Credential, backfill_id: UUID) -> HttpResponse:
    """Ask, then end a backfill."""
    organization = credential.organization
    found = find_backfill(organization=organization, backfill_id=backfill_id)

    def act() -> str:
        cancel_backfill(found, actor=actor_of(request))
        return "The backfill is cancelled."

    return confirmation(
        request,
        act,
        page="backfills",
        title=f"Cancel the backfill of {found.owner or 'addresses'}?",
        effects=[
            "Nothing more is cloned for it; clones in progress are cancelled.",
            "Pushes to its repositories are not followed any more.",
            "What is indexed stays, and can be searched.",
        ],
        button="Cancel the backfill",
        back=reverse("web:settings-backfill", args=[organization.slug, backfill_id]),
    )
