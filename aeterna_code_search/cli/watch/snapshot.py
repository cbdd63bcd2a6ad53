"""Snapshots of the work tree as commits, without changes to the repository.

Git works on the watcher's own index and object directory: no ref, index or object of the repository
changes, nothing is signed, and no hook or filter program runs.
"""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final

from indexer.config.project_file import PROJECT_FILE, read_project_file
from indexer.errors import CommitNotFoundError, GitError
from indexer.git.local import WorkingCopy
from indexer.git.parse import parse_diff
from indexer.pipeline.select import SelectionRules

# A fixed identity: the same tree on the same parent is the same commit.
_IDENTITY: Final = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in {
        "NAME": "codesearch",
        "EMAIL": "codesearch@localhost",
        "DATE": "@0 +0000",
    }.items()
}
# No shared index beside the repository's own, and no failure because of line endings.
_CONFIGURATION: Final = {
    "core.hooksPath": os.devnull,
    "core.splitIndex": "false",
    "core.safecrlf": "false",
}
_PROGRAMS: Final = r"^filter\..*\.(clean|process|required)$"
_Signature = tuple[tuple[int, int, int] | None, ...]


class Snapshots:
    """Snapshots of a checkout's work tree, each the parent of the next.

    `directory` belongs to the watcher and holds the objects of the commits. Only the process that
    has locked it may call `create`.
    """

    def __init__(self, root: Path, directory: Path) -> None:
        self._directory = directory
        self._index = directory / "index"
        self._copied: _Signature | None = None
        self._is_settled = False  # whether the index matches the last snapshot
        self._commit: str | None = None
        self._tree = ""
        self._programs: tuple[str, ...] = ()  # settings of filter programs at this snapshot
        self.repository = WorkingCopy(root, directory / "objects")

    def reset(self) -> None:
        """Discard all snapshots, including those of other processes; the next follows HEAD."""
        self.repository.close()
        shutil.rmtree(self._directory / "objects", ignore_errors=True)
        (self._directory / "objects").mkdir(parents=True)
        (self._directory / "index.lock").unlink(missing_ok=True)  # of a killed process
        self._copied, self._commit, self._tree = None, None, ""

    def changed_paths(self, base: str, commit: str) -> frozenset[str] | None:
        """Return the paths that differ between two commits; None if `base` is not in the clone."""
        if not self.repository.has_commit(base):
            return None
        changes = parse_diff(self.repository.raw_diff(base, commit))
        return frozenset([*changes.removed, *(entry.path for entry in changes.entries)])

    def create(self) -> str | None:
        """Commit the work tree; None if it has not changed. Raises IndexerError.

        A file that is written meanwhile may be included or not. The first snapshot of a clean work
        tree is HEAD itself.
        """
        self._programs = self.repository.configured(_PROGRAMS)
        if self._signature() != self._copied or self._has_ignored_files():
            self._copy_index()
        differing = self._differing()
        if self._is_settled and not differing:
            return None
        self._is_settled = False
        self._add_to_index(differing)
        tree = self._git("write-tree", "--missing-ok").decode().strip()
        commit = None if tree == self._tree else self._commit_tree(tree)
        if commit:
            self._commit, self._tree = commit, tree
        self._is_settled = True
        return commit

    # The index

    def _copy_index(self) -> None:
        """Copy the repository's own index, with its staged, tracked and skipped files."""
        self._copied, self._is_settled = self._signature(), False
        self._index.unlink(missing_ok=True)
        with suppress(FileNotFoundError):  # the repository has no index yet
            shutil.copy2(
                self._paths["index"], self._index
            )  # git compares files with the time of the index

    def _has_ignored_files(self) -> bool:
        """Whether the index has files that git ignores and no longer tracks."""
        listing = ("ls-files", "-z", "-c", "-i", "--exclude-standard")
        ours = frozenset(self._records(*listing))
        return bool(ours) and not ours.issubset(self.repository.records(*listing))

    def _signature(self) -> _Signature:
        return tuple(map(_stamp, self._paths.values()))

    @cached_property
    def _paths(self) -> dict[str, Path]:
        """The repository's own index and its exclude file."""
        return {
            name: self.repository.root
            / os.fsdecode(self.repository.run("rev-parse", "--git-path", name)).rstrip("\n")
            for name in ("index", "info/exclude")
        }

    # Files

    def _differing(self) -> list[bytes]:
        """Return paths that differ from the index or are not in it, without nested repositories."""
        paths = self._records("ls-files", "-z", "-m", "-d", "-o", "--exclude-standard")
        return sorted({path for path in paths if path[-1:] != b"/"})

    def _add_to_index(self, paths: list[bytes]) -> None:
        limit = self._max_file_bytes()
        root = self.repository.root
        filtered = self._filtered(paths)
        added = [
            path
            for path in paths
            if path not in filtered and _can_be_added(root / os.fsdecode(path), limit)
        ]
        omitted = set(paths).difference(added)
        omitted.update(self._update(added))
        zeros = "0" * (64 if self.repository.object_format == "sha256" else 40)
        removals = b"".join(b"0 %s\t%s\0" % (zeros.encode(), path) for path in sorted(omitted))
        if removals:
            self._git("update-index", "-z", "--index-info", stdin=removals)

    def _update(self, paths: Sequence[bytes]) -> list[bytes]:
        """Add the files to the index; return those that git cannot read."""
        if not paths:
            return []
        try:
            self._git(
                "update-index", "-z", "--add", "--remove", "--replace", "--stdin",
                stdin=b"".join(path + b"\0" for path in paths),
            )  # fmt: skip
        except GitError:
            if len(paths) == 1:
                return list(paths)
            half = len(paths) // 2
            return self._update(paths[:half]) + self._update(paths[half:])
        return []

    def _filtered(self, paths: list[bytes]) -> frozenset[bytes]:
        """Return paths that a filter program converts: only its output would be committed."""
        if not self._programs:
            return frozenset()
        fields = self._records(
            "check-attr", "-z", "--stdin", "filter", stdin=b"".join(path + b"\0" for path in paths)
        )
        return frozenset(
            path
            for path, _, value in zip(fields, fields, fields, strict=True)
            if value not in {b"unspecified", b"unset"}
        )

    def _max_file_bytes(self) -> int:
        file = read_project_file(self.repository.root / PROJECT_FILE)
        return file.max_file_bytes or SelectionRules().max_file_bytes

    # Git

    def _commit_tree(self, tree: str) -> str:
        parent = self._commit
        if parent is None:
            parent = self._head()
            if parent and self._git("rev-parse", f"{parent}^{{tree}}").decode().strip() == tree:
                return parent
        follows = ["-p", parent] if parent else []
        arguments = ["commit-tree", "--no-gpg-sign", *follows, "-m", "The work tree", tree]
        return self.repository.run(*arguments, stdin=b"", **_IDENTITY).decode().strip()

    def _head(self) -> str | None:
        try:
            return self.repository.commit("HEAD")
        except CommitNotFoundError:  # no commit yet
            return None

    def _git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        return self.repository.run(*arguments, stdin=stdin, **self._environment)

    def _records(self, *arguments: str, stdin: bytes = b"") -> Iterator[bytes]:
        return self.repository.records(*arguments, stdin=stdin, **self._environment)

    @property
    def _environment(self) -> dict[str, str]:
        settings = _CONFIGURATION | {
            name: "false" if name.endswith(".required") else "" for name in self._programs
        }
        environment = {"GIT_INDEX_FILE": str(self._index), "GIT_CONFIG_COUNT": str(len(settings))}
        for number, (name, value) in enumerate(settings.items()):
            environment[f"GIT_CONFIG_KEY_{number}"] = name
            environment[f"GIT_CONFIG_VALUE_{number}"] = value
        return environment


def _can_be_added(path: Path, limit: int) -> bool:
    """Whether git can add the path; it removes the path of a deleted file."""
    try:
        status = path.lstat()
    except OSError:
        return True
    if stat.S_ISREG(status.st_mode):
        return status.st_size <= limit and os.access(path, os.R_OK)
    return stat.S_ISLNK(status.st_mode) or stat.S_ISDIR(status.st_mode)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
