"""Fair queueing: places for running requests, given to waiting callers in turn."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from ipaddress import ip_address, ip_network
from threading import Lock
from typing import Final, Generic, NamedTuple, TypeVar

from central.errors import UnavailableError
from central.http.bearer import split_authorization
from central.http.lanes import REQUESTS_OF_ONE_CALLER, Lane, LaneLimits
from central.settings.services import READS_AT_ONCE

REQUESTS_AT_ONCE: Final = 16  # of a process; below the size of the database's pool
LATE_SECONDS: Final = 1.2  # of waiting for a search or trace that has run as long: then beside it
_KNOWN: Final = 10_000  # tokens; what is longest unused goes

_ORGANIZATION: Final = "organization "

_lock = Lock()
_organizations: OrderedDict[bytes, int] = OrderedDict()
_NETWORK_BITS = 64  # of IPv6: the least that one customer has


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


class Slot(NamedTuple):
    """The place of a running request; `began` is seconds of the clock."""

    caller: Caller
    began: float


class _Waiting(NamedTuple, Generic[_Waiter]):
    waiter: _Waiter
    since: float


class Turns(Generic[_Waiter]):
    """Running and waiting requests by caller, in lanes with these limits.

    Who has waited for LATE_SECONDS, and for a request that runs as long, has a place in the lane's
    `late` one: what takes long keeps no other waiting until its end.
    """

    def __init__(
        self, limits: Mapping[Lane, LaneLimits], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits
        self._clock = clock
        self.places: list[Slot] = []  # of those that run
        self._lines: OrderedDict[Caller, deque[_Waiting[_Waiter]]] = OrderedDict()  # next one first

    def enter(self, caller: Caller) -> Slot | None:
        """Take a place; None if there is none for this caller."""
        if not self._has_place(caller):
            return None
        self.places.append(Slot(caller, self._clock()))
        return self.places[-1]

    def wait(self, caller: Caller, waiter: _Waiter) -> float | None:
        """Join the queue; return the longest wait in seconds, None for no end.

        Raises UnavailableError if too many wait, or too many of this caller.
        """
        limits = self._limits[caller.lane]
        line = self._lines.get(caller, deque())
        in_lane = [line for line in self._lines if line.lane is caller.lane]
        # Strangers can be as many as they like, so all of them share what one organisation has.
        strangers = [caller for caller in in_lane if not caller.is_organization]
        alike = [caller] if caller.is_organization else strangers
        is_full = self._count_waiting(in_lane) >= limits.waiting
        if is_full or self._count_waiting(alike) >= limits.waiting // 2:
            raise too_busy()
        self._lines[caller] = line
        line.append(_Waiting(waiter, self._clock()))
        return limits.timeout_seconds(len(line) - 1)

    def leave(self, place: Slot) -> list[tuple[_Waiter, Slot]]:
        """Give a place back; return the waiters that have places now, as `serve` does."""
        self.places.remove(place)
        return self.serve()

    def serve(self) -> list[tuple[_Waiter, Slot]]:
        """Return the waiters that have places now, with these; due LATE_SECONDS after any change.

        One that leaves may let two go on: a place of its caller, and one of all.
        """
        served = []
        while (found := self._next()) is not None:
            caller, place = found
            served.append((self._served(caller), place))
        return served

    def leave_queue(self, caller: Caller, waiter: _Waiter) -> bool:
        """Leave the queue; false if `waiter` was already given a place."""
        line = self._lines.get(caller, deque())
        waiting = next((place for place in line if place.waiter == waiter), None)
        if waiting is None:
            return False
        line.remove(waiting)
        if not line:
            del self._lines[caller]
        return True

    def count(self, lanes: Collection[Lane]) -> int:
        """Return how many requests of these lanes have places."""
        return self._count(lambda served: served.lane in lanes)

    def _count_waiting(self, callers: Iterable[Caller]) -> int:
        return sum(len(self._lines.get(caller, ())) for caller in callers)

    def _next(self) -> tuple[Caller, Slot] | None:
        """Take a place for the caller whose turn it is; None if no waiting one may have a place."""
        in_turn = sorted(self._lines, key=lambda served: self._limits[served.lane].rank)
        for caller in in_turn:
            if place := self.enter(caller):
                return caller, place
        for caller in in_turn:
            late = self._limits[caller.lane].late
            if late and self._is_late(caller) and (place := self.enter(caller._replace(lane=late))):
                return caller, place
        return None

    def _is_late(self, caller: Caller) -> bool:
        """Whether the first one of a line has waited long, and for one that takes long."""
        before = self._clock() - LATE_SECONDS
        runs_long = any(place.began <= before for place in self._ahead(caller))
        return runs_long and self._lines[caller][0].since <= before

    def _ahead(self, caller: Caller) -> Iterator[Slot]:
        """Yield the places for which a caller waits: its own, or those of all in a full lane."""
        for lane in (caller.lane, self._limits[caller.lane].within):
            if lane is None:
                continue
            inside = self._inside(lane)
            own = [place for place in inside if place.caller.name == caller.name]
            if len(own) >= self._limits[lane].of_one_caller:
                yield from own
            elif len(inside) >= self._limits[lane].at_once:
                yield from inside

    def _served(self, caller: Caller) -> _Waiter:
        """Take the next one of a line. All lines of its name are last then, and this one after."""
        waiting = self._lines[caller].popleft()
        same = [line for line in self._lines if line.name == caller.name and line != caller]
        for behind in (*same, caller):
            self._lines.move_to_end(behind)
        if not self._lines[caller]:
            del self._lines[caller]
        return waiting.waiter

    def _has_place(self, caller: Caller) -> bool:
        limits = self._limits[caller.lane]
        return (
            len(self.places) < REQUESTS_AT_ONCE
            and self._count(lambda served: served.name == caller.name) < REQUESTS_OF_ONE_CALLER
            and self._has_place_in(caller.lane, caller.name)
            and (limits.within is None or self._has_place_in(limits.within, caller.name))
            and not (
                limits.is_read
                and self._count(lambda served: self._limits[served.lane].is_read) >= READS_AT_ONCE
            )
        )

    def _has_place_in(self, lane: Lane, name: str) -> bool:
        limits = self._limits[lane]
        names = [place.caller.name for place in self._inside(lane)]
        return len(names) < limits.at_once and names.count(name) < limits.of_one_caller

    def _inside(self, lane: Lane) -> list[Slot]:
        """Return the places of a lane, with those of lanes within it."""
        return [
            place
            for place in self.places
            if lane in {place.caller.lane, self._limits[place.caller.lane].within}
        ]

    def _count(self, counts: Callable[[Caller], bool]) -> int:
        """Return how many of the running requests count."""
        return sum(counts(place.caller) for place in self.places)


def too_busy() -> UnavailableError:
    """Return the refusal of a request for which there is no thread in time."""
    return UnavailableError(
        "This service has more to do than it can take; try again in some seconds.",
        code="too_busy",
    )


def network_of(address: str) -> str:
    """Return the address, for IPv6 its network; "" for what is none, such as a unix socket's."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return ""
    if parsed.version == 4:
        return str(parsed)
    return str(ip_network((parsed, _NETWORK_BITS), strict=False))
