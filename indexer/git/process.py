"""Git commands in a repository: one process per command, and its output.

The only import of GitPython. Whatever the user has configured, no command may prompt, page,
translate, replace objects or run a program that the repository names. Only commands with
`may_fetch` contact a remote.
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
# Paths are never interpreted as patterns, either.
_ENVIRONMENT: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "false",
    "SSH_ASKPASS_REQUIRE": "force",  # else ssh reads the terminal, which stops a background group
    "GCM_INTERACTIVE": "never",
    "GIT_SSH_VARIANT": "ssh",
    "GIT_PROXY_COMMAND": "",  # overrides core.gitProxy, which `-c` cannot unset
    "GIT_PAGER": "cat",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}
# Before 2.44 git supports only the second variable, which makes its fetch fail.
_NO_FETCH: Final[Mapping[str, str]] = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
# Only the commit's attributes apply. The other settings name programs or start more processes.
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
_OLDEST: Final = (2, 38)  # the first with safe.bareRepository
_VERSION: Final = re.compile(r"git version (\d+)\.(\d+)")


class GitProcess:
    """Git commands in the repository that contains `path`, all with `environment`."""

    def __init__(self, path: Path, environment: Mapping[str, str] = NOTHING) -> None:
        _require_version()
        location = find_repository(path, _run_in)
        self.root = location.top or location.git_dir
        self._git_dir = location.git_dir
        self._environment = {**_ENVIRONMENT, "GIT_DIR": str(location.git_dir), **environment}
        if location.top:  # overrides core.worktree
            self._environment["GIT_WORK_TREE"] = str(location.top)
        self._fetch_settings = _NO_FETCH

    def fetch_lazily(self) -> None:
        """Allow all later commands to fetch missing objects of a partial clone."""
        self._fetch_settings = NOTHING

    def text(self, *arguments: str) -> str:
        """Return the output of a command as stripped text."""
        return self.run(*arguments).decode(errors="replace").strip()

    def run(self, *arguments: str, stdin: bytes = b"", **environment: str) -> bytes:
        """Return the output of a command. Raises GitError for a non-zero exit status."""
        status, out, problem = self.attempt(*arguments, stdin=stdin, environment=environment)
        if status:
            raise GitError(f"git {_name(arguments)} failed: {problem}")
        return out

    def configured(self, pattern: str) -> list[tuple[str, str]]:
        """Return the scope and the name of each setting that matches a regular expression."""
        _, out, _ = self.attempt(
            "config", "--null", "--show-scope", "--name-only", "--get-regexp", pattern
        )
        fields = out.decode(errors="replace").split("\0")[:-1]
        return list(zip(fields[::2], fields[1::2], strict=True))

    def diff(self, *arguments: str) -> bytes:
        """Return the output of `git diff-tree` over all files, without the work tree's attributes.

        Without a work tree, git reads attributes from the index; so the command gets an empty one.
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
        """Return exit status, output and error message in one line. Raises GitTimeoutError."""
        process = self.start(*arguments, environment=environment, may_fetch=may_fetch)
        return _finished(process, arguments, stdin, seconds or GIT_COMMAND_SECONDS)

    def start(
        self,
        *arguments: str,
        environment: Mapping[str, str] = NOTHING,
        may_fetch: bool = False,
    ) -> Process:
        """Start a process with pipes for its three streams."""
        fetch_settings = NOTHING if may_fetch else self._fetch_settings
        return _started(
            self.root, arguments, {**self._environment, **fetch_settings, **environment}
        )


def end(process: Process) -> None:
    """Terminate a git process and its children; kill it if it does not end in time."""
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
    """Return the error of a git command that did not end within `seconds`."""
    return GitTimeoutError(
        f"git {name} did not end within {seconds:,.0f} s and was stopped. Try again on a faster "
        "disk or network; if it still fails, look for a pattern with many `*` in .gitattributes "
        "and .gitignore"
    )


def _name(arguments: tuple[str, ...]) -> str:
    """Return the command's name, after git's own options."""
    words = iter(arguments)
    for word in words:
        if word in {"-c", "-C"}:
            next(words)
        elif not word.startswith("-"):
            return word
    return ""


def _run_in(directory: Path, *arguments: str, **environment: str) -> tuple[int, bytes, str]:
    """Run git in a directory whose repository is not known yet; see `attempt`."""
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
    """Raise ConfigurationError for a git that would obey settings from a commit."""
    _, out, _ = _run_in(Path("/"), "version")
    found = _VERSION.match(out.decode(errors="replace"))
    if found and (int(found[1]), int(found[2])) < _OLDEST:
        raise ConfigurationError(
            f"git {found[1]}.{found[2]} is too old: it could run programs that an indexed "
            f"repository names. Install git {_OLDEST[0]}.{_OLDEST[1]} or newer"
        )
