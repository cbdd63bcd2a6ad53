"""Requests that wait for something without a thread: how many may, and who wakes them."""

from collections.abc import Collection
from concurrent.futures import Future
from threading import Lock
from weakref import WeakSet


class Wait:
    """A place among those that wait for `key`. It is free again once it is left or dropped."""

    def __init__(self, key: str, organization_id: int) -> None:
        self.key = key
        self.organization_id = organization_id
        self.woken: Future[None] = Future()
        self.woken.set_running_or_notify_cancel()  # who no longer waits cannot cancel it


class Waits:
    """Who waits in this process, for what. Thread-safe.

    Take a place before looking whether `key` has happened: what happens from then on wakes it.
    """

    def __init__(self, *, at_once: int, of_one_organization: int) -> None:
        self._at_once = at_once
        self._of_one_organization = of_one_organization
        self._lock = Lock()
        self._waits: WeakSet[Wait] = WeakSet()
        self._is_ending = False

    def enter(self, key: str, organization_id: int) -> Wait | None:
        """Take a place; None if too many wait, here or of the organisation, or at the end."""
        with self._lock:
            organizations = [wait.organization_id for wait in self._waits]
            if (
                self._is_ending
                or len(organizations) >= self._at_once
                or organizations.count(organization_id) >= self._of_one_organization
            ):
                return None
            wait = Wait(key, organization_id)
            self._waits.add(wait)
            return wait

    def leave(self, wait: Wait) -> None:
        """Free a place, which may be free already."""
        with self._lock:
            self._waits.discard(wait)

    def awaited(self) -> set[str]:
        """Return what is waited for."""
        with self._lock:
            return {wait.key for wait in self._waits}

    def wake(self, keys: Collection[str]) -> None:
        """Wake all that wait for one of `keys`, and free their places."""
        with self._lock:
            self._wake([wait for wait in self._waits if wait.key in keys])

    def end(self) -> None:
        """Wake all, and let none wait any more: this process ends."""
        with self._lock:
            self._is_ending = True
            self._wake(list(self._waits))

    def _wake(self, waits: Collection[Wait]) -> None:
        for wait in waits:
            self._waits.discard(wait)
            wait.woken.set_result(None)
