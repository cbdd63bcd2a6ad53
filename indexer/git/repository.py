"""The indexer's view of a repository: commits, ancestry, changes and blobs.

Reads objects, never the work tree or the index, so that local edits and a user's configuration
do not affect the result.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from indexer.config.project_file import PROJECT_FILE
from indexer.config.settings import GitCredential
from indexer.errors import CommitNotFoundError, ConfigurationError, GitError, ShallowCloneError
from indexer.git.blobs import Blobs
from indexer.git.parse import (
    ACTION_FILES,
    ATTRIBUTES_FILE,
    EDITOR_CONFIG,
    SUBMODULE_MODE,
    Changes,
    blob_size,
    parse_diff,
    parse_tree,
    repeats_paths,
    split_lines,
    split_pairs,
)
from indexer.git.process import NOTHING, OFFLINE, GitProcess, Split
from indexer.git.remote import Remote, refuse_programs
from indexer.limits import PROJECT_FILE_BYTES
from indexer.records.files import TreeEntry
from indexer.records.runs import Ancestry

_OBJECT_MISSING = 128
_SELECTING = ACTION_FILES | {ATTRIBUTES_FILE, EDITOR_CONFIG}
_PATHS_AT_ONCE = 500  # below every limit on the length of a command


class Repository:
    """The repository that contains `path`. Not thread-safe.

    `credential` is for a remote that needs one if the clone has none; `environment` is for all git
    commands.
    """

    asks_remotes: ClassVar = True
    has_history = True  # its commits are those of people, no snapshots

    def __init__(
        self,
        path: Path,
        credential: GitCredential | None = None,
        environment: Mapping[str, str] = NOTHING,
    ) -> None:
        self._git = GitProcess(path, environment)
        self._credential = credential
        self._listed: set[str] = set()  # commits within the bounds of a tree
        self._compared: dict[tuple[str, str], Changes] = {}  # until `changes` returns them
        self._settings: dict[tuple[str, str], bytes | None] = {}  # the last file of settings
        self.blobs = Blobs(self._git)
        self.root = self._git.root
        if self.asks_remotes and self.is_partial:
            refuse_programs(self._git)
            self._git.fetch_lazily()

    @cached_property
    def is_partial(self) -> bool:
        """Whether this is a clone without some objects that a remote has promised."""
        return bool(self._git.configured(r"^remote\..*\.promisor$|^extensions\.partialclone$"))

    @cached_property
    def may_lack_blobs(self) -> bool:
        """Whether this is a partial clone, or was one: central's backfill keeps no promise."""
        return self.is_partial or any(self.objects.glob("pack/*.promisor"))

    @property
    def shared_directory(self) -> Path:
        """The git directory that the work trees of the repository share."""
        return self._git.shared_directory

    def close(self) -> None:
        """End the process that reads blobs."""
        self.blobs.close()

    # Commits and refs

    def commit(self, revision: str) -> str:
        """Return the full object name of the commit that `revision` names."""
        status, out, _ = self._git.attempt(
            "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"
        )
        if status:
            raise CommitNotFoundError(
                f"{revision!r} is not a commit in this clone; fetch it or specify another"
            )
        return out.decode().strip()

    def head_ref(self) -> str | None:
        """Return the checked-out branch (`refs/heads/…`); None if HEAD is detached."""
        status, out, _ = self._git.attempt("symbolic-ref", "--quiet", "HEAD")
        return None if status else out.decode(errors="replace").strip()

    def default_branch(self) -> str | None:
        """Return the remote's default branch; without a remote, the checked-out one."""
        return self._remote.default_branch() if self._remote else self.head_ref()

    @cached_property
    def _remote(self) -> Remote | None:
        return Remote.of(self._git, self._credential)

    def web_url(self) -> str | None:
        """Return the repository's web page; None without a remote, or if the remote is a path."""
        return self._remote.web_url() if self._remote else None

    def name(self) -> str:
        """Return the last part of the remote's address, else the name of the main work tree."""
        name = self._remote.repository_name() if self._remote else ""
        return name or self._git.main_directory.resolve().name.removesuffix(".git")

    def branch_head(self, ref: str) -> str | None:
        """Return the commit of `ref` at the remote, else in the clone; None if it has none."""
        if self._remote:
            return self._remote.branch_head(ref)
        status, out, _ = self._git.attempt("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        return None if status else out.decode().strip()

    # Ancestry

    def was_removed_from_branch(self, head: str, base: str, ref: str) -> bool:
        """Whether the branch was moved from `head` to `base` or past it.

        False if the remote does not answer: that must not stop a job that the forge just started.
        """
        try:
            branch_head = self.branch_head(ref)
        except GitError:
            return False
        if branch_head is None or branch_head == head:
            return False
        return self._contains(branch_head, base)

    def is_on_branch(self, commit: str, ref: str) -> bool:
        """Whether the ref at the remote, else in the clone, contains `commit`.

        Fetches missing history. Raises GitError, also if the remote does not answer.
        """
        branch_head = self.branch_head(ref)
        return branch_head is not None and self._contains(branch_head, commit)

    def _contains(self, branch_head: str, commit: str) -> bool:
        if branch_head == commit:
            return True
        if self.is_shallow():
            self.unshallow()
        return (self.has_commit(branch_head) or self._fetched(branch_head)) and self.is_ancestor(
            commit, branch_head
        )

    def is_shallow(self) -> bool:
        """Whether history was cut off, so that ancestry is unreliable."""
        return self._shallow

    @cached_property
    def _shallow(self) -> bool:
        return self._git.text("rev-parse", "--is-shallow-repository") == "true"

    def unshallow(self) -> None:
        """Fetch the missing history. Raises ShallowCloneError if that cannot be done."""
        advice = "set `fetch-depth: 0` on the checkout step, or run `git fetch --unshallow`"
        if not self._remote:
            raise ShallowCloneError(
                f"the clone is shallow and has no remote to fetch from; {advice}"
            )
        problem = self._remote.unshallow()
        self.__dict__.pop("_shallow", None)
        if problem or self.is_shallow():
            raise ShallowCloneError(
                f"the clone is shallow and its history could not be fetched: {advice} ({problem})"
            )

    def has_commit(self, commit: str) -> bool:
        """Whether the object exists (a partial clone may fetch it), regardless of ancestry."""
        return not self._git.attempt("cat-file", "-e", f"{commit}^{{commit}}")[0]

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Whether `descendant` contains all of `ancestor`'s history.

        Raises ShallowCloneError in a shallow clone, where a "no" may be false, and
        CommitNotFoundError if an object is missing.
        """
        if self.is_shallow():
            raise ShallowCloneError(
                "ancestry cannot be determined in a shallow clone; run `git fetch --unshallow`"
            )
        status, _, problem = self._git.attempt("merge-base", "--is-ancestor", ancestor, descendant)
        if status == _OBJECT_MISSING:
            raise CommitNotFoundError(
                f"{ancestor} or {descendant} is not in this clone; fetch it ({problem})"
            )
        return status == 0

    def ancestry(self, base: str, head: str) -> Ancestry:
        """Return the relation of `base` to `head`.

        Fetches the history of a shallow clone, unless both are the same commit.
        """
        if base == head:
            return Ancestry.SAME
        if self.is_shallow():
            self.unshallow()
        try:
            is_ancestor = self.is_ancestor(base, head)
        except CommitNotFoundError:
            if not self._fetched(base):
                return Ancestry.MISSING
            is_ancestor = self.is_ancestor(base, head)
        if is_ancestor:
            return Ancestry.ANCESTOR
        return Ancestry.DESCENDANT if self.is_ancestor(head, base) else Ancestry.DIVERGED

    def _fetched(self, commit: str) -> bool:
        """Fetch a missing commit from the remote and return whether it is present now.

        The commit may be newer than this clone, if another job has indexed it. No ref is moved.
        """
        if not self._remote:
            return False
        self._remote.fetch(commit)
        return self.has_commit(commit)

    # Content

    def raw_diff(self, base: str, head: str) -> Iterator[bytes]:
        """Yield the differences in the form of `git diff-tree --raw -z`, without renames.

        Equivalent to `git diff -M100%` with each rename split in two, and independent of the user's
        diff settings. Records of split_pairs. Raises TreeTooLargeError for a `head` that is too
        large: git holds what it compares in memory.
        """
        self._require_listable(head)
        yield from self.diff(
            "-z", "--raw", "--no-abbrev", "--ignore-submodules=none", "--end-of-options",
            base, head, "--", split=split_pairs,
        )  # fmt: skip

    def diff(self, *arguments: str, split: Split) -> Iterator[bytes]:
        """Yield the records of `git diff-tree` over all files: see GitProcess.diff."""
        return self._git.diff(*arguments, split=split)

    def read_objects(self, *arguments: str, names: Sequence[str]) -> Iterator[bytes]:
        """Yield what a command prints of objects, whatever is configured: see GitProcess."""
        return self._git.read_objects(*arguments, names=names, objects=self.objects)

    def changes(self, base: str, head: str) -> Changes:
        """Return the changes from `base` to `head`."""
        changes = self._compared.pop((base, head), None) or parse_diff(self.raw_diff(base, head))
        return Changes(tuple(self._with_sizes(changes.entries)), changes.removed)

    def _with_sizes(self, entries: tuple[TreeEntry, ...]) -> list[TreeEntry]:
        wanted = [entry.blob for entry in entries if entry.mode != SUBMODULE_MODE]
        lines = self._git.records(
            "cat-file", "--batch-check=%(objectsize)", split=split_lines,
            stdin="\n".join([*wanted, ""]).encode(),
        )  # fmt: skip
        sizes = iter([blob_size(*pair) for pair in zip(wanted, lines, strict=True)])
        return [
            entry if entry.mode == SUBMODULE_MODE else replace(entry, size=next(sizes))
            for entry in entries
        ]

    def selection_changed(self, base: str, head: str) -> bool:
        """Whether `.codesearch.toml` or another file differs that decides about others.

        They select files, tell languages and encodings, and what is generated. Also true if a
        malformed tree has a changed path twice, because a diff is then incomplete.
        """
        changes = parse_diff(self.raw_diff(base, head))
        self._compared = {(base, head): changes}
        paths = [*changes.removed, *(entry.path for entry in changes.entries)]
        return (
            any(path == PROJECT_FILE or path.rpartition("/")[2] in _SELECTING for path in paths)
            or self._repeats(base, paths)
            or self._repeats(head, paths)
        )

    def _repeats(self, commit: str, paths: list[str]) -> bool:
        few = paths if len(paths) <= _PATHS_AT_ONCE else []
        return bool(paths) and repeats_paths(self._names(commit, *few))

    def tree(self, commit: str) -> list[TreeEntry]:
        """Return every tracked file of `commit`, submodules included. Raises TreeTooLargeError."""
        self._require_listable(commit)
        return parse_tree(self.records("ls-tree", "-r", "-z", "-l", "--full-tree", commit))

    def _require_listable(self, commit: str) -> None:
        """Raise TreeTooLargeError for a commit with too many paths, before more of it is read.

        Names alone are listed in seconds. Sizes take longer, and a diff is made in memory.
        """
        if commit not in self._listed:
            deque(self._names(commit), maxlen=0)
            self._listed.add(commit)

    def _names(self, commit: str, *paths: str) -> Iterator[bytes]:
        return self.records(
            "ls-tree", "-r", "-z", "--name-only", "--full-tree", f"{commit}^{{tree}}", "--", *paths
        )

    def read_path(self, commit: str, path: str) -> bytes | None:
        """Return the content of a settings file in a commit; None if there is none.

        Raises ConfigurationError if it is too large, before it is read.
        """
        if (commit, path) not in self._settings:
            self._settings = {(commit, path): self._read_path(commit, path)}
        return self._settings[commit, path]

    def _read_path(self, commit: str, path: str) -> bytes | None:
        entries = parse_tree(self.records("ls-tree", "-z", "-l", "--full-tree", commit, "--", path))
        if not entries or entries[0].mode[:3] != "100" or entries[0].skipped:
            return None
        if entries[0].size > PROJECT_FILE_BYTES:
            raise ConfigurationError(
                f"{path} is larger than {PROJECT_FILE_BYTES} bytes: shorten it"
            )
        return self.blobs.read(entries[0].blob)

    @cached_property
    def objects(self) -> Path:
        """The directory of objects, which the work trees of one repository share."""
        return Path(self.root, self._git.text("rev-parse", "--git-path", "objects"))

    @cached_property
    def object_format(self) -> str:
        """`sha1` or `sha256`."""
        return self._git.text("rev-parse", "--show-object-format")

    def run(self, *arguments: str, stdin: bytes = b"", **environment: str) -> bytes:
        """Return the output of another git command. Raises GitError for a non-zero exit status."""
        return self._git.run(*arguments, stdin=stdin, **environment)

    def records(self, *arguments: str, stdin: bytes = b"", **environment: str) -> Iterator[bytes]:
        """Yield the records of another git command, which a NUL ends: see GitProcess.records."""
        return self._git.records(*arguments, stdin=stdin, environment=environment)

    def read_offline(self, *arguments: str, stdin: bytes = b"") -> Iterator[bytes]:
        """Yield the output of another git command, which asks no remote: see GitProcess.stream."""
        return self._git.stream(*arguments, stdin=stdin, environment=OFFLINE)
