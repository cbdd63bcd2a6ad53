"""Limits on sign-in attempts.

By address, by user name and address, and by user name from all unknown browsers: a stranger who
tries a name does not lock out its owner, whose browsers are known.
"""

from collections.abc import Iterator

import structlog
from django.http import HttpRequest, HttpResponse

from central.http.rate_limits import check
from central.http.turns import network_of

_BY_ADDRESS = "60/5minute"  # an office may be one
_BY_NAME_AND_ADDRESS = "10/5minute"
_BY_NAME = "30/5minute"
_COOKIE = "signed_in_before"
_COOKIE_SECONDS = 180 * 86_400

_log = structlog.get_logger(__name__)


def retry_after(request: HttpRequest, username: str) -> float | None:
    """Count an attempt to sign in; return None if it is allowed, else the seconds to wait."""
    for limit, (key, rate) in _limits(request, username):
        wait = check(key, rate)
        if wait is not None:
            _log.warning("sign_in_limited", limit=limit)
            return wait
    return None


def _limits(request: HttpRequest, username: str) -> Iterator[tuple[str, tuple[str, str]]]:
    address = address_of(request)
    yield "address", (f"sign-in {address}", _BY_ADDRESS)
    yield "name_and_address", (f"sign-in {address} {username}", _BY_NAME_AND_ADDRESS)
    if not _was_here(request, username):
        yield "name", (f"sign-in-name {username}", _BY_NAME)


def remember_browser(request: HttpRequest, response: HttpResponse, username: str) -> None:
    """Mark this browser as one in which the user signed in. It grants no access."""
    response.set_signed_cookie(
        _COOKIE,
        username,
        salt=_COOKIE,
        max_age=_COOKIE_SECONDS,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


def _was_here(request: HttpRequest, username: str) -> bool:
    found = request.get_signed_cookie(_COOKIE, default=None, salt=_COOKIE, max_age=_COOKIE_SECONDS)
    return found == username


def address_of(request: HttpRequest) -> str:
    """Return the client's address, for IPv6 its network; "" if unknown."""
    return network_of(request.META.get("REMOTE_ADDR", ""))
