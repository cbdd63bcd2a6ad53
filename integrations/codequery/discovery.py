"""Which files of the working directory may be uploaded, as far as their names and sizes tell.

No link is followed: what is read lies in the directory.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from indexer.limits import (
    CODEQUERY_BYTES,
    CODEQUERY_ENTRIES,
    CODEQUERY_FILES,
    CODEQUERY_PATH_CHARACTERS,
    FILE_BYTES,
)
from integrations.codequery.configuration import DiscoveryRules, home_of
from integrations.codequery.errors import Code, CodeQueryError
from integrations.codequery.ignore_rules import (
    NO_RULES,
    ExcessiveRulesError,
    IgnoreRules,
    rules_above,
)
from integrations.codequery.retry import Deadline
from integrations.codequery.secret_files import is_secret_path

_DOING: Final = "looking for files"
_ENTRIES_BETWEEN_LOOKS: Final = 512  # at the clock


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file, by its path from the directory; `stamp` changes with its content."""

    path: str
    size: int
    stamp: tuple[int, ...]  # size, mtime_ns, ctime_ns, inode


@dataclass(slots=True)
class Found:
    """Files by their paths, those left out with the reason, and named ones that are not there."""

    candidates: list[Candidate] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def take(self, path: str, status: os.stat_result) -> None:
        """Count the file as found, or as left out."""
        reason = _reason(path, status)
        if reason:
            self.skipped[_shown(path)] = reason
            return
        stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        self.candidates.append(Candidate(path, status.st_size, stamp))

    def require_bounds(self) -> None:
        """Raise CodeQueryError for more files or bytes than a call may have."""
        size = sum(one.size for one in self.candidates)
        if len(self.candidates) > CODEQUERY_FILES or size > CODEQUERY_BYTES:
            raise CodeQueryError(
                Code.INVALID_REQUEST,
                f"there are too many files: at most {CODEQUERY_FILES:,} with "
                f"{CODEQUERY_BYTES:,} bytes are allowed. Call it in a smaller directory, name "
                "file_paths, or extend .gitignore, skip_dirs or exclude_extensions",
            )


def discovered_files(
    root: Path, rules: DiscoveryRules, environ: Mapping[str, str], deadline: Deadline
) -> Found:
    """The files below `root`, without those that the rules leave out. Raises CodeQueryError."""
    home = home_of(environ).resolve()
    if root in {home, *home.parents}:
        raise CodeQueryError(
            Code.INVALID_REQUEST,
            f"{root} is no project: call it in the directory of one, or name file_paths",
        )
    found, ignore, base = Found(), NO_RULES, ""
    if rules.respect_gitignore:
        ignore, base = rules_above(root, environ)
    excluded = _Excluded(rules)
    for path, entry in _Walk(root, base, excluded, found, deadline).files(ignore):
        found.take(path, entry.stat(follow_symlinks=False))
        if len(found.candidates) > CODEQUERY_FILES:
            break
    found.require_bounds()
    found.candidates.sort(key=lambda one: one.path)
    return found


def named_files(root: Path, paths: Iterable[str]) -> Found:
    """The files that a request names; those outside of `root` are refused by CodeQueryError."""
    found = Found()
    for path in dict.fromkeys(_inside(root, name) for name in paths):
        try:
            status = (root / path).lstat()
            linked = next((one for one in _parents(root, path) if one.is_symlink()), None)
        except (FileNotFoundError, NotADirectoryError):
            found.missing.append(path)
            continue
        except OSError as error:
            found.skipped[_shown(path)] = f"cannot be read: {error.strerror}"
            continue
        if stat.S_ISDIR(status.st_mode):
            raise CodeQueryError(
                Code.INVALID_REQUEST, f"{_shown(path)} is a directory: file_paths names files"
            )
        if linked:
            found.skipped[_shown(path)] = "symlink"
        else:
            found.take(path, status)
    found.require_bounds()
    found.candidates.sort(key=lambda one: one.path)
    return found


def read_inside(root: Path, path: str) -> bytes | None:
    """The content of a file below `root`, one byte more than a file may have at most.

    None if it is gone, or is a link or no file, also where a directory on the way is one.
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
    """Open a member of a directory, which is closed then; on an error it stays open."""
    number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags, dir_fd=parent)
    os.close(parent)
    return number


class _Excluded:
    """Names that the configuration leaves out."""

    def __init__(self, rules: DiscoveryRules) -> None:
        self._directories = frozenset(rules.skip_dirs) | {".git"}
        self._extensions = tuple(rules.exclude_extensions)

    def directory(self, name: str) -> bool:
        return name in self._directories

    def file(self, name: str) -> bool:
        return name == ".git" or name.lower().endswith(self._extensions)


class _Walk:
    """Goes through a directory, with what each level ignores."""

    def __init__(
        self, root: Path, base: str, excluded: _Excluded, found: Found, deadline: Deadline
    ) -> None:
        self._root = root
        self._base = base  # of the root, from the checkout's top
        self._excluded = excluded
        self._found = found
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
                    "too many rules to be read: its directory is left out"
                )
                continue
            except OSError as error:
                self._found.skipped[_shown(directory)] = f"cannot be read: {error.strerror}"
                continue
            for entry in members:
                self._count()
                path = f"{directory}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    if not self._leaves_out_directory(path, entry.name, rules):
                        waiting.append((f"{path}/", rules))
                elif not self._leaves_out_file(path, entry.name, rules):
                    yield path, entry

    def _leaves_out_directory(self, path: str, name: str, rules: IgnoreRules) -> bool:
        return self._excluded.directory(name) or rules.ignores(f"{self._base}{path}/")

    def _leaves_out_file(self, path: str, name: str, rules: IgnoreRules) -> bool:
        return self._excluded.file(name) or rules.ignores(f"{self._base}{path}")

    def _count(self) -> None:
        self._entries += 1
        if self._entries % _ENTRIES_BETWEEN_LOOKS == 1:
            self._deadline.check(_DOING)
        if self._entries > CODEQUERY_ENTRIES:
            raise CodeQueryError(
                Code.INVALID_REQUEST,
                f"the directory has more than {CODEQUERY_ENTRIES:,} entries: call it in a smaller "
                "one, name file_paths, or extend .gitignore or skip_dirs",
            )


def _reason(path: str, status: os.stat_result) -> str:
    """Why the file is left out, as far as can be told without its content; "" if it is not."""
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
    """A named path from `root`; links are not looked through here."""
    if not name or "\0" in name:
        raise CodeQueryError(Code.INVALID_REQUEST, "file_paths has an empty path, or one with NUL")
    path = os.path.relpath(os.path.normpath(root / name), root)
    if path == os.curdir or PurePosixPath(path).parts[0] == os.pardir:
        raise CodeQueryError(
            Code.INVALID_REQUEST,
            f"{_shown(name[:200])} is outside of {root}: file_paths must be files in it",
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
    """A path that can be written whatever its bytes are."""
    return os.fsencode(path).decode(errors="replace")
