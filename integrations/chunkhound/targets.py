"""Which project and which database a call is about; nothing is opened."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from integrations.chunkhound.errors import InvalidRequestError
from integrations.chunkhound.records import Target

# ChunkHound's own place comes first. The others are those of its older versions and of OneTool.
DATABASE: Final = ".chunkhound/db/chunks.db"
OLDER_DATABASES: Final = (".chunkhound/chunks.db", ".chunkhound/db", ".chunkhound.db")


def resolve_target(
    environ: Mapping[str, str], directory: Path, *, path: str | None, db: str | None
) -> Target:
    """The project at `path` and its database.

    `path` is relative to OT_CWD, if that is set, else to `directory`; without it that is the
    project. `db` is relative to the project's root; a directory stands for the file that ChunkHound
    keeps in it. Raises InvalidRequestError.
    """
    for name, value in (("path", path), ("db", db)):
        if value is not None and not _is_path(value):
            raise InvalidRequestError(f"{name} must be the path of a file system")
    base = directory / expand_home(environ, environ.get("OT_CWD") or ".")
    root = Path(os.path.normpath(base / expand_home(environ, path or ".")))
    if db is not None:
        return Target(root, _database_at(root / expand_home(environ, db)), is_explicit=True)
    candidates = [root / DATABASE, *(root / older for older in OLDER_DATABASES)]
    found = next(filter(is_there, candidates), candidates[0])
    return Target(root, found, is_explicit=False)


def expand_home(environ: Mapping[str, str], path: str) -> Path:
    """`path` with `~` as the home directory that `environ` names.

    Raises InvalidRequestError for `~` and a name that no user has.
    """
    first, _, rest = path.partition("/")
    if first == "~" and environ.get("HOME"):
        return Path(environ["HOME"]) / rest
    try:
        return Path(path).expanduser() if first.startswith("~") else Path(path)
    except RuntimeError as exc:
        raise InvalidRequestError(f"{first} is no user of this machine: give a full path") from exc


def _is_path(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value and bool(value.strip())


def _database_at(path: Path) -> Path:
    path = Path(os.path.normpath(path))
    return path / "chunks.db" if is_directory(path) else path


def is_directory(path: Path) -> bool:
    """Whether it is one; a path that no system takes is none."""
    try:
        return path.is_dir()
    except OSError:  # such as a name that is too long
        return False


def is_there(path: Path) -> bool:
    """Whether something that is no directory is there, a link that leads nowhere included."""
    try:
        return path.is_symlink() or (path.exists() and not path.is_dir())
    except OSError:
        return False
