"""Git's rules of what to ignore, read from files alone: no git runs, no setting is obeyed.

They are those of `.git/info/exclude`, of each `.gitignore` from the top of the checkout down, and
of the user's own list in its usual place (not one that core.excludesFile names).
"""

import errno
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from indexer.limits import CODEQUERY_IGNORE_BYTES, CODEQUERY_IGNORE_PATTERNS
from integrations.codequery.configuration import home_of
from integrations.codequery.errors import Code, CodeQueryError

_TRAILING_SPACES: Final = re.compile(r"(?<![\\ ]) +\Z")  # but those that are escaped
_MOST_NAME_BYTES: Final = 8_192  # more than any system takes for a path


class ExcessiveRulesError(Exception):
    """A file of rules is too large, or cannot be read; what it would leave out is not known."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A line that matches a path itself; what lies below is never asked for if that is ignored."""

    pattern: re.Pattern[str]
    ignores: bool
    is_of_directories: bool


@dataclass(frozen=True, slots=True)
class _Level:
    base: str  # of the directory whose rules they are, with a slash at its end; "" is the top
    rules: tuple[_Rule, ...]  # the strongest first

    def told(self, path: str, *, is_directory: bool) -> bool | None:
        """Whether the path is ignored; None if no rule says."""
        below = _bytewise(path[len(self.base) :])
        for rule in self.rules:
            if (is_directory or not rule.is_of_directories) and rule.pattern.search(below):
                return rule.ignores
        return None


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
        is_directory = path.endswith("/")
        for level in reversed(self.levels):
            told = level.told(path.removesuffix("/"), is_directory=is_directory)
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


def _rules_in(path: Path) -> tuple[_Rule, ...]:
    """As git reads it: no link is followed, a line that is no pattern says nothing."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError:  # a path with NUL
        return ()
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}:
            return ()
        raise ExcessiveRulesError(f"{path} cannot be read ({error.strerror})") from error
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            return ()
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
    return _compiled(path, [line for line in lines if line and not line.startswith("#")])


def _compiled(path: Path, lines: list[str]) -> tuple[_Rule, ...]:
    from indexer.globs import excess

    if len(lines) > CODEQUERY_IGNORE_PATTERNS:
        raise ExcessiveRulesError(f"{path} has more than {CODEQUERY_IGNORE_PATTERNS:,} patterns")
    if any(excess(line) for line in lines):
        raise ExcessiveRulesError(f"{path} has a pattern {next(filter(None, map(excess, lines)))}")
    return tuple(filter(None, map(_rule, reversed(lines))))


def _rule(line: str) -> _Rule | None:
    from indexer.globs import file_pattern

    ignores, body = not line.startswith("!"), _TRAILING_SPACES.sub("", line.removeprefix("!"))
    is_of_directories = body.endswith("/")
    body = body.removesuffix("/")
    # What stands after a first "!" has no meaning of its own.
    pattern = file_pattern(f"\\{body}" if not ignores and body[:1] in {"#", "!"} else body)
    return _Rule(pattern, ignores, is_of_directories) if pattern else None
