"""Fair queueing: places for running requests, given to waiting callers in turn."""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from threading import Lock
from typing import Final, Generic, NamedTuple, TypeVar

from central.errors import UnavailableError
from central.http.addresses import network_of
from central.http.bearer import split_authorization
from central.http.lanes import Lane, LaneLimits
from indexer.limits import READS_AT_ONCE, REQUESTS_AT_ONCE, REQUESTS_OF_ONE_CALLER

_KNOWN: Final = 10_000  # tokens; what is longest unused goes

_ORGANIZATION: Final = "organization "

_lock = Lock()
_organizations: OrderedDict[bytes, int] = OrderedDict()


class Caller(NamedTuple):
    """A caller of the service, in one of the lanes."""

    name: str
    lane: Lane = Lane.READS

    @property
    def is_organization(self) -> bool:
        """Whether a token of an organisation was shown, and no address alone."""
        return self.name.startswith(_ORGANIZATION)


NO_CALLER: Final = Caller("")
current: ContextVar[Caller] = ContextVar("caller", default=NO_CALLER)


@contextmanager
def in_lane(lane: Lane) -> Iterator[None]:
    """Have the current caller wait for threads in another lane."""
    token = current.set(current.get()._replace(lane=lane))
    try:
        yield
    finally:
        current.reset(token)


def caller_of(authorization: str | None, address: str, lane: Lane = Lane.READS) -> Caller:
    """Return the organisation of a known token, else the network: anyone can make tokens up."""
    organization = _organization_of(authorization) if authorization else None
    if organization is None:
        return Caller(f"address {network_of(address)}", lane)
    return Caller(f"{_ORGANIZATION}{organization}", lane)


def _organization_of(authorization: str) -> int | None:
    digest = _digest(split_authorization(authorization)[1])
    with _lock:
        organization = _organizations.get(digest)
        if organization is not None:
            _organizations.move_to_end(digest)
        return organization


def remember_caller(token: str, organization_id: int) -> None:
    """Record the organisation of a token after its look-up."""
    with _lock:
        _organizations[_digest(token)] = organization_id
        if len(_organizations) > _KNOWN:
            _organizations.popitem(last=False)


def forget_caller(token: str) -> None:
    """Let a token that is no longer valid have no turn of its organisation."""
    with _lock:
        _organizations.pop(_digest(token), None)


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "replace")).digest()


_Waiter = TypeVar("_Waiter")


class Turns(Generic[_Waiter]):
    """Running and waiting requests by caller, in lanes with these limits."""

    def __init__(self, limits: Mapping[Lane, LaneLimits]) -> None:
        self._limits = limits
        self._under_way: Counter[Caller] = Counter()
        self._lines: OrderedDict[Caller, deque[_Waiter]] = OrderedDict()  # the next one first

    def enter(self, caller: Caller) -> bool:
        """Take a place; false if there is none for this caller."""
        if not self._has_place(caller):
            return False
        self._under_way[caller] += 1
        return True

    def wait(self, caller: Caller, waiter: _Waiter) -> float | None:
        """Join the queue; return the longest wait in seconds, None for no end.

        Raises UnavailableError if too many wait, or too many of this caller.
        """
        limits = self._limits[caller.lane]
        line = self._lines.get(caller, deque())
        in_lane = [one for one in self._lines if one.lane is caller.lane]
        # Strangers can be as many as they like, so all of them share what one organisation has.
        strangers = [one for one in in_lane if not one.is_organization]
        alike = [caller] if caller.is_organization else strangers
        is_full = self._count_waiting(in_lane) >= limits.waiting
        if is_full or self._count_waiting(alike) >= limits.waiting // 2:
            raise too_busy()
        self._lines[caller] = line
        line.append(waiter)
        return limits.timeout_seconds(len(line) - 1)

    def leave(self, caller: Caller) -> list[_Waiter]:
        """Give a place back; return the waiters that have places now.

        These may be two: a place of this caller, and one of all.
        """
        self._under_way[caller] -= 1
        if not self._under_way[caller]:
            del self._under_way[caller]
        served: list[_Waiter] = []
        while (next_caller := self._next()) is not None:
            served.append(self._served(next_caller))
        return served

    def outgrow(self, caller: Caller) -> tuple[Caller, list[_Waiter]]:
        """Count a request that takes long in Lane.LONG from now on, if there is room in it.

        Returns the caller to `leave` with, and the waiters that have places now.
        """
        long = caller._replace(lane=Lane.LONG)
        return (long, self.leave(caller)) if self.enter(long) else (caller, [])

    def give_up(self, caller: Caller, waiter: _Waiter) -> bool:
        """Leave the queue; false if `waiter` was already given a place."""
        line = self._lines.get(caller)
        if line is None or waiter not in line:
            return False
        line.remove(waiter)
        if not line:
            del self._lines[caller]
        return True

    def count(self, lanes: Collection[Lane]) -> int:
        """Return how many requests of these lanes have places."""
        return self._count(lambda one: one.lane in lanes)

    def _count_waiting(self, callers: Iterable[Caller]) -> int:
        return sum(len(self._lines.get(one, ())) for one in callers)

    def _next(self) -> Caller | None:
        """Take a place for the caller whose turn it is; None if no waiting one may have a place."""
        in_turn = sorted(self._lines, key=lambda one: self._limits[one.lane].rank)
        return next(filter(self.enter, in_turn), None)

    def _served(self, caller: Caller) -> _Waiter:
        """Take the next one of a line. All lines of its name are last then, and this one after."""
        waiter = self._lines[caller].popleft()
        same = [one for one in self._lines if one.name == caller.name and one != caller]
        for one in (*same, caller):
            self._lines.move_to_end(one)
        if not self._lines[caller]:
            del self._lines[caller]
        return waiter

    def _has_place(self, caller: Caller) -> bool:
        limits = self._limits[caller.lane]
        return (
            self._under_way.total() < REQUESTS_AT_ONCE
            and self._count(lambda one: one.name == caller.name) < REQUESTS_OF_ONE_CALLER
            and self._has_place_in(caller.lane, caller.name)
            and (limits.within is None or self._has_place_in(limits.within, caller.name))
            and not (
                limits.is_read
                and self._count(lambda one: self._limits[one.lane].is_read) >= READS_AT_ONCE
            )
        )

    def _has_place_in(self, lane: Lane, name: str) -> bool:
        limits = self._limits[lane]

        def is_inside(one: Caller) -> bool:
            return lane in {one.lane, self._limits[one.lane].within}

        return (
            self._count(is_inside) < limits.at_once
            and self._count(lambda one: one.name == name and is_inside(one)) < limits.of_one_caller
        )

    def _count(self, counts: Callable[[Caller], bool]) -> int:
        """Return how many of the running requests count."""
        return sum(number for one, number in self._under_way.items() if counts(one))


def too_busy() -> UnavailableError:
    """Return the refusal of a request for which there is no thread in time."""
    return UnavailableError(
        "This service has more to do than it can take; try again in some seconds.",
        code="too_busy",
    )
