"""Where the lines of central's commit are in the work tree's last snapshot."""

from pathlib import Path

from indexer.impact.edits import hunks_of
from indexer.impact.hunks import Hunk, Span, moved
from indexer.local import LocalRepository


class MovedLines:
    """Asked of git once for each file."""

    def __init__(self, root: Path, objects_dir: Path, base: str, commit: str) -> None:
        self._root = root
        self._objects_dir = objects_dir
        self._commits = base, commit
        self._known: dict[str, tuple[Hunk, ...] | None] = {}

    def __call__(self, path: str, line: int) -> int | None:
        """The line's number in the snapshot; None where it was edited or removed."""
        if path not in self._known:
            self._known[path] = self._hunks(path)
        hunks = self._known[path]
        if hunks is None or any(hunk.old.low < line <= hunk.old.high for hunk in hunks):
            return None
        return moved(Span(line - 1, line), hunks).high

    def _hunks(self, path: str) -> tuple[Hunk, ...] | None:
        repository = LocalRepository(self._root, self._objects_dir)
        try:
            return hunks_of(repository, path, *self._commits)
        finally:
            repository.close()
