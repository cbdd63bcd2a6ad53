"""Security headers of every answer, the content policy of pages, and static files."""

from collections.abc import Callable
from typing import Final, Protocol

from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

_POLICY: Final = "Content-Security-Policy"
_NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"
SANDBOX: Final = f"{_NOTHING}; sandbox"  # of what a browser shows and others wrote
_UNUSED: Final = (
    *("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer"),
    *("microphone", "midi", "payment", "usb"),
)
_ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _UNUSED),
}


class Headers(Protocol):
    """Response headers of Django or Starlette, case-insensitive."""

    def get(self, key: str, default: str, /) -> str: ...
    def setdefault(self, key: str, value: str, /) -> object: ...
    def __setitem__(self, key: str, value: str, /) -> None: ...


def set_security_headers(headers: Headers, *, is_secure: bool) -> None:
    """Set the headers of every answer, and defaults for those that it does not set."""
    for name, value in _ALWAYS.items():
        headers[name] = value
    # Answers hold code: no proxy and no browser may store them.
    headers.setdefault("Cache-Control", "no-store")
    if headers.get("Content-Type", "").startswith("text/html"):
        headers.setdefault(_POLICY, _NOTHING)  # answers before the pages' policy applies
    elif headers.get(_POLICY, "") != SANDBOX:
        headers[_POLICY] = _NOTHING
    if is_secure and settings.SECURE_HSTS_SECONDS:
        headers.setdefault("Strict-Transport-Security", _strict_transport())


def _strict_transport() -> str:
    """Return the header's value as Django's SecurityMiddleware builds it."""
    parts = [f"max-age={settings.SECURE_HSTS_SECONDS}"]
    if settings.SECURE_HSTS_INCLUDE_SUBDOMAINS:
        parts.append("includeSubDomains")
    if settings.SECURE_HSTS_PRELOAD:
        parts.append("preload")
    return "; ".join(parts)


class SecurityHeaders:
    """The outermost middleware: security headers for every answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request."""
        response = self._get_response(request)
        set_security_headers(response.headers, is_secure=request.is_secure())
        return response


class ContentPolicy(CSPMiddleware):
    """CONTENT_SECURITY_POLICY, with the directives of CONTENT_SECURITY_EXCEPTIONS by path.

    Every page has the strict policy; the admin's exceptions hold for the admin alone.
    """

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """Return the policy of an answer to `request`."""
        parts = super().get_policy_parts(request, response, report_only)
        for prefix, directives in settings.CONTENT_SECURITY_EXCEPTIONS.items():
            if request.path.startswith(prefix):
                parts.replace = {**(parts.replace or {}), **directives}
        return parts


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc] # it has no types
    """WhiteNoise with complete responses: the event loop would read a streamed file."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """Return the file, a part of it, or 304."""
        answer = static_file.get_response(request.method, request.META)
        content = b""
        if answer.file is not None:
            with answer.file as file:
                content = file.read()
        return HttpResponse(content, status=int(answer.status), headers=dict(answer.headers))
