"""Git commands in a repository: one process per command, and its output, whole or in records.

Whatever the user has configured, no command may prompt, page, translate, replace objects or run a
program that the repository names. Only commands with `may_fetch` contact a remote.
"""

import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Final

from indexer.errors import ConfigurationError, GitError, TreeTooLargeError
from indexer.git.command import GitCommand, command_name
from indexer.git.discovery import common_directory, find_repository
from indexer.git.parse import split_records
from indexer.records.runs import TREE_BYTES

TREE_PATHS: Final = 2_000_000  # of a commit; TREE_BYTES have as many of ordinary length
Split = Callable[[Iterable[bytes]], Iterator[bytes]]

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
# No missing object is fetched. Before 2.44 git supports only the second variable, which makes its
# fetch fail.
OFFLINE: Final[Mapping[str, str]] = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
_SHA1_DIGITS: Final = 40
_SHA256: Final = "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha256\n"
# The third has settings of a git that ran this program, the last overrides `-U0`.
_NO_SETTINGS: Final[Mapping[str, str]] = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_PARAMETERS": "",
    "GIT_CONFIG_COUNT": "0",
    "GIT_DIFF_OPTS": "",
}
# Only the commit's attributes apply. Most others name programs or start more processes; the last
# keeps a hint about GIT_GRAFT_FILE out of error messages.
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
            "advice.graftFileDeprecated=false",
        )
    )
)
_SHOWN_BYTES: Final = 200  # of a path in a message
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
        self._fetch_settings = OFFLINE

    @property
    def shared_directory(self) -> Path:
        """The git directory that the work trees of the repository share."""
        return common_directory(self._git_dir)

    @property
    def main_directory(self) -> Path:
        """The main work tree, of which the present one may be a linked one; else the root."""
        shared = self.shared_directory
        return shared.parent if shared.name == ".git" else self.root

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
            raise GitError(f"git {command_name(arguments)} failed: {problem}")
        return out

    def configured(self, pattern: str) -> list[tuple[str, str]]:
        """Return the scope and the name of each setting that matches a regular expression."""
        _, out, _ = self.attempt(
            "config", "--null", "--show-scope", "--name-only", "--get-regexp", pattern
        )
        fields = out.decode(errors="replace").split("\0")[:-1]
        return list(zip(fields[::2], fields[1::2], strict=True))

    def diff(self, *arguments: str, split: Split) -> Iterator[bytes]:
        """Yield the records of `git diff-tree` over all files, without the work tree's attributes.

        Without a work tree, git reads attributes from the index; so the command gets an empty one.
        """
        git_dir = str(self._git_dir)
        return self.records(
            *("-C", git_dir, "diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-relative"),
            *("--no-renames", *arguments),
            split=split,
            environment={"GIT_WORK_TREE": git_dir, "GIT_INDEX_FILE": f"{git_dir}/no-index"},
        )

    def read_objects(
        self, *arguments: str, names: Sequence[str], objects: Path
    ) -> Generator[bytes]:
        """Yield, in parts, what a command prints of objects; their ids are its standard input.

        It sees the directory of objects, and nothing else of the repository: no settings,
        attributes, grafts and remotes, nor settings of the user. So it asks for no missing object.
        """
        with _empty_repository(
            is_sha256=any(len(name) > _SHA1_DIGITS for name in names)
        ) as directory:
            yield from self.stream(
                "-C", directory, *arguments,
                stdin="".join(f"{name}\n" for name in names).encode(),
                environment={
                    **OFFLINE,
                    **_NO_SETTINGS,
                    "GIT_DIR": directory,
                    "GIT_WORK_TREE": directory,
                    "GIT_INDEX_FILE": f"{directory}/no-index",
                    "GIT_OBJECT_DIRECTORY": str(objects),
                },
            )  # fmt: skip

    def records(
        self,
        *arguments: str,
        split: Split = split_records,
        stdin: bytes = b"",
        environment: Mapping[str, str] = NOTHING,
    ) -> Iterator[bytes]:
        """Yield the records of a command's output as they come, by default those that a NUL ends.

        Raises TreeTooLargeError beyond TREE_PATHS records or TREE_BYTES, and GitError, after the
        last record, for a non-zero exit status.
        """
        with closing(self.stream(*arguments, stdin=stdin, environment=environment)) as parts:
            size = 0
            for number, record in enumerate(split(parts)):
                size += len(record) + 1
                if number >= TREE_PATHS or size > TREE_BYTES:
                    raise _too_large(command_name(arguments), record)
                yield record

    def stream(
        self, *arguments: str, stdin: bytes = b"", environment: Mapping[str, str] = NOTHING
    ) -> Generator[bytes]:
        """Yield a command's output in parts, however much it is.

        Raises GitError, after the last part, for a non-zero exit status.
        """
        with self.start(*arguments, environment=environment) as command:
            command.send(stdin, last=True)
            yield from command.parts()
            status, problem = command.finish()
        if status:
            raise GitError(f"git {command.name} failed: {problem}")

    def attempt(
        self,
        *arguments: str,
        stdin: bytes = b"",
        environment: Mapping[str, str] = NOTHING,
        may_fetch: bool = False,
        seconds: float | None = None,
    ) -> tuple[int, bytes, str]:
        """Return exit status, output and error message in one line. Raises GitTimeoutError.

        GitError if the output is larger than GIT_ANSWER_BYTES: `records` reads listings of files.
        """
        return _finished(
            self.start(*arguments, environment=environment, may_fetch=may_fetch, seconds=seconds),
            stdin,
        )

    def start(
        self,
        *arguments: str,
        environment: Mapping[str, str] = NOTHING,
        may_fetch: bool = False,
        seconds: float | None = None,
    ) -> GitCommand:
        """Start a command whose streams the caller reads and writes."""
        fetch_settings = NOTHING if may_fetch else self._fetch_settings
        environment = {**self._environment, **fetch_settings, **environment}
        return GitCommand(self.root, (*_SETTINGS, *arguments), environment, seconds=seconds)


@contextmanager
def _empty_repository(*, is_sha256: bool) -> Iterator[str]:
    """Yield a git directory, which the end of the `with` block deletes. Raises GitError."""
    with ExitStack() as stack:
        try:
            directory = stack.enter_context(TemporaryDirectory(prefix="code-search-git-"))
            Path(directory, "HEAD").write_text("ref: refs/heads/none\n")
            Path(directory, "refs").mkdir()
            if is_sha256:
                Path(directory, "config").write_text(_SHA256)
        except OSError as exc:
            raise GitError(f"no temporary directory can be made: {exc}") from exc
        yield directory


def _finished(command: GitCommand, stdin: bytes = b"") -> tuple[int, bytes, str]:
    with command:
        command.send(stdin, last=True)
        answer = command.answer()
        status, problem = command.finish()
    return status, answer, problem


def _too_large(name: str, record: bytes) -> TreeTooLargeError:
    path = record.rpartition(b"\t")[2][:_SHOWN_BYTES].decode(errors="replace")
    return TreeTooLargeError(
        f"git {name} lists more than {TREE_PATHS:,} paths or {TREE_BYTES:,} bytes and was stopped "
        f"at {path!r}"
    )


def _run_in(directory: Path, *arguments: str, **environment: str) -> tuple[int, bytes, str]:
    """Run git in a directory whose repository is not known yet; see `attempt`."""
    environment = {**_ENVIRONMENT, **OFFLINE, **environment}
    return _finished(GitCommand(directory, (*_SETTINGS, *arguments), environment))


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
