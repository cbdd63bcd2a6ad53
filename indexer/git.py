"""A repository as the indexer sees it: commits, ancestry, what changed, and blobs.

The only import of GitPython. Reads objects, never the work tree or the index, so neither local
edits nor a user's configuration can change an answer.
"""

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from subprocess import PIPE

import git
from git.exc import GitCommandNotFound, InvalidGitRepositoryError, NoSuchPathError

from indexer.errors import CommitNotFoundError, GitError, NotARepositoryError, ShallowCloneError
from indexer.listing import (
    ATTRIBUTES_FILE,
    SELECTION_FILE,
    SUBMODULE_MODE,
    Changes,
    blob_size,
    explained,
    parse_diff,
    parse_tree,
    symref_target,
    web_url,
)
from indexer.planning import Relation
from indexer.records import TreeEntry

# Nothing may ask a question, page, translate, swap objects or take a path for a pattern.
_ENVIRONMENT = {
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
_OBJECT_MISSING = 128


class Repository:
    """The repository that holds `path`. Not for use by several threads at once."""

    def __init__(self, path: Path) -> None:
        try:
            self._repo = git.Repo(path, search_parent_directories=True)
        except (InvalidGitRepositoryError, NoSuchPathError) as exc:
            raise NotARepositoryError(
                f"{path} is not inside a git repository; name one with --path"
            ) from exc
        self._repo.git.update_environment(**_ENVIRONMENT)
        self.root = Path(self._repo.working_tree_dir or self._repo.git_dir)
        self._text("rev-parse", "--git-dir")  # says at once if git distrusts the directory

    def close(self) -> None:
        """End the processes that read blobs."""
        self.__dict__.pop("_reader", None)  # GitPython ends a process that nobody names
        self._repo.close()

    # Commits and refs

    def commit(self, revision: str) -> str:
        """The full object name of the commit that `revision` names."""
        status, out, _ = self._try(
            "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"
        )
        if status:
            raise CommitNotFoundError(
                f"{revision!r} names no commit in this clone; fetch it or name another with --ref"
            )
        return out.decode().strip()

    def head_ref(self) -> str | None:
        """The checked-out branch (`refs/heads/…`); None where HEAD is detached."""
        status, out, _ = self._try("symbolic-ref", "--quiet", "HEAD")
        return None if status else out.decode().strip()

    def default_branch(self) -> str | None:
        """The remote's default branch (None: it does not say); without one, the checked-out one."""
        if not self._remote:
            return self.head_ref()
        prefix = f"refs/remotes/{self._remote}/"
        status, out, _ = self._try("symbolic-ref", "--quiet", f"{prefix}HEAD")
        if not status:
            return "refs/heads/" + out.decode().strip().removeprefix(prefix)
        return symref_target(self._try("ls-remote", "--symref", self._remote, "HEAD")[1])

    @cached_property
    def _remote(self) -> str | None:
        names = self._text("remote").split()
        return "origin" if "origin" in names else (names[0] if names else None)

    def web_url(self) -> str | None:
        """Where people see this repository; None without a remote, or if it is a path."""
        if not self._remote:
            return None
        return web_url(self._text("remote", "get-url", self._remote))

    def tip(self, ref: str) -> str | None:
        """The commit of `ref` at the remote, or here if there is no remote; None: no such ref."""
        if not self._remote:
            status, out, _ = self._try("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
            return None if status else out.decode().strip()
        listing = self._text("ls-remote", self._remote, ref)
        found = [line.split("\t") for line in listing.splitlines()]
        return next((sha for sha, name in found if name == ref), None)

    # Ancestry

    def has_left(self, head: str, base: str, ref: str) -> bool:
        """Whether the branch was moved from `head` to `base` or past it.

        A remote that does not answer is no reason to stop a job that the forge has just started:
        the answer is then no.
        """
        try:
            tip = self.tip(ref)
        except GitError:
            return False
        if tip is None or tip == head:
            return False
        if tip == base:
            return True
        return (self.has_commit(tip) or self._fetched(tip)) and self.is_ancestor(base, tip)

    def is_shallow(self) -> bool:
        """Whether history was cut off: ancestry is then not to be trusted."""
        return self._shallow

    @cached_property
    def _shallow(self) -> bool:
        return self._text("rev-parse", "--is-shallow-repository") == "true"

    def deepen(self) -> None:
        """Fetch the missing history. Raises ShallowCloneError if that cannot be done."""
        advice = "set `fetch-depth: 0` on the checkout step, or run `git fetch --unshallow`"
        if not self._remote:
            raise ShallowCloneError(
                f"the clone is shallow and has no remote to fetch from; {advice}"
            )
        status, _, problem = self._try("fetch", "--quiet", "--unshallow", "--no-tags", self._remote)
        del self._shallow
        if status or self.is_shallow():
            raise ShallowCloneError(
                f"the clone is shallow and its history could not be fetched: {advice} ({problem})"
            )

    def has_commit(self, commit: str) -> bool:
        """Whether the object is here (a partial clone may fetch it); says nothing of ancestry."""
        return not self._try("cat-file", "-e", f"{commit}^{{commit}}")[0]

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Whether `descendant` holds all of `ancestor`'s history.

        Raises ShallowCloneError in a shallow clone, where a "no" may be false, and
        CommitNotFoundError where an object is missing.
        """
        if self.is_shallow():
            raise ShallowCloneError("ancestry cannot be decided in a shallow clone; deepen it")
        status, _, problem = self._try("merge-base", "--is-ancestor", ancestor, descendant)
        if status == _OBJECT_MISSING:
            raise CommitNotFoundError(f"{ancestor} or {descendant} is not here: {problem}")
        return status == 0

    def relation(self, base: str, head: str) -> Relation:
        """How `base` lies to `head`. Deepens a shallow clone unless both are the same commit."""
        if base == head:
            return Relation.SAME
        if self.is_shallow():
            self.deepen()
        if not self.has_commit(base) and not self._fetched(base):
            return Relation.MISSING
        if self.is_ancestor(base, head):
            return Relation.ANCESTOR
        return Relation.DESCENDANT if self.is_ancestor(head, base) else Relation.DIVERGED

    def _fetched(self, commit: str) -> bool:
        """Ask the remote for a commit that is not here.

        It may be newer than this clone: another job's, which was quicker. No ref is moved.
        """
        if not self._remote:
            return False
        self._try("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", self._remote, commit)
        return self.has_commit(commit)

    # Content

    def _diff(self, base: str, head: str) -> Changes:
        """As `changes`, without sizes.

        Plumbing without renames: the same as `git diff -M100%` with each rename split in two, and
        deaf to diff settings of the user.
        """
        out = self.run(
            "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff",
            "--no-textconv", "--ignore-submodules=none", "--no-relative", "--end-of-options",
            base, head, "--",
        )  # fmt: skip
        return parse_diff(out)

    def changes(self, base: str, head: str) -> Changes:
        """What `head` has and `base` has not, and the other way round."""
        changes = self._diff(base, head)
        return Changes(tuple(self._with_sizes(changes.entries)), changes.removed)

    def _with_sizes(self, entries: tuple[TreeEntry, ...]) -> list[TreeEntry]:
        wanted = [entry.blob for entry in entries if entry.mode != SUBMODULE_MODE]
        listing = self.run(
            "cat-file", "--batch-check=%(objectsize)", stdin="\n".join([*wanted, ""]).encode()
        )
        lines = iter(listing.decode().splitlines())
        return [
            entry
            if entry.mode == SUBMODULE_MODE
            else replace(entry, size=blob_size(entry.blob, next(lines)))
            for entry in entries
        ]

    def selection_changed(self, base: str, head: str) -> bool:
        """Whether a file that selects files differs: `.codesearch.toml` or any `.gitattributes`."""
        changes = self._diff(base, head)
        paths = [*changes.removed, *(entry.path for entry in changes.entries)]
        return any(
            path == SELECTION_FILE or path.rpartition("/")[2] == ATTRIBUTES_FILE for path in paths
        )

    def tree(self, commit: str) -> list[TreeEntry]:
        """Every tracked file of `commit`, submodules included."""
        return parse_tree(self.run("ls-tree", "-r", "-z", "-l", "--full-tree", commit))

    def read(self, blob: str) -> bytes:
        """The content of a blob, through one process that stays open.

        Not GitPython's own reader: it takes object names of SHA-1 repositories only.
        """
        process = self._reader
        process.stdin.write(blob.encode() + b"\n")
        process.stdin.flush()
        header = process.stdout.readline().split()  # name, type, size; or name, "missing"
        if len(header) != 3 or header[1] != b"blob":
            raise GitError(f"the blob {blob} is missing from this clone; fetch it again")
        content: bytes = process.stdout.read(int(header[2]))
        process.stdout.read(1)  # the LF that ends an object
        return content

    @cached_property
    def _reader(self) -> git.Git.AutoInterrupt:
        return self._start("cat-file", "--batch")

    def read_path(self, commit: str, path: str) -> bytes | None:
        """The content of a regular file in a commit; None if there is none."""
        entries = parse_tree(self.run("ls-tree", "-z", "-l", "--full-tree", commit, "--", path))
        return self.read(entries[0].blob) if entries and entries[0].mode[:3] == "100" else None

    @cached_property
    def objects(self) -> Path:
        """The directory of objects, which work trees of one repository share."""
        return self.root / self._text("rev-parse", "--git-path", "objects")

    @cached_property
    def object_format(self) -> str:
        """`sha1` or `sha256`."""
        return self._text("rev-parse", "--show-object-format")

    # Running git

    def _text(self, *arguments: str) -> str:
        return self.run(*arguments).decode(errors="replace").strip()

    def run(self, *arguments: str, stdin: bytes = b"", **environment: str) -> bytes:
        """The output of a git command; a non-zero exit status is a GitError."""
        status, out, problem = self._try(*arguments, stdin=stdin, **environment)
        if status:
            raise GitError(f"git {arguments[0]} failed: {problem}")
        return out

    def _try(
        self, *arguments: str, stdin: bytes = b"", **environment: str
    ) -> tuple[int, bytes, str]:
        """Exit status, output and the last line of what git complained of."""
        process = self._start(*arguments, **environment)
        out, complaint = process.communicate(stdin)
        return process.returncode, out, explained(complaint.decode(errors="replace").strip())

    def _start(self, *arguments: str, **environment: str) -> git.Git.AutoInterrupt:
        command = ["git", "-c", "core.attributesFile=/dev/null", *arguments]
        try:
            return self._repo.git.execute(command, PIPE, as_process=True, env=environment)
        except GitCommandNotFound as exc:
            raise GitError("git is not installed, or not on the PATH") from exc
