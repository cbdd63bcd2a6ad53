"""Files that a GitHub action runs and a bundler wrote: those in `dist` beside its `action.yml`."""

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

from indexer.git.attributes import listed_files
from indexer.git.parse import ACTION_FILES
from indexer.git.repository import Repository

_DIRECTORY: Final = "dist"
_SUFFIXES: Final = frozenset({".js", ".cjs", ".mjs"})


def bundles_at(repository: Repository, commit: str, paths: Iterable[str]) -> set[str]:
    """Return those of the paths that are bundles of an action at the commit."""
    parents = {path: parent for path in paths if (parent := _action_directory(path)) is not None}
    wanted = {_joined(parent, name) for parent in parents.values() for name in ACTION_FILES}
    found = {entry.path.rpartition("/")[0] for entry in listed_files(repository, commit, wanted)}
    return {path for path, parent in parents.items() if parent in found}


def _action_directory(path: str) -> str | None:
    """Return the directory of the action whose bundle the file may be; "" is the top."""
    parts = path.split("/")
    if _DIRECTORY not in parts[:-1] or PurePosixPath(path).suffix not in _SUFFIXES:
        return None
    return "/".join(parts[: parts.index(_DIRECTORY)])


def _joined(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name
