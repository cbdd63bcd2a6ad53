"""Access to pages of members and of admins, and the context that every page has."""

from collections.abc import Callable
from functools import update_wrapper, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from central.http.rate_limits import enforce
from central.tenancy.authentication import count_request
from central.tenancy.credentials import Credential, credential_of_member, organizations_of
from central.tenancy.models import Organization, Scope

if TYPE_CHECKING:
    from django.db.models import QuerySet

_P = ParamSpec("_P")

CHANGES = "120/5minute"  # of one person, of an organisation's settings
ORGANIZATION_KEY = "organization"  # of the session: where `/` leads to


def member_page(
    view: Callable[Concatenate[HttpRequest, Credential, _P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Pass the member's credential to a view in place of the organisation's slug.

    Anonymous users are sent to sign in; others than members get 404.
    """

    @wraps(view)
    def signed_in(
        request: HttpRequest, organization: str, *args: _P.args, **kwargs: _P.kwargs
    ) -> HttpResponse:
        credential = credential_of_member(user=cast(User, request.user), slug=organization)
        credential.require_scope(Scope.SEARCH)
        count_request(caller=f"user {request.user.pk}", scope=Scope.SEARCH)
        request.administers = administers(credential)  # type: ignore[attr-defined]
        request.of_organization = organization  # type: ignore[attr-defined]
        if request.session.get(ORGANIZATION_KEY) != organization:
            request.session[ORGANIZATION_KEY] = organization
        return view(request, credential, *args, **kwargs)

    page: Callable[..., HttpResponse] = login_required(signed_in)

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]  # its middleware's
        if htmx and not request.user.is_authenticated:
            return _sign_in_for(request, htmx)
        return page(request, *args, **kwargs)

    return wrapped


def administers(credential: Credential) -> bool:
    """Whether its member may open the organisation's settings."""
    return Scope.ADMIN in credential.scopes and credential.sees_all


def admin_page(
    view: Callable[Concatenate[HttpRequest, Credential, _P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """As `member_page`, for members who administer the whole organisation; others get 403.

    An admin who sees a part of it would give others more than that. Other methods than GET, HEAD
    and POST get 405.
    """
    answered = require_http_methods(["GET", "HEAD", "POST"])(view)

    def for_admins(
        request: HttpRequest, credential: Credential, /, *args: _P.args, **kwargs: _P.kwargs
    ) -> HttpResponse:
        credential.require_scope(Scope.ADMIN)
        credential.require_whole_organization()
        if request.method == "POST":
            enforce(f"settings {request.user.pk}", CHANGES, what="settings")
        return answered(request, credential, *args, **kwargs)

    update_wrapper(for_admins, view)
    page: Callable[..., HttpResponse] = never_cache(member_page(for_admins))
    return page


def _sign_in_for(request: HttpRequest, htmx: HtmxDetails) -> HttpResponse:
    """Send the whole browser to sign in and back to the page that it shows.

    htmx would follow a plain redirect and put the form into a part of the page.
    """
    back = request.get_full_path() if htmx.boosted else _page_shown(htmx)
    return HttpResponseClientRedirect(redirect_to_login(back or "/").url)


def _page_shown(htmx: HtmxDetails) -> str | None:
    """Return the page that the browser shows; None if it is unknown or foreign."""
    try:
        return htmx.current_url_abs_path
    except ValueError:
        return None


THEME_COOKIE = "theme"
THEMES = ("light", "dark")


def page_context(request: HttpRequest) -> dict[str, Any]:
    """The context processor. `organization` is the page's, else the last one's."""
    return {
        "organization": getattr(request, "of_organization", None) or last_organization(request),
        "organizations": lambda: _organizations(request),
        "administers": getattr(request, "administers", False),  # the page's organisation
        "theme": theme_of(request),
        "on_branch": getattr(request, "page_branch", None),
    }


def last_organization(request: HttpRequest) -> str:
    """Return the organisation whose page was last shown; "" if the person has left it since."""
    last = request.session.get(ORGANIZATION_KEY, "")
    return last if last and _organizations(request).filter(slug=last).exists() else ""


def theme_of(request: HttpRequest) -> str:
    """Return light or dark if chosen, else "" for the system's theme."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else ""


def _organizations(request: HttpRequest) -> "QuerySet[Organization]":
    user = cast(User | None, request.user)  # None on the API's page, which knows no sessions
    found = organizations_of(user) if user else Organization.objects.none()
    return found.order_by("slug")
