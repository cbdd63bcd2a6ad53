"""Clones with release branches, and repositories of only the files that a branch has otherwise."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import pinned
from scripts.local_git import commit_all, git, new_repository


@dataclass(frozen=True, slots=True)
class Clone:
    """A clone of a repository whose default branch is `main`."""

    name: str
    directory: Path
    branches: Sequence[str]

    def check_out(self, branch: str) -> Path:
        """Check out a branch; returns the directory."""
        git(self.directory, "checkout", "--quiet", "--force", branch)
        return self.directory

    def differing(self, branch: str, directory: Path) -> tuple[Path, int]:
        """Make a repository of the files that `main` lacks or has otherwise, and count them."""
        listed = git(
            self.directory, "diff", "--name-only", "--no-renames", "--diff-filter=AMT", "-z",
            "main", branch,
        )  # fmt: skip
        paths = {path for path in listed.split("\0") if path}
        shutil.rmtree(directory, ignore_errors=True)
        new_repository(directory)
        self.check_out(branch)
        for path in paths:
            source, copy = self.directory / path, directory / path
            if source.is_file() or source.is_symlink():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, copy, follow_symlinks=False)
        commit_all(directory, f"What differs on {branch}")
        return directory, len(paths)


def lay_out(
    repository: pinned.PinnedRepository,
    releases: Mapping[str, str],
    workspace: Path,
    *,
    clones: Path | None,
) -> Clone:
    """Clone a repository; `releases` are commits by the name of their release.

    The clone has a remote of its own, which names the default branch.
    """
    directory = workspace / "clones" / repository.name
    branches = {f"release/{name}": commit for name, commit in releases.items()}
    if not directory.exists():
        cache = workspace / "cache"
        source = pinned.history(repository, repository.commit, clones=clones, cache=cache)
        remote = workspace / "remotes" / f"{repository.name}.git"
        remote.parent.mkdir(parents=True, exist_ok=True)
        git(remote.parent, "clone", "--quiet", "--bare", str(source), remote.name)
        for name, commit in {"main": repository.commit, **branches}.items():
            git(remote, "update-ref", f"refs/heads/{name}", commit)
        git(remote, "symbolic-ref", "HEAD", "refs/heads/main")
        directory.parent.mkdir(parents=True, exist_ok=True)
        git(directory.parent, "clone", "--quiet", "--no-tags", str(remote), repository.name)
        for name in branches:
            git(directory, "branch", "--quiet", name, f"origin/{name}")
    return Clone(repository.name, directory, list(branches))
