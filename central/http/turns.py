"""Fair queueing: places for running requests, given to waiting callers in turn."""

from collections import Counter, OrderedDict, deque
from contextvars import ContextVar
from hashlib import sha256
from threading import Lock
from typing import Final, Generic, NamedTuple, TypeVar

from central.errors import UnavailableError
from central.http.bearer import split_authorization
from indexer.limits import (
    REQUESTS_AT_ONCE,
    REQUESTS_OF_ONE_CALLER,
    REQUESTS_WAITING,
    UPLOADS_AT_ONCE,
    UPLOADS_OF_ONE_CALLER,
    UPLOADS_WAITING,
)

_KNOWN: Final = 10_000  # tokens; what is longest unused goes

_lock = Lock()
_organizations: OrderedDict[bytes, int] = OrderedDict()


class Caller(NamedTuple):
    """A caller of the service. Uploads take memory, so they have their own limit."""

    name: str
    is_upload: bool = False


NO_CALLER: Final = Caller("")
current: ContextVar[Caller] = ContextVar("caller", default=NO_CALLER)


def caller_of(authorization: str | None, address: str, *, is_upload: bool = False) -> Caller:
    """Return the caller behind an Authorization header or, without one, an address."""
    if authorization is None:
        return Caller(f"address {address}", is_upload)
    _, token = split_authorization(authorization)
    digest = _digest(token)
    with _lock:
        organization = _organizations.get(digest)
        if organization is None:
            return Caller(f"token {digest.hex()}", is_upload)
        _organizations.move_to_end(digest)
    return Caller(f"organization {organization}", is_upload)


def remember_caller(token: str, organization_id: int) -> None:
    """Record the organisation of a token after its look-up."""
    with _lock:
        _organizations[_digest(token)] = organization_id
        if len(_organizations) > _KNOWN:
            _organizations.popitem(last=False)


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "replace")).digest()


_Waiter = TypeVar("_Waiter")


class Turns(Generic[_Waiter]):
    """Running and waiting requests by caller."""

    def __init__(self) -> None:
        self._under_way: Counter[Caller] = Counter()
        self._lines: OrderedDict[Caller, deque[_Waiter]] = OrderedDict()  # the next one first

    def enter(self, caller: Caller) -> bool:
        """Take a place; false if there is none for this caller."""
        if not self._has_place(caller):
            return False
        self._under_way[caller] += 1
        return True

    def wait(self, caller: Caller, waiter: _Waiter) -> None:
        """Join the queue. Raises UnavailableError if too many wait."""
        lines = [line for one, line in self._lines.items() if one.is_upload == caller.is_upload]
        most = UPLOADS_WAITING if caller.is_upload else REQUESTS_WAITING
        if sum(map(len, lines)) >= most:
            raise UnavailableError(
                "This service has more to do than it can take; try again in some seconds.",
                code="too_busy",
            )
        self._lines.setdefault(caller, deque()).append(waiter)

    def leave(self, caller: Caller) -> _Waiter | None:
        """Give a place back; return the waiter that has it now, if any."""
        self._under_way[caller] -= 1
        if not self._under_way[caller]:
            del self._under_way[caller]
        for next_caller, line in self._lines.items():
            if self.enter(next_caller):
                waiter = line.popleft()
                self._lines.move_to_end(next_caller)
                if not line:
                    del self._lines[next_caller]
                return waiter
        return None

    def give_up(self, caller: Caller, waiter: _Waiter) -> bool:
        """Leave the queue; false if `waiter` was already given a place."""
        line = self._lines.get(caller)
        if line is None or waiter not in line:
            return False
        line.remove(waiter)
        if not line:
            del self._lines[caller]
        return True

    def _has_place(self, caller: Caller) -> bool:
        uploads = sum(count for one, count in self._under_way.items() if one.is_upload)
        of_caller = sum(count for one, count in self._under_way.items() if one.name == caller.name)
        if self._under_way.total() >= REQUESTS_AT_ONCE or of_caller >= REQUESTS_OF_ONE_CALLER:
            return False
        return not caller.is_upload or (
            uploads < UPLOADS_AT_ONCE and self._under_way[caller] < UPLOADS_OF_ONE_CALLER
        )
