"""The files of indexes that an argument, the environment or `.codesearch.toml` names."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from indexer.errors import ConfigurationError
from indexer.globs import excess, file_pattern

SCIP_FILES: Final = 1_000  # of a run
_WILDCARDS: Final = frozenset("*?[")
_NOT_SEARCHED: Final = frozenset({".git", "node_modules"})


class NamedIndex(NamedTuple):
    """The file of an index. `name` is how messages call it.

    `prefix`: the directory of the repository to which its paths are relative; None: by its own
    project root.
    """

    path: Path
    name: str
    prefix: str | None


def named_indexes(names: Iterable[str], directory: Path) -> list[NamedIndex]:
    """Return the files that `PATH` or `PATH:PREFIX` name, each once, in order.

    A PATH is a file or a pattern of git, relative to `directory`. What matches nothing adds
    nothing. Raises ConfigurationError.
    """
    found: dict[Path, NamedIndex] = {}
    for name in names:
        pattern, prefix = _parts(name, directory)
        for path in sorted(_matches(pattern, directory)):
            found.setdefault(path, NamedIndex(path, _shown(path, directory), prefix))
    if len(found) > SCIP_FILES:
        raise ConfigurationError(
            f"{len(found):,} SCIP indexes are named; at most {SCIP_FILES:,} are read: name fewer"
        )
    return list(found.values())


def required_indexes(names: Iterable[str], directory: Path) -> list[NamedIndex]:
    """Return `named_indexes`. Raises ConfigurationError also for a name that matches no file."""
    names = list(names)
    for name in names:
        if not named_indexes([name], directory):
            is_directory = (directory / name).is_dir()
            problem = "is a directory" if is_directory else f"is no file in {directory}"
            raise ConfigurationError(
                f"the SCIP index {name} {problem}: name the file that a step before has made, as "
                "PATH or PATH:PREFIX"
            )
    return named_indexes(names, directory)


def normal_prefix(prefix: str) -> str:
    """Return a directory of the repository without empty and `.` parts, "" for its top.

    Raises ValueError if it leaves the repository.
    """
    parts = [part for part in prefix.split("/") if part not in {"", "."}]
    if prefix.startswith("/") or ".." in parts or "\\" in prefix or "\0" in prefix:
        raise ValueError(prefix)
    return "/".join(parts)


def _parts(name: str, directory: Path) -> tuple[str, str | None]:
    pattern, colon, prefix = name.rpartition(":")
    if not colon or (directory / name).is_file():
        return name, None
    try:
        return pattern, normal_prefix(prefix)
    except ValueError:
        raise ConfigurationError(
            f"{name!r} is no PATH:PREFIX: the prefix must be a directory of the repository, such "
            "as packages/api"
        ) from None


def _matches(pattern: str, directory: Path) -> Iterator[Path]:
    if not _WILDCARDS.intersection(pattern):
        path = directory / pattern
        return iter([path] if path.is_file() else [])
    if problem := excess(pattern):
        raise ConfigurationError(f"the pattern {pattern[:60]!r} is {problem}: write a simpler one")
    fixed, rest = _split(pattern)
    regex = file_pattern("/" + rest)
    if regex is None:
        raise ConfigurationError(f"{pattern!r} is no pattern of files")
    top = directory / fixed
    return (top / path for path in _walk(top) if regex.search(path))


def _split(pattern: str) -> tuple[str, str]:
    """Split into the directories before the first wildcard, and the rest."""
    parts = PurePosixPath(pattern).parts
    first = next(n for n, part in enumerate(parts) if _WILDCARDS.intersection(part))
    return "/".join(parts[:first]).replace("//", "/"), "/".join(parts[first:])


def _walk(top: Path) -> Iterator[str]:
    """Yield the files below, without following links, and without what others have installed."""
    for parent, directories, files in os.walk(top):
        directories[:] = [directory for directory in directories if directory not in _NOT_SEARCHED]
        for name in files:
            yield os.path.relpath(os.path.join(parent, name), top)  # noqa: PTH118 - many files


def _shown(path: Path, directory: Path) -> str:
    return str(path.relative_to(directory) if path.is_relative_to(directory) else path)
