"""Paths that PostgreSQL can use: short enough for a socket, safe in a shell, open to its user."""

import hashlib
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from django.core.exceptions import ImproperlyConfigured

from central.runtime.data_directory import private_mode

SOCKET: Final = ".s.PGSQL.5432"
_SOCKET_MAX_BYTES: Final = 103  # of its path, on macOS; 107 on Linux
_PASS_THROUGH: Final = stat.S_IXGRP | stat.S_IXOTH  # pgserver keeps root's group
_PLAIN: Final = re.compile(rb"[A-Za-z0-9_./-]+")  # what neither a shell nor a URL reads otherwise


def short_name(directory: Path) -> Path:
    """Return the directory, or a link to it whose path fits a socket and is safe in a shell.

    The link is in a directory that no other user can change.
    """
    if _is_plain(directory):
        return directory
    name = hashlib.sha256(os.fsencode(directory)).hexdigest()[:16]
    for place in _places():
        link = place / name
        if not (_is_plain(link) and _is_ours(place)):
            continue
        if link.is_symlink() and link.readlink() != directory:
            link.unlink()
        if not link.is_symlink():
            link.symlink_to(directory)
        return link
    raise ImproperlyConfigured(
        f"PostgreSQL cannot run in {directory}: the path is long or has a character that shells "
        "read, and no directory for temporary files can hold a link to it. Set AETERNA_DATA_DIR to "
        "a short path of letters and digits."
    )


def _is_plain(directory: Path) -> bool:
    path = os.fsencode(directory / SOCKET)
    return len(path) <= _SOCKET_MAX_BYTES and _PLAIN.fullmatch(path) is not None


def _places() -> Iterator[Path]:
    # Not the user's runtime directory: it goes when the user logs out, and a server may stay.
    for parent in (tempfile.gettempdir(), "/tmp"):  # noqa: S108 - see _is_ours
        yield Path(parent).resolve() / f"aeterna-code-search-{os.geteuid()}"


def _is_ours(place: Path) -> bool:
    """Whether only this user can change `place`, and PostgreSQL can enter it."""
    try:
        parent = place.parent.stat()
        if parent.st_uid not in {0, os.geteuid()} or _is_open(parent):
            return False
        with suppress(FileExistsError):
            place.mkdir(mode=0o700)
        status = place.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
        place.chmod(private_mode())
    except OSError:
        return False
    return not _closed_above(place / SOCKET)


def _is_open(status: os.stat_result) -> bool:
    """Whether other users may rename files in a directory."""
    return bool(status.st_mode & 0o022) and not status.st_mode & stat.S_ISVTX


def _closed_above(path: Path) -> list[Path]:
    """Return, as root, the parent directories of `path` that pgserver may not enter."""
    if os.geteuid() != 0:
        return []
    above = dict.fromkeys((*path.parents, *path.resolve().parents))
    return [parent for parent in above if ~parent.stat().st_mode & _PASS_THROUGH]


def open_way(path: Path) -> None:
    """Let others pass through the parent directories of `path`, but not list them.

    It replaces the wheel's function, which makes them readable, and reports each change.
    """
    for directory in _closed_above(path):
        try:
            directory.chmod(stat.S_IMODE(directory.stat().st_mode) | _PASS_THROUGH)
        except OSError as exc:
            raise ImproperlyConfigured(
                f"PostgreSQL does not run as root: as the user pgserver, it has to get to "
                f"{path.resolve()}, and only root may enter {directory} ({exc.strerror}). Run this "
                "as another user, or keep it elsewhere (AETERNA_DATA_DIR for the data)."
            ) from exc
        sys.stderr.write(
            f"PostgreSQL runs as the user pgserver: others may now pass through {directory} "
            "(chmod go+x), though not look around.\n"
        )
