"""Content of files in memory, as bytes, up to a size.

A file's content never changes: what is indexed again has another id. When it is full, any file may
go: a search that reads more than there is room for leaves some of the others' files.
"""

import random
from collections.abc import Iterable
from threading import Lock
from typing import TypeAlias

FileKey: TypeAlias = tuple[int, str, int]  # id, path and size


class ContentCache:
    """Content by file. Thread-safe."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = Lock()
        self._kept: dict[FileKey, bytes] = {}
        self._keys: list[FileKey] = []  # the same ones, to take any of
        self._bytes = 0

    def get(self, keys: Iterable[FileKey]) -> dict[FileKey, bytes]:
        """Return the content of those that are kept."""
        with self._lock:
            return {key: self._kept[key] for key in keys if key in self._kept}

    def add(self, contents: dict[FileKey, bytes]) -> None:
        """Keep content, in the place of other files."""
        with self._lock:
            for key, content in contents.items():
                if key not in self._kept and len(content) <= self._most:
                    self._kept[key] = content
                    self._keys.append(key)
                    self._bytes += len(content)
            while self._bytes > self._most:
                self._drop_one()

    def _drop_one(self) -> None:
        place = random.randrange(len(self._keys))  # noqa: S311
        self._keys[place], self._keys[-1] = self._keys[-1], self._keys[place]
        self._bytes -= len(self._kept.pop(self._keys.pop()))
