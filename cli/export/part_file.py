"""FILE.part: what is written beside a file, and takes its place when it is whole.

One process at a time holds it. It is never opened through a link.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from central.runtime import locked
from indexer.errors import ConfigurationError

if TYPE_CHECKING:
    import duckdb

# The file is another machine's: nothing in it makes DuckDB read others, or load an extension.
_OPTIONS: Final = {
    "memory_limit": "512MB",
    "max_temp_directory_size": "0B",  # nothing is spilt
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


@contextmanager
def held_part(target: Path, *, is_kept: Callable[[Path], bool]) -> Iterator[Path]:
    """Hold `target`'s FILE.part for this process, and remove it in the end unless it `is_kept`.

    Raises ConfigurationError where it cannot be written.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        with open(part, "a", opener=_own) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ConfigurationError(f"{part} is no file: delete it")
            if not locked(file):
                raise ConfigurationError(f"{part} is being written by another export")
            if not _is_same(part, file.fileno()):
                raise ConfigurationError(f"another export has just ended: look at {part.stem}")
            require_own_log(part)
            try:
                yield part
            finally:
                if part.exists() and not is_kept(part):
                    remove_database(part)
    except OSError as error:
        raise ConfigurationError(f"{part} cannot be written: {error.strerror}") from error


@contextmanager
def mapped_errors(path: Path) -> Iterator[None]:
    """What DuckDB says of `path`, as ConfigurationError."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise ConfigurationError(f"{path} cannot be used: {error}") from error


@contextmanager
def opened_database(
    path: Path, *, read_only: bool = False, **options: str
) -> "Iterator[duckdb.DuckDBPyConnection]":
    """The DuckDB file at `path`, which may be anybody's. Raises duckdb.Error."""
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {**_OPTIONS, **options}
    with duckdb.connect(str(path), read_only=read_only, config=config) as database:
        views = "SELECT view_name FROM duckdb_views() WHERE NOT internal LIMIT 1"
        if database.execute(views).fetchone():  # to count its rows may take for ever
            raise duckdb.InvalidInputException("it holds views, which such a file has none of")
        yield database


def take_place(part: Path, target: Path) -> None:
    """Put the whole file in the place of `target`, whose own log goes first."""
    with part.open("rb") as file:
        os.fsync(file.fileno())
    write_ahead_log(target).unlink(missing_ok=True)
    part.replace(target)


def remove_database(path: Path) -> None:
    """Remove a DuckDB file and its log."""
    path.unlink(missing_ok=True)
    write_ahead_log(path).unlink(missing_ok=True)


def write_ahead_log(path: Path) -> Path:
    """Where DuckDB keeps what is not in the file yet."""
    return path.with_name(f"{path.name}.wal")


def require_own_log(path: Path) -> None:
    """Refuse a log that is a link, to which DuckDB would write, or a pipe, which it waits for.

    Raises ConfigurationError.
    """
    log = write_ahead_log(path)
    for one in (log, *(log.with_name(f"{log.name}.{end}") for end in ("checkpoint", "recovery"))):
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(one.lstat().st_mode):
                raise ConfigurationError(f"{one} is no file of its own: delete it")


def _own(path: str, flags: int) -> int:
    """Open a file that only its owner can read; neither follow a link nor wait for a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, mode=0o600)


def _is_same(part: Path, descriptor: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(part.stat(), os.fstat(descriptor))
    return False
