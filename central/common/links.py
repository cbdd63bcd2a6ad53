"""Addresses of this service's own pages, as its clients reach them."""

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request


def absolute_url(request: HttpRequest | Request, path: str) -> str:
    """`path` at AETERNA_PUBLIC_URL, or, without it, where the request came to."""
    if settings.PUBLIC_URL:
        return f"{settings.PUBLIC_URL.rstrip('/')}{path}"
    return str(request.build_absolute_uri(path))
