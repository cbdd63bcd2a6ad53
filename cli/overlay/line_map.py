"""The lines of central's commit in the work tree's last snapshot, and those that are new there."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from indexer.git.edits import diff_hunks
from indexer.git.local import WorkingCopy
from indexer.git.patch import Hunk, Span, map_range

_NOT_A_WORD = re.compile(r"\W")


class Lines(Protocol):
    """What was edited between two commits."""

    def moved(self, path: str, line: int) -> int | None:
        """The line's number in the snapshot; None where it was edited or removed."""
        ...

    def are_edited(self, path: str, first: int, last: int) -> bool:
        """Whether any of these lines of the snapshot is new."""
        ...

    def is_mentioned(self, names: Iterable[str]) -> bool:
        """Whether any line that was edited, anywhere, has one of the names as a word."""
        ...


class UnmappedLines:
    """Where one of the commits is not here."""

    def moved(self, path: str, line: int) -> int | None:  # noqa: ARG002
        """The line is unknown."""
        return None

    def are_edited(self, path: str, first: int, last: int) -> bool:  # noqa: ARG002
        """They may be."""
        return True

    def is_mentioned(self, names: Iterable[str]) -> bool:
        """They may."""
        return bool(list(names))


class EditedLines:
    """Asked of git once for each file and each name."""

    def __init__(self, root: Path, objects_dir: Path, base: str, commit: str) -> None:
        self._root = root
        self._objects_dir = objects_dir
        self._commits = base, commit
        self._files: dict[str, tuple[Hunk, ...] | None] = {}
        self._names: dict[str, bool] = {}

    def moved(self, path: str, line: int) -> int | None:
        """See Lines."""
        hunks = self._hunks(path)
        if hunks is None or any(hunk.old.low < line <= hunk.old.high for hunk in hunks):
            return None
        return map_range(Span(line - 1, line), hunks).high

    def are_edited(self, path: str, first: int, last: int) -> bool:
        """See Lines."""
        hunks = self._hunks(path)
        return hunks is None or any(
            hunk.new.low < last and first <= hunk.new.high and hunk.new.low < hunk.new.high
            for hunk in hunks
        )

    def is_mentioned(self, names: Iterable[str]) -> bool:
        """See Lines."""
        return any(self._is_name_mentioned(name) for name in names)

    def _hunks(self, path: str) -> tuple[Hunk, ...] | None:
        if path not in self._files:
            repository = WorkingCopy(self._root, self._objects_dir)
            try:
                self._files[path] = diff_hunks(repository, path, *self._commits)
            finally:
                repository.close()
        return self._files[path]

    def _is_name_mentioned(self, name: str) -> bool:
        if name not in self._names:
            escaped = _NOT_A_WORD.sub(r"\\\g<0>", name)
            pattern = f"(^|[^[:alnum:]_]){escaped}([^[:alnum:]_]|$)"
            repository = WorkingCopy(self._root, self._objects_dir)
            try:
                found = repository.diff(
                    "--name-only", "--text", "--ignore-submodules=all", f"-G{pattern}",
                    "--end-of-options", *self._commits,
                )  # fmt: skip
            finally:
                repository.close()
            self._names[name] = bool(found)
        return self._names[name]
