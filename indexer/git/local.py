"""A checkout that is indexed for its own sake: whatever is here counts, and no remote is asked.

Commits that no ref names may be kept apart, in a directory of objects that the environment names to
git: the repository itself then changes in nothing.
"""

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Final

from indexer.errors import GitError
from indexer.git.parse import Changes, parse_diff
from indexer.git.repository import Repository
from indexer.records.files import TreeEntry
from indexer.records.runs import Ancestry

# What a local index is of, whatever branch is checked out.
LOCAL_REF: Final = "refs/heads/checkout"


class WorkingCopy(Repository):
    """The checkout at `path`. Shallow or partial: what is not here is not missed.

    With `objects_dir` every new object is written there, and found there too.
    """

    asks_remotes = False

    def __init__(self, path: Path, objects_dir: Path | None = None) -> None:
        apart = _is_separate_repository(path, objects_dir) if objects_dir else {}
        super().__init__(path, environment=apart)

    def default_branch(self) -> str:
        """The checkout, as there is nothing else."""
        return LOCAL_REF

    def branch_head(self, ref: str) -> str | None:
        """What is checked out."""
        return self.commit("HEAD") if ref == LOCAL_REF else super().branch_head(ref)

    def was_removed_from_branch(self, head: str, base: str, ref: str) -> bool:  # noqa: ARG002
        """No: a checkout is never behind itself."""
        return False

    def is_shallow(self) -> bool:
        """No: no more history is wanted than there is."""
        return False

    def ancestry(self, base: str, head: str) -> Ancestry:
        """How `base` lies to `head`; commits that no known history joins have diverged."""
        if base == head:
            return Ancestry.SAME
        if not self.has_commit(base):
            return Ancestry.MISSING
        return Ancestry.ANCESTOR if self.is_ancestor(base, head) else Ancestry.DIVERGED

    # The checkout

    def configured(self, pattern: str) -> tuple[str, ...]:
        """The names of git's settings that a regular expression matches."""
        return tuple(dict.fromkeys(name for _, name in self._git.configured(pattern)))

    def ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of the paths that git ignores; none that is tracked. Raises GitError."""
        stdin = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
        status, out, problem = self._git.attempt(
            "check-ignore", "-z", "--stdin", stdin=stdin, environment={"GIT_LITERAL_PATHSPECS": "0"}
        )
        if status > 1:  # 1: none of them is
            raise GitError(f"git check-ignore failed: {problem}")
        return frozenset(os.fsdecode(path)[2:] for path in out.split(b"\0")[:-1])

    # Content

    def changes(self, base: str, head: str) -> Changes:
        """As everywhere; in a partial clone a file whose content is not here is not there."""
        missing = self._missing(head)
        if not missing:
            return super().changes(base, head)
        changes = parse_diff(self.raw_diff(base, head))
        here = [entry for entry in changes.entries if entry.blob not in missing]
        away = [entry.path for entry in changes.entries if entry.blob in missing]
        return Changes(tuple(self._with_sizes(tuple(here))), (*changes.removed, *away))

    def tree(self, commit: str) -> list[TreeEntry]:
        """As everywhere; in a partial clone without the files whose content is not here."""
        if not self._missing(commit):
            return super().tree(commit)
        return list(self.changes(self._empty_tree, commit).entries)

    def _missing(self, commit: str) -> frozenset[str]:
        """The objects of a commit's tree that a partial clone lacks, as a sparse checkout does."""
        if not self.is_partial:
            return frozenset()
        listing = self.run("rev-list", "--objects", "--no-walk", "--missing=print", commit)
        return frozenset(
            line[1:] for line in listing.decode(errors="replace").splitlines() if line[0] == "?"
        )

    @cached_property
    def _empty_tree(self) -> str:
        return self._git.text("hash-object", "-t", "tree", "--stdin")


def _is_separate_repository(path: Path, directory: Path) -> dict[str, str]:
    """What makes git write objects to `directory`, and read the repository's own as well.

    Between quotes, as a list of such directories is parted by colons.
    """
    directory.mkdir(parents=True, exist_ok=True)
    repository = WorkingCopy(path)
    own = str(repository.objects.resolve()).replace("\\", r"\\").replace('"', r"\"")
    repository.close()
    return {
        "GIT_OBJECT_DIRECTORY": str(directory.resolve()),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{own}"',
    }
