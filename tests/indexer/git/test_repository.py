"""Every row of the git table, with real repositories."""

import shutil
from pathlib import Path

import pytest

from indexer.errors import CommitNotFoundError, GitError, NotARepositoryError, ShallowCloneError
from indexer.git.parse import storable_path
from indexer.git.repository import Repository
from indexer.records.files import SkipReason
from indexer.records.runs import Ancestry
from tests.indexer.repositories import Sandbox

MISSING = "0123456789012345678901234567890123456789"


@pytest.fixture
def origin(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path / "origin")


def history(origin: Sandbox) -> tuple[str, str, str]:
    """Base ← head, and a side commit that forks from base."""
    base = origin.commit("base", {"a.py": "a = 1\n"})
    origin.git("checkout", "--quiet", "-b", "side")
    side = origin.commit("side", {"side.py": "s = 1\n"})
    origin.git("checkout", "--quiet", "main")
    return base, origin.commit("head", {"b.py": "b = 1\n"}), side


# Ancestry


def test_the_relations_of_two_commits(origin: Sandbox) -> None:
    base, head, side = history(origin)
    repository = Repository(origin.path)
    assert repository.ancestry(head, head) is Ancestry.SAME
    assert repository.ancestry(base, head) is Ancestry.ANCESTOR
    assert repository.ancestry(head, base) is Ancestry.DESCENDANT
    assert repository.ancestry(side, head) is Ancestry.DIVERGED
    assert repository.ancestry(MISSING, head) is Ancestry.MISSING


def test_a_missing_object_is_an_error_to_is_ancestor_and_not_a_no(origin: Sandbox) -> None:
    _, head, _ = history(origin)
    with pytest.raises(CommitNotFoundError):
        Repository(origin.path).is_ancestor(MISSING, head)


def test_a_shallow_clone_is_never_asked_for_ancestry(origin: Sandbox, tmp_path: Path) -> None:
    base, _, _ = history(origin)
    head = origin.commit("later", {"c.py": "c = 1\n"})
    clone = origin.clone_to(tmp_path / "clone", "--depth=1")
    clone.git("fetch", "--quiet", "--depth=1", "origin", base)  # the row of the false "diverged"
    repository = Repository(clone.path)
    assert repository.is_shallow()
    assert repository.has_commit(base)
    with pytest.raises(ShallowCloneError):
        repository.is_ancestor(base, head)


def test_a_shallow_clone_is_deepened_where_that_is_possible(
    origin: Sandbox, tmp_path: Path
) -> None:
    base, head, _ = history(origin)
    clone = origin.clone_to(tmp_path / "clone", "--depth=1")
    assert Repository(clone.path).ancestry(base, head) is Ancestry.ANCESTOR
    assert not Repository(clone.path).is_shallow()


@pytest.mark.parametrize("remote", ["gone", "none"])
def test_a_shallow_clone_that_cannot_be_deepened_says_which_line_to_change(
    origin: Sandbox, tmp_path: Path, remote: str
) -> None:
    base, head, _ = history(origin)
    clone = origin.clone_to(tmp_path / "clone", "--depth=1")
    if remote == "gone":
        shutil.rmtree(origin.path)
    else:
        clone.git("remote", "remove", "origin")
    with pytest.raises(ShallowCloneError, match="fetch-depth: 0"):
        Repository(clone.path).ancestry(base, head)


def test_a_newer_commit_than_the_clone_is_fetched_and_moves_no_ref(
    origin: Sandbox, tmp_path: Path
) -> None:
    _, head, _ = history(origin)
    clone = origin.clone_to(tmp_path / "clone")
    refs = clone.git("show-ref")
    newer = origin.commit("newer", {"n.py": "n = 1\n"})
    repository = Repository(clone.path)
    assert repository.ancestry(newer, head) is Ancestry.DESCENDANT
    assert repository.ancestry(MISSING, head) is Ancestry.MISSING
    assert clone.git("show-ref") == refs


def test_the_same_commit_needs_no_history(origin: Sandbox, tmp_path: Path) -> None:
    _, head, _ = history(origin)
    clone = origin.clone_to(tmp_path / "clone", "--depth=1")
    shutil.rmtree(origin.path)
    assert Repository(clone.path).ancestry(head, head) is Ancestry.SAME


@pytest.mark.parametrize("remote", ["there", "gone"])
def test_a_blobless_clone_gives_right_answers(origin: Sandbox, tmp_path: Path, remote: str) -> None:
    base, head, side = history(origin)
    clone = origin.clone_to(tmp_path / "clone", "--filter=blob:none")
    if remote == "gone":  # the checkout fetched head's blobs, and the diff needs no older ones
        shutil.rmtree(origin.path)
    repository = Repository(clone.path)
    assert repository.ancestry(base, head) is Ancestry.ANCESTOR
    assert repository.ancestry(side, head) is Ancestry.DIVERGED
    (entry,) = repository.changes(base, head).entries
    assert (entry.path, entry.size) == ("b.py", 6)
    assert repository.blobs.read(entry.blob) == b"b = 1\n"


def test_a_bare_blobless_clone_fetches_what_it_is_asked_for(
    origin: Sandbox, tmp_path: Path
) -> None:
    _, head, _ = history(origin)
    clone = origin.clone_to(tmp_path / "clone", "--filter=blob:none", "--bare")
    repository = Repository(clone.path)
    assert [(entry.path, entry.size) for entry in repository.tree(head)] == [
        ("a.py", 6),
        ("b.py", 6),
    ]
    assert repository.read_path(head, "a.py") == b"a = 1\n"


def test_existence_is_not_ancestry(origin: Sandbox, tmp_path: Path) -> None:
    """A commit that was force-pushed away may still be here, or come by lazy fetch."""
    base, head, _ = history(origin)
    clone = origin.clone_to(tmp_path / "clone", "--filter=blob:none")
    origin.git("reset", "--quiet", "--hard", base)
    rewritten = origin.commit("rewritten", {"z.py": "z = 1\n"})
    clone.git("fetch", "--quiet", "origin")
    repository = Repository(clone.path)
    assert repository.has_commit(head)
    assert repository.ancestry(head, rewritten) is Ancestry.DIVERGED


# Changes and trees


def test_each_kind_of_change_is_an_entry_or_a_removal(origin: Sandbox) -> None:
    base = origin.commit(
        "base",
        {"kept": "k\n", "changed": "1\n", "gone": "g\n", "moved": "m\n", "run": "r\n", "link": "l"},
    )
    origin.write({"changed": "2\n", "gone": None, "added": "a\n", "link": None})
    origin.git("mv", "moved", "dir-moved")
    (origin.path / "run").chmod(0o755)
    (origin.path / "link").symlink_to("kept")
    head = origin.commit("head")
    changes = Repository(origin.path).changes(base, head)
    assert {entry.path: entry.mode for entry in changes.entries} == {
        "added": "100644",
        "changed": "100644",
        "dir-moved": "100644",
        "link": "120000",
        "run": "100755",
    }
    assert set(changes.removed) == {"gone", "moved"}
    assert {entry.size for entry in changes.entries if entry.path == "changed"} == {2}


def test_a_submodule_is_listed_without_a_size(origin: Sandbox, tmp_path: Path) -> None:
    inner = Sandbox(tmp_path / "inner")
    commit = inner.commit("inner", {"x": "x"})
    base = origin.commit("base", {"a": "a"})
    origin.git("submodule", "--quiet", "add", str(inner.path), "lib")
    origin.git("config", "-f", ".gitmodules", "submodule.lib.ignore", "all")
    head = origin.commit("head")
    repository = Repository(origin.path)
    tree = {entry.path: entry for entry in repository.tree(head)}
    changed = {entry.path: entry for entry in repository.changes(base, head).entries}
    for entries in (tree, changed):
        assert (entries["lib"].mode, entries["lib"].blob, entries["lib"].size) == (
            "160000",
            commit,
            0,
        )


def test_strange_paths_come_through_and_unstorable_ones_get_a_stand_in(origin: Sandbox) -> None:
    deep = "/".join(["d" * 200] * 6) + "/ä.py"
    blob = origin.git("hash-object", "-w", "--stdin", stdin=b"x\n")
    names = [b"new\nline.py", b'q"uote\t.py', "ü.py".encode(), b"bad\xff.py"]
    index = b"".join(b"100644 %s\t%s\0" % (blob.encode(), name) for name in [*names, deep.encode()])
    origin.git("update-index", "-z", "--index-info", stdin=index)
    origin.git("commit", "--quiet", "-m", "strange")
    head = origin.git("rev-parse", "HEAD")
    entries = {entry.path: entry for entry in Repository(origin.path).tree(head)}
    cut = next(path for path in entries if path.startswith("ddd"))
    bad = storable_path(b"bad\xff.py")[0]
    assert {path: entry.skipped for path, entry in entries.items()} == {
        "new\nline.py": None,
        'q"uote\t.py': None,
        "ü.py": None,
        bad: SkipReason.PATH_NOT_UTF8,
        cut: SkipReason.PATH_TOO_LONG,
    }
    assert len(cut.encode()) == 900 + len("…".encode()) + 16
    origin.git("rm", "--quiet", "--cached", "-r", ".")
    origin.git("commit", "--quiet", "-m", "empty")
    assert set(Repository(origin.path).changes(head, "HEAD").removed) == set(entries)


def test_a_users_configuration_changes_nothing(origin: Sandbox) -> None:
    base = origin.commit("base", {"dir/old.py": "x = 1\n" * 9, "dir/ü": "1", ".gitattributes": ""})
    origin.git("mv", "dir/old.py", "dir/new.py")
    head = origin.commit("head", {"dir/ü": "2", ".gitattributes": "* diff=upper\n"})
    plain = Repository(origin.path).changes(base, head), Repository(origin.path).tree(head)
    for name, value in {
        "diff.noprefix": "true",
        "diff.renames": "copies",
        "diff.external": "false",
        "diff.upper.textconv": "false",
        "diff.upper.command": "false",
        "diff.relative": "true",
        "diff.ignoreSubmodules": "all",
        "diff.orderFile": "order",
        "core.quotePath": "false",
        "core.abbrev": "5",
        "color.ui": "always",
        "core.pager": "false",
    }.items():
        origin.git("config", name, value)
    inside = Repository(origin.path / "dir")
    assert (inside.changes(base, head), inside.tree(head)) == plain


def test_no_program_of_the_checkouts_configuration_is_run(origin: Sandbox, tmp_path: Path) -> None:
    base, head, _ = history(origin)
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "diff.external", "core.editor"):
        origin.git("config", name, str(program))
    repository = Repository(origin.path)
    repository.changes(base, head)
    repository.tree(head)
    repository.ancestry(base, head)
    repository.selection_changed(base, head)
    assert not ran.exists()


def test_local_edits_change_nothing(origin: Sandbox) -> None:
    head = origin.commit("head", {"a.py": "a = 1\n"})
    origin.write({"a.py": "edited\n", "new.py": "n"})
    repository = Repository(origin.path)
    assert [entry.size for entry in repository.tree(head)] == [6]
    assert repository.read_path(head, "a.py") == b"a = 1\n"


def test_a_replaced_object_is_read_as_it_was_committed(origin: Sandbox) -> None:
    base, head, side = history(origin)
    origin.git("replace", head, side)
    assert Repository(origin.path).ancestry(base, head) is Ancestry.ANCESTOR
    assert {entry.path for entry in Repository(origin.path).tree(head)} == {"a.py", "b.py"}


def test_sha256_repositories_work(tmp_path: Path) -> None:
    origin = Sandbox(tmp_path / "sha256", "--object-format=sha256")
    base, head, side = history(origin)
    repository = Repository(origin.path)
    (entry,) = repository.changes(base, head).entries
    assert len(entry.blob) == len(head) == 64
    assert repository.blobs.read(entry.blob) == b"b = 1\n"
    assert repository.ancestry(side, head) is Ancestry.DIVERGED


def test_big_and_empty_blobs_are_read_one_after_the_other(origin: Sandbox) -> None:
    big = bytes(range(256)) * 20_000
    head = origin.commit("head", {"big": big, "empty": b"", "small": b"s\n"})
    repository = Repository(origin.path)
    assert [repository.blobs.read(entry.blob) for entry in repository.tree(head)] == [
        big,
        b"",
        b"s\n",
    ]
    with pytest.raises(GitError, match="missing"):
        repository.blobs.read(MISSING)
    assert repository.read_path(head, "small") == b"s\n"
    assert repository.read_path(head, "none") is None


# Refs and remotes


def test_refs_and_tips_of_a_clone(origin: Sandbox, tmp_path: Path) -> None:
    _, head, side = history(origin)
    clone = origin.clone_to(tmp_path / "clone")
    clone.git("checkout", "--quiet", "-b", "work")
    repository = Repository(clone.path)
    assert repository.head_ref() == "refs/heads/work"
    assert repository.default_branch() == "refs/heads/main"
    assert repository.branch_head("refs/heads/main") == head
    assert repository.branch_head("refs/heads/side") == side
    assert repository.branch_head("refs/heads/work") is None  # the remote's word counts
    later = origin.commit("later")
    assert repository.branch_head("refs/heads/main") == later
    assert repository.web_url() is None


def test_neither_a_clones_folder_nor_a_linked_work_trees_names_the_repository(
    origin: Sandbox, tmp_path: Path
) -> None:
    history(origin)
    assert Repository(origin.clone_to(tmp_path / "w").path).name() == origin.path.name
    origin.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "side")
    assert Repository(tmp_path / "linked").name() == origin.path.name


def test_a_clone_that_does_not_know_the_default_branch_asks_the_remote(
    origin: Sandbox, tmp_path: Path
) -> None:
    history(origin)
    clone = origin.clone_to(tmp_path / "clone")
    clone.git("remote", "set-head", "origin", "--delete")  # as actions/checkout leaves it
    clone.git("checkout", "--quiet", "side")
    repository = Repository(clone.path)
    assert repository.default_branch() == "refs/heads/main"
    origin.git("checkout", "--quiet", "--detach")
    assert repository.default_branch() is None
    clone.git("remote", "set-url", "origin", str(tmp_path / "nowhere"))
    assert repository.default_branch() is None


def test_without_a_remote_the_local_branch_is_default_and_tip(origin: Sandbox) -> None:
    _, head, _ = history(origin)
    repository = Repository(origin.path)
    assert repository.default_branch() == "refs/heads/main"
    assert repository.branch_head("refs/heads/main") == head
    assert repository.branch_head("refs/heads/none") is None
    origin.git("checkout", "--quiet", "--detach")
    assert Repository(origin.path).head_ref() is None


def test_an_unreachable_remote_is_an_error_and_not_an_answer(origin: Sandbox) -> None:
    history(origin)
    origin.git("remote", "add", "origin", "/nowhere")
    with pytest.raises(GitError, match="ls-remote"):
        Repository(origin.path).branch_head("refs/heads/main")


def test_unknown_revisions_and_directories_are_named(origin: Sandbox, tmp_path: Path) -> None:
    head = origin.commit("head", {"dir/a": "a"})
    repository = Repository(origin.path / "dir")
    assert repository.commit("HEAD") == repository.commit("main") == head
    with pytest.raises(CommitNotFoundError, match="nope"):
        repository.commit("nope")
    with pytest.raises(CommitNotFoundError):
        repository.commit("--all")
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(NotARepositoryError, match="--path"):
            Repository(path)


def test_a_distrusted_directory_says_what_to_run(
    origin: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(GitError, match=r"safe\.directory"):
        Repository(origin.path)


def test_a_branch_that_was_moved_has_left_the_old_commit(origin: Sandbox, tmp_path: Path) -> None:
    origin.commit("root")
    old = origin.commit("old", {"a": "1"})
    clone = origin.clone_to(tmp_path / "clone")
    origin.git("reset", "--quiet", "--hard", "HEAD~1")
    moved = origin.commit("moved", {"a": "2"})
    later = origin.commit("later", {"a": "3"})
    repository = Repository(clone.path)
    main = "refs/heads/main"
    assert repository.ancestry(moved, old) is Ancestry.DIVERGED
    assert repository.was_removed_from_branch(old, moved, main)  # the tip is after what is indexed
    assert repository.was_removed_from_branch(old, later, main)  # the tip is what is indexed
    assert not repository.was_removed_from_branch(later, old, main)  # the job is the tip
    assert not repository.was_removed_from_branch(
        moved, old, main
    )  # the branch does not hold what is indexed
    assert not repository.was_removed_from_branch(old, moved, "refs/heads/gone")
    clone.git("remote", "set-url", "origin", str(tmp_path / "nowhere"))
    assert not repository.was_removed_from_branch(old, later, main)
