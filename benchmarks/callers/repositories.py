"""The sample: public repositories at pinned commits, brought to this machine and laid out."""

import os
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.local_git import commit_all, new_repository

FAMILIES = Path(__file__).with_name("families.toml")


class MissingRepositoryError(Exception):
    """A repository or its pinned commit cannot be had."""


@dataclass(frozen=True, slots=True)
class Repository:
    """`packages` are the directories of what it publishes; `paths` what is taken, () for all."""

    name: str
    url: str
    commit: str
    packages: tuple[str, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Repositories of one language that use one another.

    `tools` and `libraries` are what the truth needs from the language's package registry: the
    tool itself, and the types of what the sample builds on.
    """

    name: str
    tools: tuple[str, ...]
    libraries: tuple[str, ...]
    repositories: tuple[Repository, ...]


def families() -> dict[str, Family]:
    """What families.toml says, by language."""
    content = tomllib.loads(FAMILIES.read_text(encoding="utf-8"))
    return {name: _family(name, table) for name, table in content.items()}


def _family(name: str, table: dict[str, Any]) -> Family:
    repositories = []
    for row in table["repositories"]:
        paths = (
            (*row["packages"], *row["further"], *table["root_files"]) if "further" in row else ()
        )
        url = f"{table['host']}/{row['name']}"
        repositories.append(
            Repository(row["name"], url, row["commit"], tuple(row["packages"]), paths)
        )
    return Family(name, tuple(table["tools"]), tuple(table["libraries"]), tuple(repositories))


def lay_out(family: Family, workspace: Path, *, clones: Path | None, cache: Path) -> None:
    """Make `workspace/<name>` for each repository: its taken files as a repository of one commit.

    So the tool and the service see the same files. `clones` is a directory with a clone of each
    (`<name>` or `<name>.git`, bare or not); without it the commits are fetched into `cache`.
    """
    for repository in family.repositories:
        directory = workspace / repository.name
        if directory.exists():
            continue
        source = _clone_in(clones, repository) if clones else _fetched(cache, repository)
        _check_out(source, repository, directory)
        new_repository(directory)
        commit_all(directory, f"{repository.url} at {repository.commit}")


def _clone_in(clones: Path, repository: Repository) -> Path:
    for path in (clones / repository.name, clones / f"{repository.name}.git"):
        if path.is_dir():
            return path
    raise MissingRepositoryError(f"{clones} has no clone named {repository.name}.")


def _fetched(cache: Path, repository: Repository) -> Path:
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


def _check_out(source: Path, repository: Repository, directory: Path) -> None:
    if not _has_commit(source, repository.commit):
        raise MissingRepositoryError(f"{source} does not hold commit {repository.commit}.")
    directory.mkdir(parents=True)
    _git(
        *("-C", str(source), "--work-tree", str(directory), "checkout", "--quiet"),
        *(repository.commit, "--", *(repository.paths or (".",))),
        index=directory.with_name(f"{directory.name}.index"),
    )


def _git(*arguments: str, index: Path | None = None) -> None:
    environment = {**os.environ, **({"GIT_INDEX_FILE": str(index)} if index else {})}
    done = subprocess.run(
        ["git", *arguments], env=environment, check=False, capture_output=True, text=True
    )
    if index:
        index.unlink(missing_ok=True)
    if done.returncode:
        raise MissingRepositoryError(f"git {' '.join(arguments)}:\n{done.stderr.strip()}")
