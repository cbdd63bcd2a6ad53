"""To the OpenID Connect provider, and back. No other page of django-allauth's is reachable."""

from typing import Final

import structlog
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from requests import RequestException

from central.http.bounded_session import within
from central.http.rate_limits import enforce
from central.web.login_throttle import address_of
from central.web.sso import Exchange, configured, provider, refused
from central.web.urls_for import is_own

SSO_SECONDS: Final = 10.0  # of the four requests of one sign-in
STARTS = "300/5minute"  # from an address, which may be a whole office's
_AWAY = (RequestException, OAuth2Error, KeyError)  # no answer, or none that is a configuration

_log = structlog.get_logger(__name__)


@never_cache
@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider. Nothing in the address says more than where to go then.

    Raises ThrottledError: each time asks the provider, and makes a session.
    """
    configured()
    enforce(f"sso {address_of(request)}", STARTS, what="sso")
    after = request.GET.get("next", "")
    try:
        with within(SSO_SECONDS):
            response: HttpResponse = provider(request).redirect(
                request, process="login", next_url=after if is_own(request, after) else None
            )
    except _AWAY as exc:
        return _away(request, exc)
    return response


@never_cache
@require_safe
def callback(request: HttpRequest) -> HttpResponse:
    """Sign in whom the provider sends back with a code that is this session's."""
    configured()
    try:
        with within(SSO_SECONDS):
            response: HttpResponse = OAuth2CallbackView.adapter_view(
                Exchange(request, provider(request).app.provider_id)
            )(request)
    except ImmediateHttpResponse as exc:
        response = exc.response
    except _AWAY as exc:
        return _away(request, exc)
    return response


def _away(request: HttpRequest, exc: Exception) -> HttpResponse:
    _log.error("sso_unavailable", error=str(exc))
    return refused(request, f"{configured().name} does not answer as it should.")
