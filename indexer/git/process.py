"""Running git in a repository: a process for each command, and what it said.

The only import of GitPython. Nothing may ask a question, page, translate, swap objects or run a
program that the repository names, whatever a user has configured. A remote is reached only by
commands that say so.
"""

import os
import re
from collections.abc import Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from subprocess import PIPE, TimeoutExpired
from types import MappingProxyType
from typing import Final

os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # noqa: TID251 - else no import without git

import git
from git.exc import GitCommandNotFound

from indexer.errors import ConfigurationError, GitError, GitTimeoutError
from indexer.git.discovery import find_repository
from indexer.git.parse import explain_git_error
from indexer.limits import GIT_COMMAND_SECONDS, GIT_END_SECONDS
from indexer.process_group import CHILDREN

Process = git.Git.AutoInterrupt

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
# Nothing may take a path for a pattern, either.
_ENVIRONMENT: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "false",
    "SSH_ASKPASS_REQUIRE": "force",  # else ssh asks the terminal, which a background group may not
    "GCM_INTERACTIVE": "never",
    "GIT_SSH_VARIANT": "ssh",
    "GIT_PROXY_COMMAND": "",  # over core.gitProxy, which `-c` cannot take back
    "GIT_PAGER": "cat",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}
# A git before 2.44 knows only the second, with which its fetch fails.
_NO_FETCH: Final[Mapping[str, str]] = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
# Attributes are the commit's own. The others name programs, or have git start itself for more.
_SETTINGS: Final = tuple(
    chain.from_iterable(
        ("-c", setting)
        for setting in (
            "safe.bareRepository=explicit",
            "core.attributesFile=/dev/null",
            "core.fsmonitor=false",
            "core.hooksPath=/dev/null",
            "core.alternateRefsCommand=true",
            "fetch.recurseSubmodules=false",
            "submodule.recurse=false",
            "maintenance.auto=false",
            "gc.auto=0",
            "protocol.ext.allow=never",
            "protocol.fd.allow=never",
        )
    )
)
_OLDEST: Final = (2, 38)  # the first that knows safe.bareRepository
_VERSION: Final = re.compile(r"git version (\d+)\.(\d+)")


class GitProcess:
    """Git's commands in the repository that holds `path`, all of them with `environment`."""

    def __init__(self, path: Path, environment: Mapping[str, str] = NOTHING) -> None:
        _require_version()
        place = find_repository(path, _ask)
        self.root = place.top or place.git_dir
        self._git_dir = place.git_dir
        self._environment = {**_ENVIRONMENT, "GIT_DIR": str(place.git_dir), **environment}
        if place.top:  # over core.worktree
            self._environment["GIT_WORK_TREE"] = str(place.top)
        self._reach = _NO_FETCH

    def fetch_lazily(self) -> None:
        """From here on any command may ask a remote for an object that a partial clone lacks."""
        self._reach = NOTHING

    def text(self, *arguments: str) -> str:
        """The output of a command, in one piece."""
        return self.run(*arguments).decode(errors="replace").strip()

    def run(self, *arguments: str, stdin: bytes = b"", **environment: str) -> bytes:
        """The output of a git command; a non-zero exit status is a GitError."""
        status, out, problem = self.attempt(*arguments, stdin=stdin, environment=environment)
        if status:
            raise GitError(f"git {_name(arguments)} failed: {problem}")
        return out

    def configured(self, pattern: str) -> list[tuple[str, str]]:
        """The scope and the name of each setting that a regular expression matches."""
        _, out, _ = self.attempt(
            "config", "--null", "--show-scope", "--name-only", "--get-regexp", pattern
        )
        fields = out.decode(errors="replace").split("\0")[:-1]
        return list(zip(fields[::2], fields[1::2], strict=True))

    def diff(self, *arguments: str) -> bytes:
        """The output of `git diff-tree` over all files, deaf to the work tree's attributes.

        Where no work tree is, git takes them from the index, so it is given an empty one.
        """
        return self.run(
            "-C", str(self._git_dir), "diff-tree", "-r", "--no-renames", "--no-ext-diff",
            "--no-textconv", "--no-relative", *arguments,
            GIT_WORK_TREE=str(self._git_dir), GIT_INDEX_FILE=str(self._git_dir / "no-index"),
        )  # fmt: skip

    def attempt(
        self,
        *arguments: str,
        stdin: bytes = b"",
        environment: Mapping[str, str] = NOTHING,
        may_fetch: bool = False,
        seconds: float | None = None,
    ) -> tuple[int, bytes, str]:
        """Exit status, output and what git complained of, in one line. Raises GitTimeoutError."""
        process = self.start(*arguments, environment=environment, may_fetch=may_fetch)
        return _finished(process, arguments, stdin, seconds or GIT_COMMAND_SECONDS)

    def start(
        self,
        *arguments: str,
        environment: Mapping[str, str] = NOTHING,
        may_fetch: bool = False,
    ) -> Process:
        """A process with pipes for its three streams, not yet written to or read."""
        reach = NOTHING if may_fetch else self._reach
        return _started(self.root, arguments, {**self._environment, **reach, **environment})


def end(process: Process) -> None:
    """End a git process: so that it ends what it has started, if it can; else at once."""
    process.terminate()
    try:
        process.communicate(timeout=GIT_END_SECONDS)
    except TimeoutExpired:
        process.kill()
        process.wait()


def _finished(
    process: Process, arguments: tuple[str, ...], stdin: bytes, seconds: float
) -> tuple[int, bytes, str]:
    try:
        out, complaint = process.communicate(stdin, timeout=seconds)
    except TimeoutExpired as exc:
        end(process)
        raise timed_out(_name(arguments), seconds) from exc
    return process.returncode, out, explain_git_error(complaint.decode(errors="replace").strip())


def timed_out(name: str, seconds: float) -> GitTimeoutError:
    """What is raised if a git command does not end within `seconds`."""
    return GitTimeoutError(
        f"git {name} did not end within {seconds:,.0f} s and was ended. Run it again on a faster "
        "disk or network; if it stays so, look for a pattern with many `*` in .gitattributes and "
        ".gitignore"
    )


def _name(arguments: tuple[str, ...]) -> str:
    """The command's name, after options of git's own."""
    words = iter(arguments)
    for word in words:
        if word in {"-c", "-C"}:
            next(words)
        elif not word.startswith("-"):
            return word
    return ""


def _ask(directory: Path, *arguments: str, **environment: str) -> tuple[int, bytes, str]:
    """As `attempt`, in a directory that no repository is known of yet."""
    process = _started(directory, arguments, {**_ENVIRONMENT, **_NO_FETCH, **environment})
    return _finished(process, arguments, b"", GIT_COMMAND_SECONDS)


def _started(
    directory: Path, arguments: tuple[str, ...], environment: Mapping[str, str]
) -> Process:
    try:
        return git.Git(str(directory)).execute(
            ["git", *_SETTINGS, *arguments],
            PIPE,
            as_process=True,
            env=environment,
            process_group=CHILDREN.number(),
        )
    except GitCommandNotFound as exc:
        raise ConfigurationError("git is not installed, or not on the PATH: install git") from exc


@cache
def _require_version() -> None:
    """Raises ConfigurationError for a git that would obey what a commit can bring."""
    _, out, _ = _ask(Path("/"), "version")
    found = _VERSION.match(out.decode(errors="replace"))
    if found and (int(found[1]), int(found[2])) < _OLDEST:
        raise ConfigurationError(
            f"git {found[1]}.{found[2]} is too old: it would run programs that an indexed "
            f"repository names. Install git {_OLDEST[0]}.{_OLDEST[1]} or newer"
        )
