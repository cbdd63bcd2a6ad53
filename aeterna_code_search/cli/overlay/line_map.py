"""Line numbers of central's commit mapped to the work tree's last snapshot, and new lines."""

import re
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from indexer.git.edits import diff_hunks
from indexer.git.local import WorkingCopy
from indexer.git.parse import split_records
from indexer.git.patch import Hunk, Span, map_range

_NOT_A_WORD = re.compile(r"\W")


class Lines:
    """The lines that were edited between two commits; here any: one is not in the clone."""

    def map_line(self, path: str, line: int) -> int | None:  # noqa: ARG002
        """Return the line's number in the snapshot; None if it was edited or removed."""
        return None

    def are_edited(self, path: str, first: int, last: int) -> bool:  # noqa: ARG002
        """Whether any of these lines of the snapshot is new."""
        return True

    def is_mentioned(self, names: Iterable[str]) -> bool:
        """Whether any edited line, in any file, contains one of the names as a word."""
        return bool(list(names))


class EditedLines(Lines):
    """Edited lines, read from git once for each file and each name."""

    def __init__(self, root: Path, objects_dir: Path, base: str, commit: str) -> None:
        self._root = root
        self._objects_dir = objects_dir
        self._commits = base, commit
        self._files: dict[str, tuple[Hunk, ...] | None] = {}
        self._names: dict[str, bool] = {}

    def map_line(self, path: str, line: int) -> int | None:
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
            with closing(WorkingCopy(self._root, self._objects_dir)) as repository:
                self._files[path] = diff_hunks(repository, path, *self._commits)
        return self._files[path]

    def _is_name_mentioned(self, name: str) -> bool:
        if name not in self._names:
            escaped = _NOT_A_WORD.sub(r"\\\g<0>", name)
            pattern = f"(^|[^[:alnum:]_]){escaped}([^[:alnum:]_]|$)"
            with closing(WorkingCopy(self._root, self._objects_dir)) as repository:
                paths = repository.diff(
                    "-z", "--name-only", "--text", "--ignore-submodules=all", f"-G{pattern}",
                    "--end-of-options", *self._commits, split=split_records,
                )  # fmt: skip
                self._names[name] = any(paths)
        return self._names[name]
