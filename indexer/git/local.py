"""A checkout that is indexed locally: it is complete as it is, and no remote is contacted.

Objects of unreferenced commits may be stored in a separate directory, which git gets through the
environment, so that the repository itself does not change.
"""

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Final

from indexer.errors import GitError
from indexer.git.parse import Changes, parse_diff, split_lines
from indexer.git.repository import Repository
from indexer.records.files import TreeEntry
from indexer.records.runs import Ancestry

# The branch of a local index, whatever is checked out.
LOCAL_REF: Final = "refs/heads/checkout"


class WorkingCopy(Repository):
    """The checkout at `path`, which may be shallow or partial; missing objects are ignored.

    With `objects_dir`, new objects are written to and read from that directory.
    """

    asks_remotes = False

    def __init__(self, path: Path, objects_dir: Path | None = None) -> None:
        environment = object_environment(path, objects_dir) if objects_dir else {}
        super().__init__(path, environment=environment)
        self.has_history = objects_dir is None

    def default_branch(self) -> str:
        """Return LOCAL_REF, the only branch of a local index."""
        return LOCAL_REF

    def branch_head(self, ref: str) -> str | None:
        """Return the checked-out commit for LOCAL_REF."""
        return self.commit("HEAD") if ref == LOCAL_REF else super().branch_head(ref)

    def was_removed_from_branch(self, head: str, base: str, ref: str) -> bool:  # noqa: ARG002
        """Return False: a checkout is never behind itself."""
        return False

    def is_shallow(self) -> bool:
        """Return False: no further history is needed."""
        return False

    def ancestry(self, base: str, head: str) -> Ancestry:
        """Return the relation of `base` to `head`.

        Commits without known common history have diverged.
        """
        if base == head:
            return Ancestry.SAME
        if not self.has_commit(base):
            return Ancestry.MISSING
        return Ancestry.ANCESTOR if self.is_ancestor(base, head) else Ancestry.DIVERGED

    # The checkout

    def configured(self, pattern: str) -> tuple[str, ...]:
        """Return the names of git's settings that match a regular expression."""
        return tuple(dict.fromkeys(name for _, name in self._git.configured(pattern)))

    def ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """Return the untracked paths among `paths` that git ignores. Raises GitError."""
        stdin = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
        status, out, problem = self._git.attempt(
            "check-ignore", "-z", "--stdin", stdin=stdin, environment={"GIT_LITERAL_PATHSPECS": "0"}
        )
        if status > 1:  # 1: none of them is
            raise GitError(f"git check-ignore failed: {problem}")
        return frozenset(os.fsdecode(path)[2:] for path in out.split(b"\0")[:-1])

    # Content

    def changes(self, base: str, head: str) -> Changes:
        """Return the changes; in a partial clone, files without content count as absent."""
        missing = self._missing(head)
        if not missing:
            return super().changes(base, head)
        changes = parse_diff(self.raw_diff(base, head))
        present = [entry for entry in changes.entries if entry.blob not in missing]
        absent = [entry.path for entry in changes.entries if entry.blob in missing]
        return Changes(tuple(self._with_sizes(tuple(present))), (*changes.removed, *absent))

    def tree(self, commit: str) -> list[TreeEntry]:
        """Return the tree; in a partial clone, without files whose content is missing."""
        if not self._missing(commit):
            return super().tree(commit)
        return list(self.changes(self._empty_tree, commit).entries)

    def _missing(self, commit: str) -> frozenset[str]:
        """Return the objects of a commit's tree that a partial clone does not have."""
        if not self.is_partial:
            return frozenset()
        listing = self._git.records(
            "rev-list", "--objects", "--no-walk", "--missing=print", commit, split=split_lines
        )
        return frozenset(line[1:].decode() for line in listing if line.startswith(b"?"))

    @cached_property
    def _empty_tree(self) -> str:
        return self._git.text("hash-object", "-t", "tree", "--stdin")


def object_environment(path: Path, directory: Path) -> dict[str, str]:
    """Return the variables with which git writes to `directory` and also reads the own objects.

    The path is quoted, because git separates these directories by colons.
    """
    directory.mkdir(parents=True, exist_ok=True)
    repository = WorkingCopy(path)
    own = str(repository.objects.resolve()).replace("\\", r"\\").replace('"', r"\"")
    repository.close()
    return {
        "GIT_OBJECT_DIRECTORY": str(directory.resolve()),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{own}"',
    }
