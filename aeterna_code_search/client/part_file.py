"""FILE.part: a partial file, which replaces FILE when it is complete.

One process at a time locks it. It is never opened through a link.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from central.runtime.data_directory import locked
from indexer.errors import ConfigurationError

if TYPE_CHECKING:
    import duckdb

# The file is not trusted: it must not make DuckDB read other files or load an extension.
_OPTIONS: Final = {
    "memory_limit": "512MB",
    "max_temp_directory_size": "0B",  # no temporary files
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def require_free(target: Path, *, may_overwrite: bool) -> None:
    """Raise ConfigurationError if `target` exists and may not be overwritten."""
    if not target.exists() or (may_overwrite and target.is_file()):
        return
    advice = (
        "exists already: overwrite it with --force, or name another file"
        if target.is_file()
        else "is not a file: name a file"
    )
    raise ConfigurationError(f"{target} {advice}")


@contextmanager
def locked_part(target: Path, *, is_resumable: Callable[[Path], bool]) -> Iterator[Path]:
    """Lock `target`'s FILE.part; at the end remove it unless it `is_resumable`.

    Raises ConfigurationError if it cannot be written.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        with open(part, "a", opener=_own) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ConfigurationError(f"{part} is not a regular file: delete it")
            if not locked(file):
                raise ConfigurationError(f"{part} is being written by another export")
            if not _is_same(part, file.fileno()):
                raise ConfigurationError(f"another export has just finished: check {part.stem}")
            require_own_log(part)
            try:
                yield part
            finally:
                if part.exists() and not is_resumable(part):
                    remove_database(part)
    except OSError as error:
        raise ConfigurationError(f"{part} cannot be written: {error.strerror}") from error


@contextmanager
def mapped_errors(path: Path) -> Iterator[None]:
    """Raise errors of DuckDB about `path` as ConfigurationError."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise ConfigurationError(f"{path} cannot be used: {error}") from error


@contextmanager
def opened_database(
    path: Path, *, read_only: bool = False, **options: str
) -> "Iterator[duckdb.DuckDBPyConnection]":
    """Open the untrusted DuckDB file at `path`. Raises duckdb.Error."""
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {**_OPTIONS, **options}
    with duckdb.connect(str(path), read_only=read_only, config=config) as database:
        views = "SELECT view_name FROM duckdb_views() WHERE NOT internal LIMIT 1"
        if database.execute(views).fetchone():  # counting their rows may not terminate
            raise duckdb.InvalidInputException("it contains views, which an export does not have")
        yield database


def replace_target(part: Path, target: Path) -> None:
    """Replace `target` with the complete file, after removing the log of `target`."""
    sync(part)
    write_ahead_log(target).unlink(missing_ok=True)
    part.replace(target)


def sync(part: Path) -> None:
    """Have the system write the file's content to the disk."""
    with part.open("rb") as file:
        os.fsync(file.fileno())


def remove_database(path: Path) -> None:
    """Remove a DuckDB file and its log."""
    path.unlink(missing_ok=True)
    write_ahead_log(path).unlink(missing_ok=True)


def write_ahead_log(path: Path) -> Path:
    """Return the path of DuckDB's write-ahead log."""
    return path.with_name(f"{path.name}.wal")


def require_own_log(path: Path) -> None:
    """Raise ConfigurationError if the log is a link, a pipe or otherwise not a regular file.

    DuckDB would write through the link, or wait for the pipe.
    """
    log = write_ahead_log(path)
    for file in (log, *(log.with_name(f"{log.name}.{end}") for end in ("checkpoint", "recovery"))):
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(file.lstat().st_mode):
                raise ConfigurationError(f"{file} is not a regular file: delete it")


def _own(path: str, flags: int) -> int:
    """Open a file readable by its owner only, without following links or waiting for pipes."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, mode=0o600)


def _is_same(part: Path, descriptor: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(part.stat(), os.fstat(descriptor))
    return False
