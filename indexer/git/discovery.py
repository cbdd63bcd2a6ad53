"""Which repository holds a directory, and whether its settings may be obeyed.

Git obeys the `config` of a repository that it finds, and that may name programs. No commit can
contain a `.git`; but any commit can contain a bare repository, as a directory of files.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from indexer.errors import GitError, NotARepositoryError, UntrustedRepositoryError

Ask = Callable[..., tuple[int, bytes, str]]  # git in a directory: exit status, output, complaint
_NONE_HERE: Final = "not a git repository"
_MOST_NAME_BYTES: Final = 8_192  # more than any system takes for a path


@dataclass(frozen=True, slots=True)
class Place:
    """A repository's own directory, and the top of its work tree; None: it is bare."""

    git_dir: Path
    top: Path | None


def find_repository(path: Path, ask: Ask) -> Place:
    """The repository whose work tree holds `path`, or the bare one at `path` itself.

    Raises NotARepositoryError, UntrustedRepositoryError, and GitError if git distrusts its owner.
    """
    missing = NotARepositoryError(f"{path} is not inside a git repository; name one with --path")
    if not path.exists():
        raise missing
    start = path.resolve()
    for directory in (start, *start.parents):
        if os.path.lexists(directory / ".git"):
            place = _checkout(directory, ask)
            if place:
                return place
        elif directory.name != ".git" and _looks_bare(directory):
            return _bare(directory, path, ask)
    raise missing


def _checkout(top: Path, ask: Ask) -> Place | None:
    """The repository at `top`/.git; None if git finds none there."""
    git_dir = _found(top, _named(top / ".git"), ask, bare="explicit")
    if git_dir is None:
        return None
    _refuse_brought(_common(git_dir), ask)
    return Place(git_dir, top)


def _bare(directory: Path, path: Path, ask: Ask) -> Place:
    _refuse_brought(_common(directory), ask)
    if directory != path.resolve():
        raise NotARepositoryError(
            f"{path} is inside of the bare repository {directory}; name that itself with --path"
        )
    git_dir = _found(directory, directory, ask, bare="all")
    if git_dir is None:
        raise NotARepositoryError(f"{path} is no git repository; name one with --path")
    return Place(git_dir, None)


def _refuse_brought(common_dir: Path, ask: Ask) -> None:
    """Raise if the repository lies among the files of another one, so that a commit can bring it.

    One in a `.git` does not, nor does the one whose own work tree it lies in.
    """
    if ".git" in common_dir.parts:
        return
    for parent in common_dir.parents:
        if os.path.lexists(parent / ".git"):
            outer = _found(parent, _named(parent / ".git"), ask, bare="explicit")
            if outer and _common(outer) != common_dir:
                raise UntrustedRepositoryError(
                    f"{common_dir} is a bare repository inside of the work tree {parent}: a commit "
                    "can bring it, with settings that run programs, so it is not opened. Name "
                    f"{parent} with --path, or move the bare repository out of it"
                )


def _found(directory: Path, expected: Path, ask: Ask, *, bare: str) -> Path | None:
    """The repository's own directory that git finds from `directory`, if it is the expected one.

    This is also where git says that it distrusts the owner.
    """
    setting = f"safe.bareRepository={bare}"
    status, out, problem = ask(directory, "-c", setting, "rev-parse", "--absolute-git-dir")
    if status and _NONE_HERE in problem:
        return None
    if status:
        raise GitError(f"git rev-parse failed: {problem}")
    found = Path(os.fsdecode(out.removesuffix(b"\n"))).resolve()
    return found if found == expected else None


def _named(dot_git: Path) -> Path:
    """The directory that a `.git` is or names, links resolved."""
    if not dot_git.is_file():
        return dot_git.resolve()
    name = dot_git.read_bytes()[:_MOST_NAME_BYTES].removeprefix(b"gitdir: ").rstrip(b"\r\n")
    return (dot_git.parent / os.fsdecode(name)).resolve()


def _common(git_dir: Path) -> Path:
    """The directory that the work trees of one repository share; git's `commondir` names it."""
    try:
        name = (git_dir / "commondir").read_bytes()[:_MOST_NAME_BYTES].rstrip(b"\r\n")
    except FileNotFoundError:
        return git_dir
    return (git_dir / os.fsdecode(name)).resolve()


def _looks_bare(directory: Path) -> bool:
    """As git takes it for one: see is_git_directory in its setup.c."""
    return (
        os.path.lexists(directory / "HEAD")
        and (directory / "objects").is_dir()
        and (directory / "refs").is_dir()
    )
