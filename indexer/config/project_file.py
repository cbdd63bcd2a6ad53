"""The format of `.codesearch.toml`.

The selection of files is read from the indexed commit, not from the work tree, so that a run
depends only on its commit.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from indexer.errors import ConfigurationError
from indexer.globs import PATTERNS, check_branch_patterns
from indexer.limits import PROJECT_FILE_BYTES
from indexer.output.terminal import first_names

PROJECT_FILE: Final = ".codesearch.toml"
_SHOWN: Final = 60  # characters of a pattern in a message
_TOP_KEYS: Final = {"branches", "index", "scip", "history", "server"}
_INDEX_KEYS: Final = {"include", "exclude", "max_file_bytes"}
_SCIP_KEYS: Final = {"paths"}
_HISTORY_KEYS: Final = {"commits", "lines"}
_SERVER_KEYS: Final = {"url", "organization", "project"}


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """`.codesearch.toml`: `[index]` selects files, `[scip]` names indexes, `[server]` a service.

    `[history] commits = false`: no commits are sent; `lines = false`: none of their changed lines.
    `branches` are patterns of the branches to be indexed beside the default one, for the service.
    `unknown`: keys and tables that this version does not know, as of a newer one.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_file_bytes: int | None = None
    scip_paths: tuple[str, ...] = ()
    has_commits: bool = True
    has_commit_lines: bool = True
    server: Mapping[str, str] = field(default_factory=dict)
    branches: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def read_project_file(path: Path) -> ProjectFile:
    """Read the file in a work tree; return defaults if there is none. Raises ConfigurationError.

    Reads at most as much as is parsed, and regular files only: reading a pipe would block.
    """
    if not path.is_file():
        return ProjectFile()
    with path.open("rb") as file:
        return parse_project_file(file.read(PROJECT_FILE_BYTES + 1))


def parse_project_file(content: bytes) -> ProjectFile:
    """Parse `.codesearch.toml`. Raises ConfigurationError, which names the invalid key."""
    if len(content) > PROJECT_FILE_BYTES:
        raise ConfigurationError(f"{PROJECT_FILE} is larger than {PROJECT_FILE_BYTES} bytes")
    try:
        tables = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as exc:  # numbers too long, brackets too deep
        raise ConfigurationError(f"{PROJECT_FILE} is not valid TOML: {exc}") from exc
    index = _table(tables, "index", _INDEX_KEYS)
    scip = _table(tables, "scip", _SCIP_KEYS)
    history = _table(tables, "history", _HISTORY_KEYS)
    server = _table(tables, "server", _SERVER_KEYS)
    return ProjectFile(
        include=_patterns(index, "index.include"),
        exclude=_patterns(index, "index.exclude"),
        max_file_bytes=_size(index),
        scip_paths=_scip_paths(scip),
        has_commits=_switch(history, "history.commits"),
        has_commit_lines=_switch(history, "history.lines"),
        server={key: _text(server, key) for key in server},
        branches=_branches(tables),
        unknown=tuple(sorted(tables.keys() - _TOP_KEYS)),
    )


def unknown_sentence(unknown: Sequence[str]) -> str:
    """Say which keys and tables of the file are not read."""
    return (
        f"{PROJECT_FILE}: {first_names(unknown)} is not read: this version knows "
        f"{', '.join(sorted(_TOP_KEYS))}"
    )


def _branches(tables: Mapping[str, object]) -> tuple[str, ...]:
    patterns = tables.get("branches", [])
    try:
        check_branch_patterns(patterns)
    except ValueError as exc:
        raise ConfigurationError(f"{PROJECT_FILE}: {exc}") from exc
    return tuple(patterns) if isinstance(patterns, list) else ()


def _table(tables: Mapping[str, object], name: str, keys: set[str]) -> Mapping[str, object]:
    table = tables.get(name, {})
    if not isinstance(table, dict):
        raise ConfigurationError(f"{PROJECT_FILE}: [{name}] must be a table")
    _refuse_unknown(table, keys, f"{name}.")
    return table


def _refuse_unknown(table: Mapping[str, object], keys: set[str], prefix: str) -> None:
    unknown = sorted(table.keys() - keys)
    if unknown:
        raise ConfigurationError(
            f"{PROJECT_FILE}: {first_names([prefix + key for key in unknown])} is not a setting; "
            f"the settings are {', '.join(prefix + key for key in sorted(keys))}"
        )


def _patterns(table: Mapping[str, object], name: str) -> tuple[str, ...]:
    patterns = _texts(table, name)
    for pattern in patterns:
        _refuse_invalid(pattern, name)
    return patterns


def _switch(table: Mapping[str, object], name: str) -> bool:
    value = table.get(name.rpartition(".")[2], True)
    if not isinstance(value, bool):
        raise ConfigurationError(f"{PROJECT_FILE}: {name} must be true or false")
    return value


def _texts(table: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = table.get(name.rpartition(".")[2], [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigurationError(f"{PROJECT_FILE}: {name} must be a list of patterns")
    if len(value) > PATTERNS:
        raise ConfigurationError(
            f"{PROJECT_FILE}: {name} holds {len(value):,} patterns; at most {PATTERNS:,} are "
            "read: name directories instead of files"
        )
    return tuple(value)


def _scip_paths(scip: Mapping[str, object]) -> tuple[str, ...]:
    paths = _texts(scip, "scip.paths")
    for path in paths:
        if path.startswith("/") or ".." in path.split("/"):
            raise ConfigurationError(
                f"{PROJECT_FILE}: scip.paths holds {path[:_SHOWN]!r}, which leaves the checkout: "
                "name files below its top"
            )
    return paths


def _refuse_invalid(pattern: str, name: str) -> None:
    from indexer.globs import excess, ignore_spec  # imported here: most projects have no pattern

    if problem := excess(pattern):
        raise ConfigurationError(
            f"{PROJECT_FILE}: {name} holds {pattern[:_SHOWN]!r}, which is {problem}: write "
            "several that are simpler"
        )
    try:
        ignore_spec([pattern])
    except ValueError as exc:
        raise ConfigurationError(
            f"{PROJECT_FILE}: {name} holds {pattern!r}, which is not a gitignore pattern"
        ) from exc


def _size(index: Mapping[str, object]) -> int | None:
    value = index.get("max_file_bytes")
    if value is None:
        return None
    if type(value) is not int or value < 1:
        raise ConfigurationError(
            f"{PROJECT_FILE}: index.max_file_bytes must be a positive number of bytes"
        )
    return value


def _text(server: Mapping[str, object], key: str) -> str:
    value = server[key]
    if not isinstance(value, str) or not value:
        raise ConfigurationError(f"{PROJECT_FILE}: server.{key} must be a non-empty string")
    return value
