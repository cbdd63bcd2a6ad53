"""Whose a request is, as far as that is known before anything is looked up.

Requests wait for a thread by organisation. Until a token has been looked up once in this process,
it counts as an organisation of its own; requests without one, by their address.
"""

from collections import OrderedDict
from contextvars import ContextVar
from hashlib import sha256
from threading import Lock
from typing import Final, NamedTuple

_KNOWN: Final = 10_000  # tokens; what is longest unused goes

_lock = Lock()
_organizations: OrderedDict[bytes, int] = OrderedDict()


class Caller(NamedTuple):
    """Who asks. Uploads take memory, so they have threads of their own number."""

    name: str
    is_upload: bool = False


NO_CALLER: Final = Caller("")
current: ContextVar[Caller] = ContextVar("caller", default=NO_CALLER)


def caller_of(authorization: str | None, address: str, *, is_upload: bool = False) -> Caller:
    """The caller behind an Authorization header or, without one, an address."""
    if authorization is None:
        return Caller(f"address {address}", is_upload)
    digest = _digest(authorization.partition(" ")[2])
    with _lock:
        organization = _organizations.get(digest)
        if organization is None:
            return Caller(f"token {digest.hex()}", is_upload)
        _organizations.move_to_end(digest)
    return Caller(f"organization {organization}", is_upload)


def remember_caller(token: str, organization_id: int) -> None:
    """Note whose a token is, now that it was looked up."""
    with _lock:
        _organizations[_digest(token)] = organization_id
        if len(_organizations) > _KNOWN:
            _organizations.popitem(last=False)


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "replace")).digest()
