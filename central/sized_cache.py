"""Values in memory up to a size together; what was longest unused goes."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class SizedCache(Generic[_Key, _Value]):
    """Values by key, of `most` units of size together. Thread-safe."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[_Key, tuple[_Value, int]] = OrderedDict()  # with their sizes
        self._size = 0

    def get(self, key: _Key) -> _Value | None:
        """Return what is kept; None without it."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: _Key, value: _Value, size: int) -> None:
        """Keep a value instead of the earlier one of the key."""
        with self._lock:
            self._drop(key)
            self._kept[key] = value, size
            self._size += size
            while self._size > self._most:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: _Key) -> None:
        if key in self._kept:
            self._size -= self._kept.pop(key)[1]
