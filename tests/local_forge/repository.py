"""A repository of the stand-in: a bare one that is served, and a work tree that pushes to it."""

import itertools
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.local_git import commit_all, git

OWNER = "acme"
OWNER_ID = 9919
_ids = itertools.count(74001)


@dataclass
class LocalRepository:
    """A repository of the stand-in: a bare one that is served, and a work tree that is pushed."""

    owner: str
    owner_id: int
    name: str
    bare: Path
    tree: Path
    id: int = field(default_factory=lambda: next(_ids))
    topics: list[str] = field(default_factory=list)
    archived: bool = False
    fork: bool = False
    visibility: str = "private"
    kilobytes: int = 10
    pulls: list[dict[str, Any]] = field(default_factory=list)
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)  # of pull requests, by id

    def commit(self, files: dict[str, str | bytes], message: str = "Change") -> str:
        """Write files, commit and push; returns the commit."""
        for name, content in files.items():
            path = self.tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        commit = commit_all(self.tree, message)
        git(self.tree, "push", "--quiet", "--force", "origin", "HEAD:refs/heads/main")
        return commit

    def file_at(self, branch: str, path: str) -> str:
        """The content of a file on a branch."""
        shown = ["git", "-C", str(self.bare), "show", f"refs/heads/{branch}:{path}"]
        return subprocess.run(shown, check=True, capture_output=True, text=True).stdout

    def branches(self) -> list[str]:
        """The names of its branches."""
        return git(self.bare, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
