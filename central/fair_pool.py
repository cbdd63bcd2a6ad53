"""Things that are lent for a moment, to waiting callers in turn."""

from collections import OrderedDict, deque
from collections.abc import Hashable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

_Item = TypeVar("_Item")


class FairPool(Generic[_Item]):
    """Lends its items. A caller that waits for many delays another one by one of them only."""

    def __init__(self, items: Iterable[_Item]) -> None:
        self._lock = Lock()
        self._free = list(items)  # the last one is warm
        self._lines: OrderedDict[Hashable, deque[Future[_Item]]] = OrderedDict()  # next one first

    @contextmanager
    def lent(self, caller: Hashable, *, seconds: float) -> Iterator[_Item]:
        """Lend an item. Raises TimeoutError if none is free in this time."""
        item = self._take(caller, seconds)
        try:
            yield item
        finally:
            self._give_back(item)

    def _take(self, caller: Hashable, seconds: float) -> _Item:
        place: Future[_Item] = Future()
        with self._lock:
            if self._free:
                return self._free.pop()
            self._lines.setdefault(caller, deque()).append(place)
        try:
            return place.result(timeout=max(0.0, seconds))
        except TimeoutError:
            with self._lock:
                if place.done():  # at the same moment
                    return place.result()
                self._lines[caller].remove(place)
                if not self._lines[caller]:
                    del self._lines[caller]
            raise

    def _give_back(self, item: _Item) -> None:
        with self._lock:
            if not self._lines:
                self._free.append(item)
                return
            caller, line = self._lines.popitem(last=False)
            place = line.popleft()
            if line:
                self._lines[caller] = line
            place.set_result(item)
