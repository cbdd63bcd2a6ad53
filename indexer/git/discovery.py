"""The repository that contains a directory, and whether its settings are trusted.

Git obeys the `config` of a repository that it finds, and that may name programs. No commit can
contain a `.git`; but any commit can contain a bare repository, as a directory of files.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from indexer.errors import GitError, NotARepositoryError, UntrustedRepositoryError

RunGit = Callable[..., tuple[int, bytes, str]]  # git in a directory: exit status, output, error
_NONE_HERE: Final = "not a git repository"
_MOST_NAME_BYTES: Final = 8_192  # more than any system takes for a path


@dataclass(frozen=True, slots=True)
class RepositoryLocation:
    """A repository's own directory and the top of its work tree, None if it is bare."""

    git_dir: Path
    top: Path | None


def find_repository(path: Path, run_git: RunGit) -> RepositoryLocation:
    """Find the repository whose work tree contains `path`, or the bare repository at `path`.

    Raises NotARepositoryError, UntrustedRepositoryError, and GitError if git distrusts its owner.
    """
    missing = NotARepositoryError(f"{path} is not inside a git repository; specify one with --path")
    if not path.exists():
        raise missing
    start = path.resolve()
    for directory in (start, *start.parents):
        if os.path.lexists(directory / ".git"):
            location = _checkout(directory, run_git)
            if location:
                return location
        elif directory.name != ".git" and _looks_bare(directory):
            return _bare(directory, path, run_git)
    raise missing


def _checkout(top: Path, run_git: RunGit) -> RepositoryLocation | None:
    """Return the repository at `top`/.git; None if git finds none there."""
    git_dir = _git_directory(top, _named(top / ".git"), run_git, bare="explicit")
    if git_dir is None:
        return None
    _check_not_committed(common_directory(git_dir), run_git)
    return RepositoryLocation(git_dir, top)


def _bare(directory: Path, path: Path, run_git: RunGit) -> RepositoryLocation:
    _check_not_committed(common_directory(directory), run_git)
    if directory != path.resolve():
        raise NotARepositoryError(
            f"{path} is inside of the bare repository {directory}; specify that with --path"
        )
    git_dir = _git_directory(directory, directory, run_git, bare="all")
    if git_dir is None:
        raise NotARepositoryError(f"{path} is not a git repository; specify one with --path")
    return RepositoryLocation(git_dir, None)


def _check_not_committed(common_dir: Path, run_git: RunGit) -> None:
    """Raise if a commit of another repository could have created this one.

    That is so if it lies among the files of another one's work tree. A directory inside `.git` is
    safe, and so is the repository of the work tree around it.
    """
    if ".git" in common_dir.parts:
        return
    for parent in common_dir.parents:
        if os.path.lexists(parent / ".git"):
            outer = _git_directory(parent, _named(parent / ".git"), run_git, bare="explicit")
            if outer and common_directory(outer) != common_dir:
                raise UntrustedRepositoryError(
                    f"{common_dir} is a bare repository inside of the work tree {parent}. A commit "
                    "may have created it, with settings that run programs, so it is not opened. "
                    f"Specify {parent} with --path, or move the bare repository out of it"
                )


def _git_directory(
    directory: Path, expected_directory: Path, run_git: RunGit, *, bare: str
) -> Path | None:
    """Return the repository's own directory that git finds, if it is the expected one.

    Git checks the owner here as well, and reports if it distrusts the owner.
    """
    setting = f"safe.bareRepository={bare}"
    status, out, problem = run_git(directory, "-c", setting, "rev-parse", "--absolute-git-dir")
    if status and _NONE_HERE in problem:
        return None
    if status:
        raise GitError(f"git rev-parse failed: {problem}")
    found = Path(os.fsdecode(out.removesuffix(b"\n"))).resolve()
    return found if found == expected_directory else None


def _named(dot_git: Path) -> Path:
    """Return the directory that a `.git` is or names, with links resolved."""
    if not dot_git.is_file():
        return dot_git.resolve()
    name = dot_git.read_bytes()[:_MOST_NAME_BYTES].removeprefix(b"gitdir: ").rstrip(b"\r\n")
    return (dot_git.parent / os.fsdecode(name)).resolve()


def common_directory(git_dir: Path) -> Path:
    """Return the directory shared by the repository's work trees, from git's `commondir`."""
    try:
        name = (git_dir / "commondir").read_bytes()[:_MOST_NAME_BYTES].rstrip(b"\r\n")
    except FileNotFoundError:
        return git_dir
    return (git_dir / os.fsdecode(name)).resolve()


def _looks_bare(directory: Path) -> bool:
    """Whether git treats the directory as bare: see is_git_directory in its setup.c."""
    return (
        os.path.lexists(directory / "HEAD")
        and (directory / "objects").is_dir()
        and (directory / "refs").is_dir()
    )
