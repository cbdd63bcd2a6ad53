"""Who may see a page: the signed-in member of the organisation in its address, and nobody else."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from central.tenancy.credentials import Credential
from central.tenancy.members import credential_of_member
from central.tenancy.models import Scope
from central.tenancy.throttling import count_request

_P = ParamSpec("_P")

ORGANIZATION_KEY = "organization"  # of the session: where `/` leads to


def member_page(
    view: Callable[Concatenate[HttpRequest, Credential, _P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """A view of an organisation's page gets the member's credential in place of the slug.

    Who is not signed in is asked to; whoever is no member gets 404, as for what does not exist.
    """

    @wraps(view)
    def signed_in(
        request: HttpRequest, organization: str, *args: _P.args, **kwargs: _P.kwargs
    ) -> HttpResponse:
        credential = credential_of_member(user=cast(User, request.user), slug=organization)
        credential.require_scope(Scope.SEARCH)
        count_request(caller=f"user {request.user.pk}", scope=Scope.SEARCH)
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


def _sign_in_for(request: HttpRequest, htmx: HtmxDetails) -> HttpResponse:
    """All of the browser goes to sign in, and comes back to the page that it shows.

    htmx would follow a plain redirect, and put the form into the part that it asked for.
    """
    back = request.get_full_path() if htmx.boosted else _page_shown(htmx)
    return HttpResponseClientRedirect(redirect_to_login(back or "/").url)


def _page_shown(htmx: HtmxDetails) -> str | None:
    """What the browser says that it shows; None for what is no address of ours, or none at all."""
    try:
        return htmx.current_url_abs_path
    except ValueError:
        return None
