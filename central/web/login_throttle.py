"""How often a password may be tried.

By address, by user name and address, and by user name from everywhere but the browsers in which
its owner signed in before: so a stranger who tries a name keeps other strangers out, and not them.
"""

from collections.abc import Iterator
from ipaddress import ip_address, ip_network

import structlog
from django.http import HttpRequest, HttpResponse

from central.http.rate_limits import check

_BY_ADDRESS = "60/5minute"  # an office may be one
_BY_NAME_AND_ADDRESS = "10/5minute"
_BY_NAME = "30/5minute"
_NETWORK_BITS = 64  # of IPv6: the least that one customer has
_COOKIE = "signed_in_before"
_COOKIE_SECONDS = 180 * 86_400

_log = structlog.get_logger(__name__)


def retry_after(request: HttpRequest, username: str) -> float | None:
    """Count an attempt to sign in; None if it may be made, else how long to wait."""
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
    """Let this browser be known as one in which that user signed in. It grants nothing."""
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
    """Where a request comes from: of IPv6, the network; "" where that is not known."""
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:  # a unix socket has none
        return ""
    if address.version == 4:
        return str(address)
    return str(ip_network((address, _NETWORK_BITS), strict=False))
