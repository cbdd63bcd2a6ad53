"""Programs that a repository names, which leave a trace if they are run; and all that git does.

`ask_everything` issues each git command of a run, of `impact`, of a watcher and of its answers.
"""

from contextlib import suppress
from pathlib import Path

from aeterna_code_search.cli.overlay.line_map import EditedLines
from aeterna_code_search.cli.watch.snapshot import Snapshots
from indexer.errors import GitError
from indexer.git.attributes import attributes_at
from indexer.git.edits import branch_edits, diff_hunks
from indexer.git.history import newest_commits, read_commits
from indexer.git.local import WorkingCopy
from indexer.git.parse import SUBMODULE_MODE
from indexer.git.repository import Repository
from tests.indexer.repositories import Sandbox

MISSING = "0123456789012345678901234567890123456789"
MAIN = "refs/heads/main"
HOOKS = (
    "post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "post-rewrite",
    "fsmonitor-watchman", "pre-commit", "post-commit", "commit-msg", "prepare-commit-msg",
    "pre-receive", "update", "post-update", "post-merge", "pre-push", "sendemail-validate",
)  # fmt: skip


class Planted:
    """A program at `path`, with its name among hooks too; `traces` are what it was run as."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        self.hooks = directory / "hooks"
        self.hooks.mkdir()
        self._traces = directory / "traces"
        self.path = self._program(directory / "program")
        for hook in HOOKS:
            self._program(self.hooks / hook)

    @property
    def traces(self) -> str:
        return self._traces.read_text() if self._traces.exists() else ""

    def _program(self, path: Path) -> Path:
        path.write_text(f'#!/bin/sh\necho "$0 $*" >> {self._traces}\nexit 1\n')
        path.chmod(0o755)
        return path


def ask_everything(checkout: Sandbox, apart: Path, *, newer: str) -> None:
    """Every git command of the product, in a checkout with two commits or more, or a shallow one.

    `newer` is a commit that the remote has. Refusals of one command do not keep from the others.
    """
    head = checkout.git("rev-parse", "HEAD")
    repository = Repository(checkout.path)
    _ask_of_remote(repository, head, newer)
    (base, *_) = checkout.git("rev-list", "--max-parents=0", "HEAD").split()
    _ask_of_content(repository, base, head)
    repository.close()
    _ask_of_work_tree(checkout, apart, head)


def _ask_of_remote(repository: Repository, head: str, newer: str) -> None:
    for ask in (
        repository.name,
        repository.default_branch,
        lambda: repository.branch_head(MAIN),
        repository.unshallow,
        lambda: repository.ancestry(newer, head),
        lambda: repository.ancestry(MISSING, head),
        lambda: repository.was_removed_from_branch(head, newer, MAIN),
    ):
        with suppress(GitError):
            ask()


def _ask_of_content(repository: Repository, base: str, head: str) -> None:
    repository.commit("HEAD")
    repository.changes(base, head)
    repository.selection_changed(base, head)
    entries = repository.tree(head)
    for entry in entries:
        if entry.mode != SUBMODULE_MODE:
            repository.blobs.read(entry.blob)
    attributes_at(repository, head, [entry.path for entry in entries])
    repository.read_path(head, "a.py")
    branch_edits(repository, base, head)
    diff_hunks(repository, "a.py", base, head)
    with suppress(GitError):  # of a clone without trees
        newest = newest_commits(repository, head)
        list(read_commits(repository, newest, why_unread=lambda _: None))


def _ask_of_work_tree(checkout: Sandbox, apart: Path, head: str) -> None:
    snapshots = Snapshots(checkout.path, apart)
    snapshots.reset()
    snapshots.create()
    checkout.write({"a.py": "a = 'edited'\n", "new.py": "n = 1\n"})
    commit = snapshots.create()
    assert commit
    assert snapshots.changed_paths(head, commit)
    snapshots.repository.ignored(["a.py", "b.py"])
    lines = EditedLines(checkout.path, apart / "objects", head, commit)
    lines.is_mentioned(["edited"])
    lines.are_edited("a.py", 1, 1)
    snapshots.repository.close()
    local = WorkingCopy(checkout.path)
    local.tree(head)
    local.close()
