"""Git's rules of what to ignore, read from files alone: no git runs, no setting is obeyed.

They are those of `.git/info/exclude`, of each `.gitignore` from the top of the checkout down, and
of the user's own list in its usual place (not one that core.excludesFile names).
"""

import errno
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from indexer.limits import CODEQUERY_IGNORE_BYTES, CODEQUERY_IGNORE_PATTERNS
from integrations.codequery.configuration import home_of
from integrations.codequery.errors import Code, CodeQueryError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_MOST_NAME_BYTES: Final = 8_192  # more than any system takes for a path


class ExcessiveRulesError(Exception):
    """A file of rules is too large, or cannot be read; what it would leave out is not known."""


@dataclass(frozen=True, slots=True)
class _Level:
    base: str  # of the directory whose rules they are, with a slash at its end; "" is the top
    rules: "GitIgnoreSpec"


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Those that hold in one directory, the weakest first. Paths are relative to the top."""

    levels: tuple[_Level, ...] = ()
    are_read: bool = True  # False: files of rules are files like others

    def below(self, directory: Path, base: str) -> "IgnoreRules":
        """With those of the directory's own `.gitignore`. Raises ExcessiveRulesError."""
        if not self.are_read:
            return self
        files = [directory / ".gitignore"]
        if base and os.path.lexists(directory / ".git"):  # a submodule, or another checkout
            files.insert(0, _git_dir(directory) / "info/exclude")
        levels = [_Level(base, rules) for file in files if (rules := _rules_in(file))]
        return IgnoreRules((*self.levels, *levels)) if levels else self

    def ignores(self, path: str) -> bool:
        """Whether git ignores it; a directory's path ends in a slash. The last rule decides."""
        for level in reversed(self.levels):
            told = level.rules.check_file(_bytewise(path[len(level.base) :])).include
            if told is not None:
                return told
        return False


NO_RULES: Final = IgnoreRules(are_read=False)


def rules_above(root: Path, environ: Mapping[str, str]) -> tuple[IgnoreRules, str]:
    """What holds at `root` before its own `.gitignore`, and its path from the checkout's top.

    Raises CodeQueryError: what such a file would leave out must not be uploaded, nor what lies in
    a directory that is ignored, whatever rules it has itself.
    """
    top = next((one for one in (root, *root.parents) if os.path.lexists(one / ".git")), root)
    base = _base_of(root, top)
    config = environ.get("XDG_CONFIG_HOME") or home_of(environ) / ".config"
    try:
        weakest = (Path(config) / "git/ignore", _git_dir(top) / "info/exclude")
        levels = [_Level("", spec) for file in weakest if (spec := _rules_in(file))]
        rules = IgnoreRules(tuple(levels))
        if base:
            way = [root, *root.parents][: base.count("/") + 1][::-1]
            for parent, child in pairwise(way):
                rules = rules.below(parent, _base_of(parent, top))
                if rules.ignores(_base_of(child, top)):
                    raise CodeQueryError(
                        Code.INVALID_REQUEST,
                        f"{child} is ignored by {top}: name file_paths, or mend its .gitignore",
                    )
    except ExcessiveRulesError as error:
        raise CodeQueryError(Code.INVALID_REQUEST, f"{error}: mend it") from error
    return rules, base


def _base_of(directory: Path, top: Path) -> str:
    return "" if directory == top else f"{directory.relative_to(top).as_posix()}/"


def _bytewise(path: str) -> str:
    """A letter for each byte, as git matches: of `é` a `?` takes the half."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


def _git_dir(top: Path) -> Path:
    """The directory that the checkout's work trees share: a `.git` file names it by way of one."""
    git_dir = top / ".git"
    try:
        if git_dir.is_file():
            name = _start_of(git_dir).removeprefix(b"gitdir: ").rstrip(b"\r\n")
            git_dir = top / os.fsdecode(name)
        return git_dir / os.fsdecode(_start_of(git_dir / "commondir").rstrip(b"\r\n"))
    except (OSError, ValueError):
        return git_dir


def _start_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST_NAME_BYTES)


def _rules_in(path: Path) -> "GitIgnoreSpec | None":
    """As git reads it: no link is followed, a line that is no pattern says nothing."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError:  # a path with NUL
        return None
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}:
            return None
        raise ExcessiveRulesError(f"{path} cannot be read ({error.strerror})") from error
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            return None
        with open(number, "rb", closefd=False) as file:
            content = file.read(CODEQUERY_IGNORE_BYTES + 1)
    except OSError as error:
        raise ExcessiveRulesError(f"{path} cannot be read ({error.strerror})") from error
    finally:
        os.close(number)
    if len(content) > CODEQUERY_IGNORE_BYTES:
        raise ExcessiveRulesError(f"{path} has more than {CODEQUERY_IGNORE_BYTES:,} bytes")
    text = content.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return _spec(path, [line for line in lines if line and not line.startswith("#")])


def _spec(path: Path, lines: list[str]) -> "GitIgnoreSpec | None":
    from indexer.globs import excess

    if len(lines) > CODEQUERY_IGNORE_PATTERNS:
        raise ExcessiveRulesError(f"{path} has more than {CODEQUERY_IGNORE_PATTERNS:,} patterns")
    if any(excess(line) for line in lines):
        raise ExcessiveRulesError(f"{path} has a pattern {next(filter(None, map(excess, lines)))}")
    return _compiled(lines) if lines else None


def _compiled(lines: Iterable[str]) -> "GitIgnoreSpec":
    from indexer.globs import ignore_spec

    try:
        return ignore_spec(lines)
    except (ValueError, re.error):
        return ignore_spec(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    from indexer.globs import ignore_spec

    try:
        ignore_spec([line])
    except (ValueError, re.error):
        return False
    return True
