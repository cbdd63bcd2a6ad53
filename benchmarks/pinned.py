"""Public repositories at pinned commits, brought to this machine and laid out."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scripts.local_git import commit_all, new_repository


class MissingRepositoryError(Exception):
    """A repository or its pinned commit cannot be had."""


@dataclass(frozen=True, slots=True)
class PinnedRepository:
    """`paths` is what is taken of it, as far as it is there; () for all."""

    name: str
    url: str
    commit: str
    paths: tuple[str, ...]


def lay_out(
    repository: PinnedRepository, workspace: Path, *, clones: Path | None, cache: Path
) -> Path:
    """Make `workspace/<name>`: the taken files as a repository of one commit. Kept if it is there.

    So whatever reads it sees the same files. `clones` is a directory with a clone of each
    (`<name>` or `<name>.git`, bare or not); without it the commit is fetched into `cache`.
    """
    directory = workspace / repository.name
    if directory.exists():
        return directory
    source = _clone_in(clones, repository) if clones else _fetched(cache, repository)
    _check_out(source, repository, directory)
    new_repository(directory)
    commit_all(directory, f"{repository.url} at {repository.commit}")
    return directory


def history(repository: PinnedRepository, latest: str, *, clones: Path | None, cache: Path) -> Path:
    """Return a git directory with all commits up to `latest`, perhaps without files' content."""
    if clones:
        return _clone_in(clones, repository)
    directory = cache / "histories" / f"{repository.name}.git"
    if not _has_commit(directory, latest):
        _git("clone", "--quiet", "--bare", "--filter=blob:none", repository.url, str(directory))
    return directory


def _clone_in(clones: Path, repository: PinnedRepository) -> Path:
    for path in (clones / repository.name, clones / f"{repository.name}.git"):
        if path.is_dir():
            return path
    raise MissingRepositoryError(f"{clones} has no clone named {repository.name}.")


def _fetched(cache: Path, repository: PinnedRepository) -> Path:
    directory = cache / "repositories" / f"{repository.name}.git"
    if not _has_commit(directory, repository.commit):
        directory.mkdir(parents=True, exist_ok=True)
        _git("init", "--quiet", "--bare", str(directory))
        _git(
            "-C",
            str(directory),
            "fetch",
            "--quiet",
            "--depth",
            "1",
            repository.url,
            repository.commit,
        )
    return directory


def _has_commit(directory: Path, commit: str) -> bool:
    found = subprocess.run(
        ["git", "-C", str(directory), "cat-file", "-e", f"{commit}^{{commit}}"],
        check=False,
        capture_output=True,
    )
    return found.returncode == 0


def _check_out(source: Path, repository: PinnedRepository, directory: Path) -> None:
    if not _has_commit(source, repository.commit):
        raise MissingRepositoryError(f"{source} does not hold commit {repository.commit}.")
    taken = repository.paths and _git(
        *("-C", str(source), "ls-tree", "--name-only", "-z", repository.commit, "--"),
        *repository.paths,
    ).strip("\0").split("\0")
    directory.mkdir(parents=True)
    _git(
        *("-C", str(source), "--work-tree", str(directory), "checkout", "--quiet"),
        *(repository.commit, "--", *(taken or (".",))),
        index=directory.with_name(f"{directory.name}.index"),
    )


def _git(*arguments: str, index: Path | None = None) -> str:
    environment = {**os.environ, **({"GIT_INDEX_FILE": str(index)} if index else {})}
    done = subprocess.run(
        ["git", *arguments], env=environment, check=False, capture_output=True, text=True
    )
    if index:
        index.unlink(missing_ok=True)
    if done.returncode:
        raise MissingRepositoryError(f"git {' '.join(arguments)}:\n{done.stderr.strip()}")
    return done.stdout
