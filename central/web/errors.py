"""Error pages for browsers, problem documents for programs.

`central.http.problems` decides codes and statuses.
"""

import sys
from collections.abc import Callable
from typing import Any, Final

import structlog
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django_htmx.http import reswap

from central.http import problems
from central.http.middleware import ContentPolicy
from central.http.problems import ProblemDetails
from central.web.access import theme_of
from central.web.messages import error_sentence

_PROGRAMS: Final = ("/api/", "/mcp", "/metrics", "/livez", "/readyz", "/internal/", "/static/")
_TITLES: Final = {
    400: "The request is not valid",
    403: "This is not allowed",
    404: "There is no such page",
    409: "This cannot be done now",
    413: "This is too large",
    429: "Too many requests",
    503: "A service is unavailable",
}
_NOT_FOUND: Final = ProblemDetails(
    404, "not_found", "There is nothing at this address, or nothing that you may see."
)
_FORBIDDEN: Final = ProblemDetails(403, "forbidden", "You may not do this here.")
_CSRF: Final = ProblemDetails(
    403,
    "forbidden",
    "The form was too old, or it was not sent by a page of this service. Load the page again, and "
    "send it once more. Cookies must be allowed.",
)
_FAILED: Final = ProblemDetails(
    500, "internal_error", "This service failed. Its administrator finds the reason in its log."
)


def is_for_people(request: HttpRequest) -> bool:
    """Whether the answer is a page: by the path, and without an Authorization header."""
    return not request.path.startswith(_PROGRAMS) and "Authorization" not in request.headers


class ErrorPages:
    """Middleware: an expected error that a page's view raises becomes a page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exc: Exception) -> HttpResponse | None:
        """Return the page; None leaves the error to Django's handlers below."""
        if isinstance(exc, Http404 | PermissionDenied) or not is_for_people(request):
            return None
        found = problems.problem_for(exc)
        return None if found is None else error_page(request, found)


def error_page(request: HttpRequest, found: ProblemDetails) -> HttpResponse:
    """Return the page of an error. For a 5xx it does not query the database."""
    context: dict[str, Any] = {
        "title": _TITLES.get(found.status, "This failed"),
        "status": found.status,
        "code": found.code,
        "detail": error_sentence(found),
        "suggestions": found.extra.get("suggestions", ()),
        "request_id": structlog.contextvars.get_contextvars().get("request_id", ""),
        "theme": theme_of(request),
    }
    html = render_to_string("web/error.html", context, request if found.status < 500 else None)
    response = HttpResponse(html, status=found.status)
    if found.status == 503:
        response["Retry-After"] = "5"
    if "HX-Request" in request.headers and "HX-Boosted" not in request.headers:
        _spare_the_page(response)
    return response


def refusal(request: HttpRequest, exc: Exception) -> HttpResponse | None:
    """Return the answer to a request that no middleware and no view has seen; None if unexpected.

    The event loop calls this, so it must not query the database: only a 5xx is a page.
    """
    found = problems.problem_for(exc)
    if found is None or found.status < 500 or not is_for_people(request):
        return problems.response_to(request, exc)
    page = error_page(request, found)
    policy = ContentPolicy(lambda _: page)
    policy.process_response(request, page)
    return page


def _spare_the_page(response: HttpResponse) -> None:
    """Keep htmx from putting a whole error page into a part of a page.

    Temporary errors leave the page as it is; others reload it, which then shows the error.
    """
    if response.status_code >= 500 or response.status_code == 429:
        reswap(response, "none")
    else:
        response["HX-Refresh"] = "true"


# --- Django's own handlers (see central.urls) ---------------------------------------------------


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if not is_for_people(request):
        return problems.forbidden(request, exception)
    return error_page(request, _FORBIDDEN)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    if not is_for_people(request):
        return problems.forbidden(request, reason=reason)
    return error_page(request, _CSRF)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if not is_for_people(request):
        return problems.not_found(request, exception)
    return error_page(request, _NOT_FOUND)


def server_error(request: HttpRequest) -> HttpResponse:
    """`handler500`; 503 if the database is unavailable."""
    if not is_for_people(request):
        return problems.server_error(request)
    exc = sys.exc_info()[1]
    found = problems.problem_for(exc) if isinstance(exc, Exception) else None
    return error_page(request, found or _FAILED)
