"""Accepting an invitation: by an account that exists, or by a new one.

The code comes by POST, not by the address, which logs and proxies keep. The session then holds the
invitation's key, and each page asks again whether it is open.
"""

from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from central.errors import ForbiddenError
from central.http.rate_limits import enforce
from central.tenancy.models import Invitation
from central.tenancy.services.invitations import (
    accept_as_new_person,
    accept_invitation,
    find_invitation,
    open_invitation,
)
from central.web.login_throttle import address_of, remember_browser
from central.web.organization.forms import CodeForm, NewPersonForm
from central.web.organization.pages import person, submitted

INVITATION_KEY: Final = "invitation"  # of the session
ATTEMPTS: Final = "60/5minute"  # from an address, which may be a whole office's


@never_cache
@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest) -> HttpResponse:
    """Take the code, which a script reads from the link, or which is pasted."""
    form = CodeForm(request.POST or None)
    if request.method == "POST":
        _count(request)
        if found := submitted(form, lambda chosen: find_invitation(chosen["code"])):
            request.session[INVITATION_KEY] = found.pk
            return redirect("web:accept-invitation")
    return render(request, "web/invitation.html", {"form": form})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest) -> HttpResponse:
    """Show the invitation; POST makes who is signed in a member."""
    if INVITATION_KEY not in request.session:
        return redirect("web:invitation")
    if request.method == "POST":
        return _join(request)
    return _page(request, NewPersonForm())


@login_required
def _join(request: HttpRequest) -> HttpResponse:
    _count(request)
    membership = accept_invitation(invitation_id=_invitation(request).pk, user=person(request))
    return _welcome(request, membership.organization.slug)


@never_cache
@sensitive_post_parameters("password1", "password2")
@require_http_methods(["GET", "HEAD", "POST"])
def new_account(request: HttpRequest) -> HttpResponse:
    """Make an account for who is invited, and sign in. Raises ForbiddenError with single sign-on:
    there, the provider makes accounts.
    """
    if settings.SSO:
        raise ForbiddenError(f"Accounts are made by {settings.SSO.name} here: sign in with it.")
    if request.method != "POST" or INVITATION_KEY not in request.session:
        return redirect("web:accept-invitation")
    _count(request)
    found = _invitation(request)
    form = NewPersonForm(request.POST)
    user = submitted(
        form,
        lambda chosen: accept_as_new_person(
            invitation_id=found.pk, username=chosen["username"], password=chosen["password1"]
        ),
    )
    if user is None:
        return _page(request, form)
    login(request, user)
    response = _welcome(request, found.organization.slug)
    remember_browser(request, response, user.get_username())
    return response


def _page(request: HttpRequest, form: NewPersonForm) -> HttpResponse:
    found = _invitation(request)
    context: dict[str, Any] = {
        "invitation": found,
        "form": form,
        "sso_name": settings.SSO.name if settings.SSO else "",
    }
    return render(request, "web/accept_invitation.html", context)


def _invitation(request: HttpRequest) -> Invitation:
    """Return the session's invitation, which must be open still. Raises NotFoundError."""
    return open_invitation(request.session.get(INVITATION_KEY))


def _welcome(request: HttpRequest, slug: str) -> HttpResponse:
    request.session.pop(INVITATION_KEY, None)
    messages.success(request, f"Welcome: you are a member of {slug} now.")
    return redirect("web:search", organization=slug)


def _count(request: HttpRequest) -> None:
    """Raise ThrottledError for too many attempts from one address."""
    enforce(f"invitation {address_of(request)}", ATTEMPTS, what="invitation")
