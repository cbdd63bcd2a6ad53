"""Invitations of an organisation: made, shown once, listed, revoked."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from central.http.urls import absolute_url
from central.tenancy.credentials import Credential
from central.tenancy.models import Invitation, Organization, Role
from central.tenancy.services.invitations import (
    create_invitation,
    open_invitations,
    revoke_invitation,
)
from central.web.access import admin_page
from central.web.organization.forms import InvitationForm
from central.web.organization.pages import person, settings_page, submitted

_ACCEPTED = 20  # the newest


@admin_page
def invitations(request: HttpRequest, credential: Credential) -> HttpResponse:
    """List the open ones; make one, whose link this answer shows and nothing else ever does."""
    organization = credential.organization
    form = InvitationForm(request.POST or None)
    code = submitted(
        form,
        lambda chosen: create_invitation(
            organization=organization,
            created_by=person(request),
            role=Role(chosen["role"]),
            name=chosen["name"],
            expires_days=chosen["expires_days"],
        ),
    )
    if code:
        return _page(request, organization, InvitationForm(), link=_link(request, code))
    return _page(request, organization, form)


@admin_page
@require_http_methods(["POST"])
def revoke(request: HttpRequest, credential: Credential, invitation_id: int) -> HttpResponse:
    """End an open invitation: nothing is lost, a new one is made in a moment."""
    organization = credential.organization
    if revoke_invitation(
        organization=organization, invitation_id=invitation_id, user=person(request)
    ):
        messages.success(request, "The invitation is revoked: its link does not work any more.")
    return redirect("web:settings-invitations", organization=organization.slug)


def _page(
    request: HttpRequest, organization: Organization, form: InvitationForm, link: str = ""
) -> HttpResponse:
    of_it = Invitation.objects.filter(organization=organization)
    accepted = of_it.exclude(accepted_at=None).select_related("accepted_by")
    return settings_page(
        request,
        "invitations",
        invitations=open_invitations().filter(organization=organization),
        accepted=accepted.order_by("-accepted_at")[:_ACCEPTED],
        form=form,
        link=link,
    )


def _link(request: HttpRequest, code: str) -> str:
    """Return the link. The code is a fragment: no server, proxy or log ever sees it."""
    return f"{absolute_url(request, reverse('web:invitation'))}#{code}"
