"""Running git in a repository: a process for each command, and what it said.

The only import of GitPython. Nothing may ask a question, page, translate or swap objects, whatever
a user has configured.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from subprocess import PIPE
from types import MappingProxyType
from typing import Final

os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # noqa: TID251 - else no import without git

import git
from git.exc import GitCommandNotFound, InvalidGitRepositoryError, NoSuchPathError

from indexer.errors import ConfigurationError, GitError, NotARepositoryError
from indexer.listing import explained

Process = git.Git.AutoInterrupt

# Nothing may take a path for a pattern, either.
_ENVIRONMENT: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GCM_INTERACTIVE": "never",
    "GIT_SSH_VARIANT": "ssh",
    "GIT_PAGER": "cat",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
# Attributes are the commit's own; and git runs no file-system monitor, a program of the checkout's.
_SETTINGS = ("-c", "core.attributesFile=/dev/null", "-c", "core.fsmonitor=false")


class Plumbing:
    """Git's commands in the repository that holds `path`, all of them with `environment`."""

    def __init__(self, path: Path, environment: Mapping[str, str] = NOTHING) -> None:
        try:
            self._repo = git.Repo(path, search_parent_directories=True)
        except (InvalidGitRepositoryError, NoSuchPathError) as exc:
            raise NotARepositoryError(
                f"{path} is not inside a git repository; name one with --path"
            ) from exc
        self._repo.git.update_environment(**_ENVIRONMENT, **environment)
        self.root = Path(self._repo.working_tree_dir or self._repo.git_dir)
        self.text("rev-parse", "--git-dir")  # says at once if git distrusts the directory

    def close(self) -> None:
        """End what GitPython keeps open."""
        self._repo.close()

    def text(self, *arguments: str) -> str:
        """The output of a command, in one piece."""
        return self.run(*arguments).decode(errors="replace").strip()

    def run(self, *arguments: str, stdin: bytes = b"", **environment: str) -> bytes:
        """The output of a git command; a non-zero exit status is a GitError."""
        status, out, problem = self.attempt(*arguments, stdin=stdin, **environment)
        if status:
            raise GitError(f"git {arguments[0]} failed: {problem}")
        return out

    def attempt(
        self, *arguments: str, stdin: bytes = b"", **environment: str
    ) -> tuple[int, bytes, str]:
        """Exit status, output and what git complained of, in one line."""
        process = self.start(*arguments, **environment)
        out, complaint = process.communicate(stdin)
        return process.returncode, out, explained(complaint.decode(errors="replace").strip())

    def start(self, *arguments: str, **environment: str) -> Process:
        """A process with pipes for its three streams, which nobody has written to or read."""
        command = ["git", *_SETTINGS, *arguments]
        try:
            return self._repo.git.execute(command, PIPE, as_process=True, env=environment)
        except GitCommandNotFound as exc:
            raise ConfigurationError(
                "git is not installed, or not on the PATH: install git"
            ) from exc
