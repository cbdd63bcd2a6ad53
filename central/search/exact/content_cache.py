"""Content of files in memory, as bytes, up to a size.

A file's content never changes: what is indexed again has another id. When it is full, any file may
go: a search that reads more than there is room for leaves some of the others' files.
"""

import random
from collections.abc import Iterable
from threading import Lock


class ContentCache:
    """Content by id. Thread-safe."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = Lock()
        self._kept: dict[int, bytes] = {}
        self._ids: list[int] = []  # the same ones, to take any of
        self._bytes = 0

    def get(self, ids: Iterable[int]) -> dict[int, bytes]:
        """Return the content of those that are kept."""
        with self._lock:
            return {one: self._kept[one] for one in ids if one in self._kept}

    def add(self, contents: dict[int, bytes]) -> None:
        """Keep content, in the place of other files."""
        with self._lock:
            for one, content in contents.items():
                if one not in self._kept and len(content) <= self._most:
                    self._kept[one] = content
                    self._ids.append(one)
                    self._bytes += len(content)
            while self._bytes > self._most:
                self._drop_one()

    def _drop_one(self) -> None:
        place = random.randrange(len(self._ids))  # noqa: S311
        self._ids[place], self._ids[-1] = self._ids[-1], self._ids[place]
        self._bytes -= len(self._kept.pop(self._ids.pop()))
