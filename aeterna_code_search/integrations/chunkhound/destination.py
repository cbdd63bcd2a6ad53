"""Checks of the file that an export writes, before it is replaced."""

from pathlib import Path

from aeterna_code_search.client.part_file import opened_database, require_own_log
from aeterna_code_search.integrations.chunkhound.database_writer import read_origin
from indexer.errors import ConfigurationError


def require_destination(destination: Path, root: Path, *, may_overwrite: bool) -> None:
    """Raise ConfigurationError unless an export may be written to `destination`.

    Its path must not contain a link of the checkout `root`. An existing file must be an export,
    unless `may_overwrite`, and must not be open in another process.
    """
    if link := _link_within(root, destination):
        raise ConfigurationError(f"{link} is a symbolic link: name the file that it leads to")
    if not destination.parent.is_dir():
        raise ConfigurationError(
            f"there is no directory {destination.parent}: create it, or name another one"
        )
    if not destination.exists():
        return
    if not destination.is_file():
        raise ConfigurationError(f"{destination} is not a file: name a file")
    require_own_log(destination)
    _require_unused(destination)
    if not may_overwrite and read_origin(destination) is None:
        raise ConfigurationError(
            f"{destination} exists already and is not an export: overwrite it with --force, or "
            "name another file"
        )


def _link_within(root: Path, destination: Path) -> Path | None:
    """Return the first symbolic link below `root` on the path to the file, or the file itself."""
    way = [destination, *destination.parents]
    top = root.resolve()
    tops = (at for at, path in enumerate(way) if not path.is_symlink() and path.resolve() == top)
    below = way[: next(tops, 1)]
    return next((path for path in reversed(below) if path.is_symlink()), None)


def _require_unused(destination: Path) -> None:
    """Raise ConfigurationError if a process has the file open: it would write to a deleted file."""
    import duckdb

    try:
        with opened_database(destination, read_only=True):
            return
    except duckdb.IOException as error:
        if "lock" in str(error):
            raise ConfigurationError(
                f"{destination} is open in another program: end it first (`chunkhound mcp` keeps "
                "the file open)"
            ) from error
    except duckdb.Error:
        pass  # not a database
