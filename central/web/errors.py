"""Errors of pages are pages; programs get problem documents. Which is which is decided here.

What an error means and which status it has is `central.http.problems`' to say.
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
from central.http.problems import ProblemDetails
from central.web.access import theme_of
from central.web.messages import error_sentence

_PROGRAMS: Final = ("/api/", "/mcp", "/metrics", "/livez", "/readyz", "/internal/", "/static/")
_TITLES: Final = {
    400: "This cannot be understood",
    403: "This is not allowed",
    404: "There is no such page",
    409: "This cannot be done now",
    413: "This is too large",
    429: "Too many requests",
    503: "Something is away",
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
    """Whether a browser asks: by the path, and because a program says who it is in a header."""
    return not request.path.startswith(_PROGRAMS) and "Authorization" not in request.headers


class ErrorPages:
    """Middleware: an expected error that a page's view raises becomes a page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request."""
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exc: Exception) -> HttpResponse | None:
        """The page, or None: Django then asks the handlers below."""
        if isinstance(exc, Http404 | PermissionDenied) or not is_for_people(request):
            return None
        found = problems.problem_for(exc)
        return None if found is None else error_page(request, found)


def error_page(request: HttpRequest, found: ProblemDetails) -> HttpResponse:
    """The page of an error. Of one that is this service's own, it asks no database."""
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


def _spare_the_page(response: HttpResponse) -> None:
    """Of a page that asks for a part of itself: a whole page must not be put there.

    What passes by itself is waited for; of the rest, the page that is loaded again tells.
    """
    if response.status_code >= 500 or response.status_code == 429:
        reswap(response, "none")
    else:
        response["HX-Refresh"] = "true"


# --- Django's own handlers (see central.urls) ---------------------------------------------------


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """`handler403`."""
    if not is_for_people(request):
        return problems.forbidden(request, exception)
    return error_page(request, _FORBIDDEN)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The view of a failed check of where a form came from."""
    if not is_for_people(request):
        return problems.forbidden(request, reason=reason)
    return error_page(request, _CSRF)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """`handler404`."""
    if not is_for_people(request):
        return problems.not_found(request, exception)
    return error_page(request, _NOT_FOUND)


def server_error(request: HttpRequest) -> HttpResponse:
    """`handler500`; the database being away is 503 here too."""
    if not is_for_people(request):
        return problems.server_error(request)
    exc = sys.exc_info()[1]
    found = problems.problem_for(exc) if isinstance(exc, Exception) else None
    return error_page(request, found or _FAILED)
