"""The project and database of a call; no file is opened."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aeterna_code_search.integrations.chunkhound.errors import InvalidRequestError
from aeterna_code_search.integrations.chunkhound.records import Target

# ChunkHound's path comes first, then those of older versions and of OneTool.
DATABASE: Final = ".chunkhound/db/chunks.db"
OLDER_DATABASES: Final = (".chunkhound/chunks.db", ".chunkhound/db", ".chunkhound.db")


def resolve_target(
    environ: Mapping[str, str], directory: Path, *, path: str | None, db: str | None
) -> Target:
    """Return the project at `path` and its database.

    `path` is relative to OT_CWD, else to `directory`, and defaults to it. `db` is relative to the
    project's root; a directory means ChunkHound's file in it. Raises InvalidRequestError.
    """
    for name, value in (("path", path), ("db", db)):
        if value is not None and not _is_path(value):
            raise InvalidRequestError(f"{name} must be a file system path")
    base = directory / expand_home(environ, environ.get("OT_CWD") or ".")
    root = Path(os.path.normpath(base / expand_home(environ, path or ".")))
    if db is not None:
        return Target(root, _database_at(root / expand_home(environ, db)), is_explicit=True)
    candidates = [root / DATABASE, *(root / older for older in OLDER_DATABASES)]
    database = next(filter(exists, candidates), candidates[0])
    return Target(root, database, is_explicit=False)


def expand_home(environ: Mapping[str, str], path: str) -> Path:
    """Expand `~` in `path` to the home directory in `environ`.

    Raises InvalidRequestError for `~name` of an unknown user.
    """
    first, _, rest = path.partition("/")
    if first == "~" and environ.get("HOME"):
        return Path(environ["HOME"]) / rest
    try:
        return Path(path).expanduser() if first.startswith("~") else Path(path)
    except RuntimeError as exc:
        raise InvalidRequestError(
            f"{first} is not a user of this machine: pass a full path"
        ) from exc


def _is_path(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value and bool(value.strip())


def _database_at(path: Path) -> Path:
    path = Path(os.path.normpath(path))
    return path / "chunks.db" if is_directory(path) else path


def is_directory(path: Path) -> bool:
    """Whether the path is a directory; False for an invalid path."""
    try:
        return path.is_dir()
    except OSError:  # for example a name that is too long
        return False


def exists(path: Path) -> bool:
    """Whether the path exists and is not a directory; a broken link counts as existing."""
    try:
        return path.is_symlink() or (path.exists() and not path.is_dir())
    except OSError:
        return False
