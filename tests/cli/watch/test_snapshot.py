"""The work tree as a commit: what is in it, and that the repository does not notice."""

import os
import shutil
from pathlib import Path

import pytest

from aeterna_code_search.cli.watch.snapshot import Snapshots
from indexer.errors import ConfigurationError
from tests.indexer.repositories import Sandbox


@pytest.fixture(params=["sha1", "sha256"])
def any_sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path / "checkout", f"--object-format={request.param}")


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "checkout")
    sandbox.commit("first", {"a.py": "a = 1\n", "b/c.py": "c = 1\n", "run.sh": "true\n"})
    return sandbox


@pytest.fixture
def snapshots(sandbox: Sandbox, tmp_path: Path) -> Snapshots:
    return Snapshots(sandbox.path, tmp_path / "watch")


def files(snapshots: Snapshots, commit: str | None) -> dict[str, bytes]:
    """Path → content of every file of a snapshot."""
    assert commit
    repository = snapshots.repository
    return {
        entry.path: repository.blobs.read(entry.blob)
        for entry in repository.tree(commit)
        if entry.mode != "160000"
    }


def state_of(directory: Path) -> dict[str, bytes | str]:
    """Everything below a directory, byte by byte."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


# The repository does not notice


def test_nothing_of_the_repository_changes(any_sandbox: Sandbox, tmp_path: Path) -> None:
    any_sandbox.commit("first", {"a.py": "a = 1\n", "gone.py": "", "staged.py": "s = 1\n"})
    any_sandbox.write({"a.py": "a = 2\n", "gone.py": None, "new.py": "n = 1\n", "staged.py": "s\n"})
    any_sandbox.git("add", "staged.py")
    status = any_sandbox.git("status", "--porcelain")
    before = state_of(any_sandbox.path / ".git")
    snapshots = Snapshots(any_sandbox.path, tmp_path / "watch")
    content = files(snapshots, snapshots.create())
    assert content == {"a.py": b"a = 2\n", "new.py": b"n = 1\n", "staged.py": b"s\n"}
    assert state_of(any_sandbox.path / ".git") == before
    assert any_sandbox.git("status", "--porcelain") == status
    assert any_sandbox.git("fsck", "--unreachable") == ""


def test_neither_hooks_nor_filters_run_and_nothing_is_signed(
    sandbox: Sandbox, snapshots: Snapshots, tmp_path: Path
) -> None:
    trap = f"touch {tmp_path}/sprung; cat"
    for name in ("pre-commit", "post-commit", "post-index-change", "reference-transaction"):
        hook = sandbox.path / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\n{trap}\n")
        hook.chmod(0o755)
    sandbox.write({".gitattributes": "*.bin filter=trap\n"})
    for key, value in {
        "filter.trap.clean": trap,
        "filter.trap.required": "true",
        "commit.gpgSign": "true",
        "gpg.program": "/bin/false",
    }.items():
        sandbox.git("config", key, value)
    sandbox.write({"x.bin": "raw", "a.py": "a = 2\n"})
    content = files(snapshots, snapshots.create())
    assert "x.bin" not in content
    assert content["a.py"] == b"a = 2\n"
    assert not (tmp_path / "sprung").exists()


def test_a_filter_that_is_configured_later_does_not_run_either(
    sandbox: Sandbox, snapshots: Snapshots, tmp_path: Path
) -> None:
    sandbox.write({".gitattributes": "*.bin filter=trap\n"})
    snapshots.create()
    sandbox.git("config", "filter.trap.clean", f"touch {tmp_path}/sprung; cat")
    sandbox.write({"x.bin": "raw", "a.py": "a = 2\n"})
    assert "x.bin" not in files(snapshots, snapshots.create())
    assert not (tmp_path / "sprung").exists()


def test_a_split_index_stays_as_it_is(sandbox: Sandbox, snapshots: Snapshots) -> None:
    sandbox.git("config", "core.splitIndex", "true")
    sandbox.git("update-index", "--split-index")
    before = state_of(sandbox.path / ".git")
    sandbox.write({"a.py": "a = 2\n"})
    assert files(snapshots, snapshots.create())["a.py"] == b"a = 2\n"
    assert state_of(sandbox.path / ".git") == before


# From one to the next


def test_a_clean_work_tree_is_its_own_commit(sandbox: Sandbox, snapshots: Snapshots) -> None:
    assert snapshots.create() == sandbox.git("rev-parse", "HEAD")


def test_each_snapshot_follows_the_last(sandbox: Sandbox, snapshots: Snapshots) -> None:
    head = snapshots.create()
    sandbox.write({"a.py": "a = 2\n"})
    first = snapshots.create()
    sandbox.write({"a.py": "a = 1\n"})
    second = snapshots.create()
    assert head
    assert first
    assert second
    assert snapshots.repository.is_ancestor(head, first)
    assert snapshots.repository.is_ancestor(first, second)
    assert snapshots.changed_paths(head, second) == frozenset()
    assert snapshots.changed_paths(head, first) == {"a.py"}


def test_an_unchanged_work_tree_gives_none(sandbox: Sandbox, snapshots: Snapshots) -> None:
    sandbox.write({"a.py": "a = 2\n"})
    assert snapshots.create()
    assert snapshots.create() is None
    os.utime(sandbox.path / "a.py")
    assert snapshots.create() is None
    sandbox.git("add", "--all")
    sandbox.git("commit", "--quiet", "-m", "what is indexed already")
    assert snapshots.create() is None


def test_what_could_not_be_taken_is_not_forgotten(sandbox: Sandbox, snapshots: Snapshots) -> None:
    sandbox.git("checkout", "--quiet", "-b", "wrong")
    sandbox.commit("wrong", {".codesearch.toml": "index = 1\n", "a.py": "a = 2\n"})
    sandbox.git("checkout", "--quiet", "main")
    snapshots.create()
    sandbox.git("checkout", "--quiet", "wrong")
    for _ in range(2):
        with pytest.raises(ConfigurationError):
            snapshots.create()


def test_a_branch_switch_is_a_change_of_files(sandbox: Sandbox, snapshots: Snapshots) -> None:
    sandbox.git("checkout", "--quiet", "-b", "other")
    sandbox.commit("other", {"a.py": "a = 3\n", "b/c.py": None, ".gitignore": "d.py\n"})
    sandbox.write({"d.py": "d = 1\n"})
    sandbox.git("add", "--force", "d.py")
    sandbox.git("commit", "--quiet", "-m", "tracked though ignored")
    before = snapshots.create()
    sandbox.git("checkout", "--quiet", "main")
    after = snapshots.create()
    assert before
    assert after
    assert snapshots.changed_paths(before, after) == {"a.py", "b/c.py", ".gitignore", "d.py"}
    sandbox.git("checkout", "--quiet", "other")
    assert files(snapshots, snapshots.create())["d.py"] == b"d = 1\n"


def test_the_same_size_and_time_hide_no_change(sandbox: Sandbox, snapshots: Snapshots) -> None:
    snapshots.create()
    for number in range(2, 9):  # faster than the clock of the file system
        sandbox.write({"a.py": f"a = {number}\n"})
        assert files(snapshots, snapshots.create())["a.py"] == f"a = {number}\n".encode()


def test_a_base_that_is_not_here_has_no_known_difference(snapshots: Snapshots) -> None:
    commit = snapshots.create()
    assert commit
    assert snapshots.changed_paths("0" * 40, commit) is None


def test_starting_over_forgets_what_was_kept(sandbox: Sandbox, snapshots: Snapshots) -> None:
    sandbox.write({"a.py": "a = 2\n"})
    old = snapshots.create()
    assert old
    snapshots.reset()
    assert not snapshots.repository.has_commit(old)
    assert files(snapshots, snapshots.create())["a.py"] == b"a = 2\n"


# What is in it


def test_ignored_files_are_left_out_also_when_they_become_so_later(
    sandbox: Sandbox, snapshots: Snapshots
) -> None:
    sandbox.write({".gitignore": "build/\n", "build/x.py": "", "secret.py": "s = 1\n"})
    assert "secret.py" in files(snapshots, snapshots.create())
    sandbox.write({".gitignore": "build/\nsecret.py\n"})
    assert files(snapshots, snapshots.create()).keys() == {".gitignore", "a.py", "b/c.py", "run.sh"}


def test_a_directory_may_say_later_that_all_of_it_is_ignored_itself_too(
    sandbox: Sandbox, snapshots: Snapshots
) -> None:
    """As virtual environments and caches do."""
    sandbox.write({"cache/x.py": "x = 1\n"})
    assert "cache/x.py" in files(snapshots, snapshots.create())
    sandbox.write({"cache/.gitignore": "*\n"})
    assert files(snapshots, snapshots.create()).keys() == {"a.py", "b/c.py", "run.sh"}
    assert snapshots.create() is None


def test_what_a_clone_alone_ignores_is_left_out_too(sandbox: Sandbox, snapshots: Snapshots) -> None:
    sandbox.write({"x.py": "x = 1\n"})
    assert "x.py" in files(snapshots, snapshots.create())
    (sandbox.path / ".git/info/exclude").write_text("x.py\n")
    assert "x.py" not in files(snapshots, snapshots.create())


def test_files_over_the_limit_are_left_out_with_what_was_committed_of_them(
    sandbox: Sandbox, snapshots: Snapshots
) -> None:
    sandbox.write({".codesearch.toml": "[index]\nmax_file_bytes = 100\n"})
    sandbox.write({"a.py": "#" * 101, "new.py": "#" * 101, "b/c.py": "#" * 100})
    content = files(snapshots, snapshots.create())
    assert content.keys() == {".codesearch.toml", "b/c.py", "run.sh"}
    sandbox.write({"a.py": "a = 2\n"})
    assert files(snapshots, snapshots.create())["a.py"] == b"a = 2\n"


def test_a_file_may_become_a_directory_and_a_directory_a_file(
    sandbox: Sandbox, snapshots: Snapshots
) -> None:
    sandbox.write({"a.py": None, "b/c.py": None})
    (sandbox.path / "b").rmdir()
    sandbox.write({"a.py/inner.py": "i = 1\n", "b": "b = 1\n"})
    content = files(snapshots, snapshots.create())
    assert content == {"a.py/inner.py": b"i = 1\n", "b": b"b = 1\n", "run.sh": b"true\n"}


def test_modes_and_links_are_taken_as_they_are(sandbox: Sandbox, snapshots: Snapshots) -> None:
    (sandbox.path / "run.sh").chmod(0o755)
    (sandbox.path / "link").symlink_to("nowhere")
    commit = snapshots.create()
    assert commit
    modes = {entry.path: entry.mode for entry in snapshots.repository.tree(commit)}
    assert modes["run.sh"] == "100755"
    assert modes["link"] == "120000"


def test_names_may_hold_anything(sandbox: Sandbox, snapshots: Snapshots) -> None:
    names = (b"new\nline.py", b"caf\xe9.py", b':(glob)*"q".py', "ünï code.py".encode())
    for name in names:
        (sandbox.path / os.fsdecode(name)).write_text("x = 1\n")
    commit = snapshots.create()
    assert commit
    listing = snapshots.repository.run("ls-tree", "-r", "-z", "--name-only", commit)
    assert set(names) <= set(listing.split(b"\0"))


def test_a_repository_inside_is_not_looked_into(sandbox: Sandbox, snapshots: Snapshots) -> None:
    Sandbox(sandbox.path / "nested").commit("of its own", {"n.py": "n = 1\n"})
    Sandbox(sandbox.path / "unborn").write({"u.py": "u = 1\n"})
    assert files(snapshots, snapshots.create()).keys() == {"a.py", "b/c.py", "run.sh"}


def test_a_submodule_is_taken_as_its_commit(
    sandbox: Sandbox, snapshots: Snapshots, tmp_path: Path
) -> None:
    part = Sandbox(tmp_path / "part")
    part.commit("part", {"p.py": "p = 1\n"})
    sandbox.git("submodule", "--quiet", "add", f"file://{part.path}", "part")
    sandbox.commit("with a part")
    before = snapshots.create()
    inner = object.__new__(Sandbox)
    inner.path = sandbox.path / "part"
    moved = inner.commit("moved on", {"p.py": "p = 2\n"})
    after = snapshots.create()
    assert before
    assert after
    assert snapshots.changed_paths(before, after) == {"part"}
    entries = {entry.path: entry.blob for entry in snapshots.repository.tree(after)}
    assert entries["part"] == moved


def test_a_conflict_is_taken_as_it_stands_in_the_file(
    sandbox: Sandbox, snapshots: Snapshots
) -> None:
    sandbox.git("checkout", "--quiet", "-b", "other")
    sandbox.commit("other", {"a.py": "a = 'other'\n", "run.sh": None})
    sandbox.git("checkout", "--quiet", "main")
    sandbox.commit("main", {"a.py": "a = 'main'\n", "run.sh": "false\n"})
    assert sandbox.try_git("merge", "--quiet", "other").returncode
    content = files(snapshots, snapshots.create())
    assert content["a.py"].startswith(b"<<<<<<<")
    assert sandbox.git("diff", "--name-only", "--diff-filter=U").split() == ["a.py", "run.sh"]


def test_a_repository_without_a_commit_has_a_work_tree(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "unborn")
    snapshots = Snapshots(sandbox.path, tmp_path / "watch")
    assert files(snapshots, snapshots.create()) == {}
    sandbox.write({"a.py": "a = 1\n"})
    sandbox.git("add", "--intent-to-add", "a.py")
    assert files(snapshots, snapshots.create()) == {"a.py": b"a = 1\n"}


@pytest.mark.parametrize("options", [("--depth=1",), ("--filter=blob:none", "--sparse")])
def test_a_sparse_or_cut_off_clone_is_taken_as_far_as_it_is_here(
    sandbox: Sandbox, tmp_path: Path, options: tuple[str, ...]
) -> None:
    clone = sandbox.clone_to(tmp_path / "clone", *options)
    clone.write({"a.py": "a = 2\n"})
    shutil.move(sandbox.path, tmp_path / "away")
    snapshots = Snapshots(clone.path, tmp_path / "watch")
    content = files(snapshots, snapshots.create())
    assert content["a.py"] == b"a = 2\n"
    assert ("b/c.py" in content) is ("--sparse" not in options)


def test_a_linked_work_tree_is_taken_with_its_own_index(sandbox: Sandbox, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    sandbox.git("worktree", "add", "--quiet", str(linked))
    (linked / "a.py").write_text("a = 'linked'\n")
    before = state_of(sandbox.path / ".git")
    snapshots = Snapshots(linked, tmp_path / "watch")
    assert files(snapshots, snapshots.create())["a.py"] == b"a = 'linked'\n"
    assert state_of(sandbox.path / ".git") == before


def test_line_ends_are_stored_as_git_would(sandbox: Sandbox, snapshots: Snapshots) -> None:
    sandbox.git("config", "core.autocrlf", "true")
    sandbox.git("config", "core.safecrlf", "true")
    sandbox.write({"a.py": "a = 1\r\n", "new.py": "mixed\r\nends\n"})
    content = files(snapshots, snapshots.create())
    assert content["a.py"] == b"a = 1\n"
    assert content["new.py"] == b"mixed\nends\n"


def test_a_file_that_git_cannot_take_leaves_out_no_other(
    sandbox: Sandbox, snapshots: Snapshots
) -> None:
    sandbox.write({".gitattributes": "bad.txt working-tree-encoding=UTF-16\n", "bad.txt": "odd"})
    os.mkfifo(sandbox.path / "pipe")
    sandbox.write({"a.py": None, "new.py": "n = 1\n"})
    os.mkfifo(sandbox.path / "a.py")
    content = files(snapshots, snapshots.create())
    assert content.keys() == {".gitattributes", "b/c.py", "new.py", "run.sh"}


def test_a_file_that_vanishes_while_it_is_taken_is_not_in_it(
    sandbox: Sandbox, snapshots: Snapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.write({"a.py": "a = 2\n", "passing.py": "p = 1\n"})
    listed = snapshots._differing

    def vanishing() -> list[bytes]:
        paths = listed()
        (sandbox.path / "passing.py").unlink()
        return paths

    monkeypatch.setattr(snapshots, "_differing", vanishing)
    assert files(snapshots, snapshots.create()).keys() == {"a.py", "b/c.py", "run.sh"}
