"""Who signs in at the provider, here: always a user of their own, never one found by address."""

from typing import Any

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from central.settings.sso import EVERYBODY
from central.tenancy.audit import SSO, record
from central.tenancy.models import Organization
from central.tenancy.services import add_member
from central.web.sso_protocol import Provider, configured, provider
from central.web.sso_requests import ProviderSession

_log = structlog.get_logger(__name__)


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]
    """The package's accounts, without its messages."""

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the page that follows says who is signed in."""


class People(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """A first sign-in makes a user without a password; each later one finds it by its subject."""

    def get_provider(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Provider:
        """The only one."""
        del args, kwargs
        return provider(request)

    def get_requests_session(self) -> ProviderSession:
        """With bounds on what an answer may be."""
        return ProviderSession()

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Turn away who may not sign in; forget the addresses, so that nobody is found by one."""
        if sociallogin.is_existing and not sociallogin.user.is_active:
            raise ImmediateHttpResponse(refused(request, "Your account here is not active."))
        sociallogin.email_addresses = []

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        """Make the user and, where the settings name an organisation, a member of it."""
        with transaction.atomic():
            user: User = super().save_user(request, sociallogin, form)
            name = user.get_username()
            record(actor=SSO, action="user.created", target=name, detail={"email": user.email})
            if _is_ours(user.email):
                _join(user)
        return user

    def on_authentication_error(
        self, request: HttpRequest, *args: Any, exception: Any = None, **kwargs: Any
    ) -> None:
        """Back to the form, saying what to do; the log has the reason."""
        del args, kwargs
        _log.warning("sso_refused", error=str(exception) if exception else "state or provider")
        raise ImmediateHttpResponse(refused(request, "Signing in there did not work."))


def refused(request: HttpRequest, why: str) -> HttpResponse:
    """The sign-in page with a message."""
    messages.error(
        request, f"{why} Try again; if it stays so, an administrator finds the reason in the log."
    )
    return redirect("web:sign-in")


def _is_ours(email: str) -> bool:
    """Whether the settings take who has it as a member. The provider vouches for it, or it would
    be "".
    """
    domains = {domain.lower() for domain in configured().email_domains}
    return bool(email) and not domains.isdisjoint({EVERYBODY, email.rpartition("@")[2].lower()})


def _join(user: User) -> None:
    slug = configured().organization
    if slug is None:
        return
    organization = Organization.objects.filter(slug=slug).first()
    if organization is None:
        _log.error("sso_organization_missing", organization=slug)
        return
    add_member(user=user, organization=organization, actor=SSO)
