"""Discovery of the working directory's files that may be uploaded, by name and size.

No link is followed: only files in the directory are read.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from aeterna_code_search.integrations.codequery.configuration import DiscoveryRules, home_directory
from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError
from aeterna_code_search.integrations.codequery.ignore_rules import (
    NO_RULES,
    ExcessiveRulesError,
    IgnoreRules,
    rules_above,
)
from aeterna_code_search.integrations.codequery.retry import Deadline
from aeterna_code_search.integrations.codequery.secret_files import is_secret_path
from indexer.records.files import FILE_BYTES

CODEQUERY_ENTRIES: Final = 200_000  # of directories that are read
CODEQUERY_FILES: Final = 10_000
CODEQUERY_BYTES: Final = 256 * 1024 * 1024  # of all files
CODEQUERY_PATH_CHARACTERS: Final = 512  # of an attribute of OpenAI's
_DOING: Final = "looking for files"
_ENTRIES_BETWEEN_LOOKS: Final = 512  # between checks of the deadline


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file, by its path relative to the directory; `stamp` changes with its content."""

    path: str
    size: int
    stamp: tuple[int, ...]  # size, mtime_ns, ctime_ns, inode


@dataclass(slots=True)
class DiscoveredFiles:
    """Candidates, skipped files with reasons, and requested files that are missing."""

    candidates: list[Candidate] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def add(self, path: str, status: os.stat_result) -> None:
        """Add the file to the candidates or to the skipped files."""
        reason = _reason(path, status)
        if reason:
            self.skipped[_shown(path)] = reason
            return
        stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        self.candidates.append(Candidate(path, status.st_size, stamp))

    def require_bounds(self) -> None:
        """Raise CodeQueryError if there are too many files or bytes for one call."""
        size = sum(candidate.size for candidate in self.candidates)
        if len(self.candidates) > CODEQUERY_FILES or size > CODEQUERY_BYTES:
            raise CodeQueryError(
                Code.INVALID_REQUEST,
                f"there are too many files: at most {CODEQUERY_FILES:,} files with "
                f"{CODEQUERY_BYTES:,} bytes are allowed. Use a smaller directory, name "
                "file_paths, or extend .gitignore, skip_dirs or exclude_extensions",
            )


def discovered_files(
    root: Path, rules: DiscoveryRules, environ: Mapping[str, str], deadline: Deadline
) -> DiscoveredFiles:
    """Return the files below `root` that the rules allow. Raises CodeQueryError."""
    home = home_directory(environ).resolve()
    if root in {home, *home.parents}:
        raise CodeQueryError(
            Code.INVALID_REQUEST,
            f"{root} is not a project: use a project's directory, or name file_paths",
        )
    discovered, ignore, base = DiscoveredFiles(), NO_RULES, ""
    if rules.respect_gitignore:
        ignore, base = rules_above(root, environ)
    for path, entry in _Walk(root, base, rules, discovered, deadline).files(ignore):
        discovered.add(path, entry.stat(follow_symlinks=False))
        if len(discovered.candidates) > CODEQUERY_FILES:
            break
    discovered.require_bounds()
    discovered.candidates.sort(key=lambda candidate: candidate.path)
    return discovered


def named_files(root: Path, paths: Iterable[str]) -> DiscoveredFiles:
    """Return the files that a request names. Raises CodeQueryError for those outside of `root`."""
    discovered = DiscoveredFiles()
    for path in dict.fromkeys(_inside(root, name) for name in paths):
        try:
            status = (root / path).lstat()
            linked = next((parent for parent in _parents(root, path) if parent.is_symlink()), None)
        except (FileNotFoundError, NotADirectoryError):
            discovered.missing.append(path)
            continue
        except OSError as error:
            discovered.skipped[_shown(path)] = f"cannot be read: {error.strerror}"
            continue
        if stat.S_ISDIR(status.st_mode):
            raise CodeQueryError(
                Code.INVALID_REQUEST, f"{_shown(path)} is a directory: file_paths names files"
            )
        if linked:
            discovered.skipped[_shown(path)] = "symlink"
        else:
            discovered.add(path, status)
    discovered.require_bounds()
    discovered.candidates.sort(key=lambda candidate: candidate.path)
    return discovered


def read_inside(root: Path, path: str) -> bytes | None:
    """Read a file below `root`, up to one byte more than the size limit.

    Returns None if it is missing or not a regular file, or if a directory on its path is a link.
    """
    *directories, name = path.split("/")
    number = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in directories:
            number = _opened(part, number, os.O_DIRECTORY)
        number = _opened(name, number, os.O_NONBLOCK)
        if not stat.S_ISREG(os.fstat(number).st_mode):
            return None
        with open(number, "rb", closefd=False) as file:
            return file.read(FILE_BYTES + 1)
    except OSError:
        return None
    finally:
        os.close(number)


def _opened(name: str, parent: int, flags: int) -> int:
    """Open a member of a directory and close the directory; on an error it stays open."""
    number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags, dir_fd=parent)
    os.close(parent)
    return number


class _Walk:
    """A walk through a directory with the ignore rules of each level."""

    def __init__(
        self,
        root: Path,
        base: str,
        rules: DiscoveryRules,
        discovered: DiscoveredFiles,
        deadline: Deadline,
    ) -> None:
        self._root = root
        self._base = base  # path of the root in the checkout
        self._directories = frozenset(rules.skip_dirs) | {".git"}
        self._extensions = rules.exclude_extensions
        self._found = discovered
        self._deadline = deadline
        self._entries = 0

    def files(self, above: IgnoreRules) -> Iterator[tuple[str, os.DirEntry[str]]]:
        waiting = [("", above)]
        while waiting:
            directory, above = waiting.pop()
            try:
                rules = above.below(self._root / directory, f"{self._base}{directory}")
                with os.scandir(self._root / directory) as entries:
                    members = list(entries)
            except ExcessiveRulesError:
                self._found.skipped[_shown(f"{directory}.gitignore")] = (
                    "too many rules to be read: its directory is skipped"
                )
                continue
            except OSError as error:
                self._found.skipped[_shown(directory)] = f"cannot be read: {error.strerror}"
                continue
            for entry in members:
                self._count()
                is_directory = entry.is_dir(follow_symlinks=False)
                path = f"{directory}{entry.name}{'/' if is_directory else ''}"
                if self._excludes(entry.name, is_directory=is_directory):
                    continue
                if rules.ignores(f"{self._base}{path}"):
                    continue
                if is_directory:
                    waiting.append((path, rules))
                else:
                    yield path, entry

    def _excludes(self, name: str, *, is_directory: bool) -> bool:
        """Whether the configuration excludes entries of this name."""
        if is_directory:
            return name in self._directories
        return name == ".git" or name.lower().endswith(self._extensions)

    def _count(self) -> None:
        self._entries += 1
        if self._entries % _ENTRIES_BETWEEN_LOOKS == 1:
            self._deadline.check(_DOING)
        if self._entries > CODEQUERY_ENTRIES:
            raise CodeQueryError(
                Code.INVALID_REQUEST,
                f"the directory has more than {CODEQUERY_ENTRIES:,} entries: use a smaller one, "
                "name file_paths, or extend .gitignore or skip_dirs",
            )


def _reason(path: str, status: os.stat_result) -> str:
    """Return why the file is skipped without reading it, or ""."""
    if stat.S_ISLNK(status.st_mode):
        return "symlink"
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if not _is_utf8(path) or not path.isprintable():
        return "its path cannot be written as an attribute"
    if len(path) > CODEQUERY_PATH_CHARACTERS:
        return f"its path has more than {CODEQUERY_PATH_CHARACTERS} characters"
    if is_secret_path(path):
        return "looks like a secret"
    if status.st_size == 0:
        return "empty"
    return f"larger than {FILE_BYTES:,} bytes" if status.st_size > FILE_BYTES else ""


def _inside(root: Path, name: str) -> str:
    """Return a requested path relative to `root`, without resolving links."""
    if not name or "\0" in name:
        raise CodeQueryError(Code.INVALID_REQUEST, "file_paths has an empty path, or one with NUL")
    path = os.path.relpath(os.path.normpath(root / name), root)
    if path == os.curdir or PurePosixPath(path).parts[0] == os.pardir:
        raise CodeQueryError(
            Code.INVALID_REQUEST,
            f"{_shown(name[:200])} is outside of {root}: file_paths must name files in it",
        )
    return path


def _parents(root: Path, path: str) -> Iterator[Path]:
    return (root / parent for parent in PurePosixPath(path).parents if parent.name)


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(path: str) -> str:
    """Return a printable form of a path with any bytes."""
    return os.fsencode(path).decode(errors="replace")
