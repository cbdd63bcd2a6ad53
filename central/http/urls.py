"""Addresses of this service's own pages, as its clients reach them."""

from urllib.parse import unquote

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from central.runtime.data_directory import running_server


def service_url() -> str:
    """Return this service's URL without a final slash; "" if it is unknown.

    AETERNA_PUBLIC_URL or, without it, the URL in the record of the running server.
    """
    if settings.PUBLIC_URL:
        return str(settings.PUBLIC_URL).rstrip("/")
    server = running_server(settings.DATA_DIR)
    return server["url"].rstrip("/") if server else ""


def is_below(url: str, base: str) -> bool:
    """Whether `url` is an http(s) address below `base`, without dot segments."""
    start = f"{base.rstrip('/')}/"
    if not base.startswith(("https://", "http://")) or not url.startswith(start):
        return False
    path = unquote(url.removeprefix(start).partition("?")[0].partition("#")[0])
    return "\\" not in path and ".." not in path.split("/")


def absolute_url(request: HttpRequest | Request, path: str) -> str:
    """Return `path` at AETERNA_PUBLIC_URL or, without it, at the request's host."""
    if settings.PUBLIC_URL:
        return f"{settings.PUBLIC_URL.rstrip('/')}{path}"
    return str(request.build_absolute_uri(path))
