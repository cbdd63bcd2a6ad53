"""Module paths of files and directories."""

import posixpath
from collections.abc import Iterator


def parent(path: str) -> str:
    """Return the directory: `a/b.py` → `a`; `b.py` → ``."""
    return path.rpartition("/")[0]


def ancestors(directory: str) -> Iterator[str]:
    """Yield the directory, then its parents up to the top."""
    while directory:
        yield directory
        directory = parent(directory)
    yield ""


def relative_to(path: str, directory: str) -> str | None:
    """Return the path relative to `directory`; None if it is not in it."""
    if not directory:
        return path
    return path[len(directory) + 1 :] if path.startswith(directory + "/") else None


def joined(directory: str, relative: str) -> str | None:
    """Return the path of `relative` in `directory`; None if it leaves the repository."""
    path = posixpath.normpath(posixpath.join(directory, relative.strip("/") or "."))
    if path == ".":
        return ""
    return None if path == ".." or path.startswith("../") else path
