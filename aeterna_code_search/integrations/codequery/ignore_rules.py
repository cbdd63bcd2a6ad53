"""Git's ignore rules, read from files without running git or reading its settings.

The rules come from `.git/info/exclude`, from each `.gitignore` below the root of the checkout, and
from the user's ignore file in its default path (core.excludesFile is not read).
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

from aeterna_code_search.integrations.codequery.configuration import home_directory
from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError

CODEQUERY_IGNORE_BYTES: Final = 262_144  # of one .gitignore
CODEQUERY_IGNORE_PATTERNS: Final = 5_000  # of one .gitignore
_TRAILING_SPACES: Final = re.compile(r"(?<![\\ ]) +\Z")  # without escaped ones
_MAX_NAME_BYTES: Final = 8_192  # longer than any path


class ExcessiveRulesError(Exception):
    """A file of rules is too large or cannot be read, so its rules are unknown."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule for a path itself; the walk does not enter an ignored directory."""

    pattern: re.Pattern[str]
    ignores: bool
    directories_only: bool


@dataclass(frozen=True, slots=True)
class _Level:
    base: str  # directory of the rules, with a final slash; "" is the root
    rules: tuple[_Rule, ...]  # highest precedence first

    def match(self, path: str, *, is_directory: bool) -> bool | None:
        """Whether the path is ignored; None if no rule matches."""
        below = _bytewise(path[len(self.base) :])
        for rule in self.rules:
            if (is_directory or not rule.directories_only) and rule.pattern.search(below):
                return rule.ignores
        return None


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules of a directory, lowest precedence first. Paths are relative to the root."""

    levels: tuple[_Level, ...] = ()
    are_read: bool = True  # False: ignore files are not read

    def below(self, directory: Path, base: str) -> "IgnoreRules":
        """Add the rules of the directory's own `.gitignore`. Raises ExcessiveRulesError."""
        if not self.are_read:
            return self
        files = [directory / ".gitignore"]
        if base and os.path.lexists(directory / ".git"):  # a submodule, or another checkout
            files.insert(0, _git_dir(directory) / "info/exclude")
        levels = [_Level(base, rules) for file in files if (rules := _rules_in(file))]
        return IgnoreRules((*self.levels, *levels)) if levels else self

    def ignores(self, path: str) -> bool:
        """Whether git ignores the path; a directory's path ends in a slash."""
        is_directory = path.endswith("/")
        for level in reversed(self.levels):
            ignored = level.match(path.removesuffix("/"), is_directory=is_directory)
            if ignored is not None:
                return ignored
        return False


NO_RULES: Final = IgnoreRules(are_read=False)


def rules_above(root: Path, environ: Mapping[str, str]) -> tuple[IgnoreRules, str]:
    """Return the rules above `root`'s own `.gitignore`, and the path of `root` in the checkout.

    Raises CodeQueryError if rules cannot be read or `root` is ignored: ignored files must not be
    uploaded.
    """
    top = next((path for path in (root, *root.parents) if os.path.lexists(path / ".git")), root)
    base = _relative_base(root, top)
    config = environ.get("XDG_CONFIG_HOME") or home_directory(environ) / ".config"
    try:
        weakest = (Path(config) / "git/ignore", _git_dir(top) / "info/exclude")
        levels = [_Level("", spec) for file in weakest if (spec := _rules_in(file))]
        rules = IgnoreRules(tuple(levels))
        if base:
            way = [root, *root.parents][: base.count("/") + 1][::-1]
            for parent, child in pairwise(way):
                rules = rules.below(parent, _relative_base(parent, top))
                if rules.ignores(_relative_base(child, top)):
                    raise CodeQueryError(
                        Code.INVALID_REQUEST,
                        f"{child} is ignored by {top}: name file_paths, or fix its .gitignore",
                    )
    except ExcessiveRulesError as error:
        raise CodeQueryError(Code.INVALID_REQUEST, f"{error}: fix it") from error
    return rules, base


def _relative_base(directory: Path, top: Path) -> str:
    return "" if directory == top else f"{directory.relative_to(top).as_posix()}/"


def _bytewise(path: str) -> str:
    """Return one character per byte, as git matches: `?` matches half of `é`."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


def _git_dir(top: Path) -> Path:
    """Return the git directory that the checkout's work trees share."""
    git_dir = top / ".git"
    try:
        if git_dir.is_file():
            name = _read_start(git_dir).removeprefix(b"gitdir: ").rstrip(b"\r\n")
            git_dir = top / os.fsdecode(name)
        return git_dir / os.fsdecode(_read_start(git_dir / "commondir").rstrip(b"\r\n"))
    except (OSError, ValueError):
        return git_dir


def _read_start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MAX_NAME_BYTES)


def _rules_in(path: Path) -> tuple[_Rule, ...]:
    """Read a file of rules as git does: links are not followed, invalid lines are ignored."""
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
    directories_only = body.endswith("/")
    body = body.removesuffix("/")
    # A "#" or "!" after the first "!" is literal.
    pattern = file_pattern(f"\\{body}" if not ignores and body[:1] in {"#", "!"} else body)
    return _Rule(pattern, ignores, directories_only) if pattern else None
