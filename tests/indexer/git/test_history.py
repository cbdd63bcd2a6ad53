"""Records of commits of real repositories; test_commit_text.py has their texts."""

import os
from pathlib import Path

import pytest

from indexer.errors import CommitNotFoundError, GitError
from indexer.git import history
from indexer.git.history import newest_commits, read_commits
from indexer.git.repository import Repository
from indexer.records.history import (
    BLOB_DIGITS,
    BODY_CHARACTERS,
    COMMIT_PARENTS,
    COMMIT_PATHS,
    LAST_SECOND,
    ChangeStatus,
    Commit,
    PathChange,
    Unread,
)
from tests.indexer.git.written_commits import write_commit, write_tree
from tests.indexer.planted import MISSING
from tests.indexer.repositories import Sandbox

TEXT = "".join(f"line {n}\n" for n in range(40))
DAY = 86_400


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path / "shop")


def read(sandbox: Sandbox, *commits: str) -> list[Commit]:
    return list(read_commits(Repository(sandbox.path), commits))


def read_lines(sandbox: Sandbox, *commits: str) -> list[Commit]:
    return list(read_commits(Repository(sandbox.path), commits, why_unread=lambda _: None))


def blob(sandbox: Sandbox, text: str) -> str:
    return sandbox.git("hash-object", "--stdin", stdin=text.encode())[:BLOB_DIGITS]


def changes(commit: Commit) -> list[str]:
    """As `M a.py`, `R old.py new.py`."""
    return [
        " ".join(filter(None, (change.status.value, change.old_path, change.path)))
        for change in commit.changes
    ]


def changes_of(sandbox: Sandbox, *commits: str) -> list[list[str]]:
    return [changes(commit) for commit in read(sandbox, *commits)]


# Records


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_commits_are_told_in_the_order_given(tmp_path: Path, object_format: str) -> None:
    sandbox = Sandbox(tmp_path / "shop", f"--object-format={object_format}")
    root = write_commit(sandbox, {"a.py": "1", "b.py": "1"}, message=b"First\n\nIts body.\n")
    head = write_commit(sandbox, {"a.py": "2", "c.py": "3"}, root, date="86400 -0800")
    first = Commit(
        sha=root,
        parents=(),
        authored_at=12,
        committed_at=12,
        author="ada@example.com",
        subject="First",
        body="Its body.",
        reverts=(),
        changes=(
            PathChange("a.py", ChangeStatus.ADDED, blob=blob(sandbox, "1"), unread=Unread.OFF),
            PathChange("b.py", ChangeStatus.ADDED, blob=blob(sandbox, "1"), unread=Unread.OFF),
        ),
        changed=2,
    )
    second = Commit(
        sha=head,
        parents=(root,),
        authored_at=DAY,
        committed_at=DAY,
        author="ada@example.com",
        subject="message",
        body="",
        reverts=(),
        changes=(
            PathChange("a.py", ChangeStatus.MODIFIED, blob=blob(sandbox, "2"), unread=Unread.OFF),
            PathChange("b.py", ChangeStatus.DELETED, unread=Unread.OFF),
            PathChange("c.py", ChangeStatus.ADDED, blob=blob(sandbox, "3"), unread=Unread.OFF),
        ),
        changed=3,
    )
    assert read(sandbox, head, root) == [second, first]
    assert read(sandbox, root, head, root) == [first, second, first]
    assert read(sandbox) == []


def test_a_rename_has_its_old_path_and_a_copy_is_new(sandbox: Sandbox) -> None:
    other = TEXT.replace("line", "row")
    base = write_commit(sandbox, {"a": TEXT, "b": other, "c": TEXT + "c"})
    moved = write_commit(sandbox, {"a2": TEXT, "b2": other + "edited\n", "c": TEXT + "c"}, base)
    copied = write_commit(sandbox, {"a2": TEXT, "b2": other, "c": TEXT + "c", "d": TEXT}, moved)
    assert changes_of(sandbox, moved, copied) == [["R a a2", "R b b2"], ["M b2", "A d"]]
    [record, _] = read(sandbox, moved, copied)
    assert record.changes[0] == PathChange(
        "a2", ChangeStatus.RENAMED, "a", blob=blob(sandbox, TEXT), unread=None
    )


def test_more_renames_than_git_compares_are_told_by_name_and_content(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_RENAMES", ("--root", "--find-renames=50%", "-l1"))
    base = write_commit(sandbox, {"a": TEXT, "b.py": TEXT + "b\n" * 9, "c.py": TEXT + "c\n" * 9})
    head = write_commit(
        sandbox, {"x": TEXT, "y": TEXT + "b\n" * 9 + "y", "z": TEXT + "c\n" * 9 + "z"}, base
    )
    assert changes_of(sandbox, head) == [["D b.py", "D c.py", "R a x", "A y", "A z"]]


def test_links_modes_and_submodules_are_changes_like_others(sandbox: Sandbox) -> None:
    base = sandbox.commit("base", {"a.py": TEXT, "run": TEXT, "same": TEXT})
    (sandbox.path / "a.py").unlink()
    (sandbox.path / "a.py").symlink_to("same")
    sandbox.git("add", "a.py")
    sandbox.git("update-index", "--chmod=+x", "run")
    sandbox.git("update-index", "--add", "--cacheinfo", f"160000,{base},module")
    sandbox.git("commit", "--quiet", "-m", "odd")
    odd = sandbox.git("rev-parse", "HEAD")
    sandbox.git("update-index", "--cacheinfo", f"160000,{odd},module")
    sandbox.git("commit", "--quiet", "-m", "module")
    newer = sandbox.git("rev-parse", "HEAD")
    sandbox.git("update-index", "--force-remove", "module")
    sandbox.git("commit", "--quiet", "-m", "gone")
    gone = sandbox.git("rev-parse", "HEAD")
    assert changes_of(sandbox, odd, newer, gone) == [
        ["T a.py", "A module", "M run"], ["M module"], ["D module"],
    ]  # fmt: skip


def test_an_empty_commit_changes_nothing_and_an_empty_root_neither(sandbox: Sandbox) -> None:
    root = write_commit(sandbox)
    head = write_commit(sandbox, {}, root, message=b"")
    records = read(sandbox, root, head)
    assert [(record.changes, record.changed) for record in records] == [((), 0), ((), 0)]
    assert [record.subject for record in records] == ["message", ""]


@pytest.mark.parametrize(
    ("date", "seconds"),
    [("-1 +0000", 0), ("never", 0), ("253402300800 +0000", LAST_SECOND), ("9 +99999999999", 9)],
)
def test_a_broken_date_is_clamped_and_keeps_no_other_commit_from_being_read(
    sandbox: Sandbox, date: str, seconds: int
) -> None:
    broken = write_commit(sandbox, {"a": "1"}, date=date)
    head = write_commit(sandbox, {"a": "2"}, broken)
    first, second = read(sandbox, broken, head)
    assert (first.authored_at, first.committed_at) == (seconds, seconds)
    assert (second.authored_at, second.committed_at) == (12, 12)


# Merges


def test_a_merge_tells_what_it_has_of_none_of_its_parents(sandbox: Sandbox) -> None:
    base = write_commit(sandbox, {"a": "1", "b": "1", "gone": "1", "same": "1"})
    left = write_commit(sandbox, {"a": "2", "b": "1", "gone": "1", "same": "1"}, base)
    right = write_commit(sandbox, {"a": "1", "b": "2", "gone": "1", "same": "1"}, base)
    clean = write_commit(sandbox, {"a": "2", "b": "2", "gone": "1", "same": "1"}, left, right)
    evil = write_commit(sandbox, {"a": "3", "b": "2", "new": "1", "same": "1"}, left, right)
    linear = write_commit(sandbox, {"a": "3", "b": "2", "new": "1"}, evil)
    assert changes_of(sandbox, linear, evil, clean) == [
        ["D same"], ["M a", "D gone", "A new"], [],
    ]  # fmt: skip


def test_a_merge_that_removes_what_a_parent_had_copied_removes_it(sandbox: Sandbox) -> None:
    """With renames, git lists nothing: it takes the copy for a rename since the other parent."""
    base = write_commit(sandbox, {"a": TEXT})
    copied = write_commit(sandbox, {"a": TEXT, "b": TEXT}, base)
    other = write_commit(sandbox, {"a": TEXT, "c": "c"}, base)
    merge = write_commit(sandbox, {"b": TEXT, "c": "c"}, copied, other)
    assert changes_of(sandbox, merge) == [["D a"]]


def test_a_merge_that_makes_a_link_of_every_parents_file_changes_its_type(
    sandbox: Sandbox,
) -> None:
    base = sandbox.commit("base", {"a": "1", "b": "1"})
    left = sandbox.commit("left", {"a": "2"})
    for name in ("a", "b"):
        (sandbox.path / name).unlink()
        (sandbox.path / name).symlink_to("target")
    sandbox.git("add", "--all")
    linked = sandbox.git("write-tree")
    merge = sandbox.git("commit-tree", "-p", left, "-p", base, "-m", "merge", linked)
    both = sandbox.git("commit-tree", "-p", merge, "-p", base, "-m", "again", linked)
    assert changes_of(sandbox, merge, both) == [["T a", "T b"], []]


def test_an_octopus_is_compared_with_all_parents_up_to_a_number(sandbox: Sandbox) -> None:
    same = write_tree(sandbox, {"a": "0"})
    parents = [sandbox.git("commit-tree", "-m", f"{n}", same) for n in range(COMMIT_PARENTS + 1)]
    three, most, more = (
        write_commit(sandbox, {"a": "1", "b": "1"}, *parents[:count])
        for count in (3, COMMIT_PARENTS, COMMIT_PARENTS + 1)
    )
    following = write_commit(sandbox, {"a": "1"}, more)
    records = read(sandbox, more, following, most, three)
    assert [changes(record) for record in records] == [
        [], ["D b"], ["M a", "A b"], ["M a", "A b"],
    ]  # fmt: skip
    assert records[0].parents == records[2].parents == tuple(parents[:COMMIT_PARENTS])


# Paths, and numbers of them


def test_any_path_is_told_and_what_cannot_be_stored_by_the_name_in_the_index(
    sandbox: Sandbox,
) -> None:
    names = ["a b", 'quo"te', "new\nline", "tab\t", "ä", "*", "-x", ":(top)", ":100644 100644 a",
             "d/" + "0" * 40]  # fmt: skip
    every = [*names, os.fsdecode(b"\xff.py"), "/".join(["long" * 50] * 6)]
    base = sandbox.commit("base", dict.fromkeys(every, "1"))
    head = sandbox.commit("head", dict.fromkeys(every, "2"))
    moved = sandbox.commit("moved", {os.fsdecode(b"\xff.py"): None, "ok.py": "2"})
    repository = Repository(sandbox.path)
    indexed = sorted(entry.path for entry in repository.tree(head))
    added, modified, renamed = read_commits(repository, [base, head, moved])
    assert [change.path for change in added.changes] == indexed
    assert [change.path for change in modified.changes] == indexed
    assert set(names) < set(indexed)
    [stand_in] = [path for path in indexed if path.startswith('"')]
    [change] = renamed.changes
    assert (change.path, change.status, change.old_path) == ("ok.py", "R", stand_in)


def test_of_many_paths_the_first_are_told_and_all_are_counted(sandbox: Sandbox) -> None:
    names = [f"{n:05}" for n in range(20_000)]
    many = write_commit(sandbox, dict.fromkeys(names, "1"))
    none = write_commit(sandbox, {}, many)
    for record, status in zip(read(sandbox, many, none), "AD", strict=True):
        assert changes(record) == [f"{status} {name}" for name in names[:COMMIT_PATHS]]
        assert record.changed == 20_000


def test_a_path_that_a_tree_has_twice_is_told_once(sandbox: Sandbox) -> None:
    blob = bytes.fromhex(sandbox.git("hash-object", "-w", "--stdin", stdin=b"1"))
    twice = sandbox.git(
        "hash-object", "-t", "tree", "-w", "--literally", "--stdin",
        stdin=(b"100644 a\0" + blob) * 2 + b"100644 ..\0" + blob,
    )  # fmt: skip
    head = sandbox.git("commit-tree", "-m", "twice", twice)
    [record] = read_lines(sandbox, head)
    assert [(change.hunks, change.unread) for change in record.changes] == [
        ("", Unread.WITHHELD), ("@@ -0,0 +1 @@\n+1\n", None),
    ]  # fmt: skip
    assert [change.path.partition("…")[0] for change in record.changes] == ['".."', "a"]


@pytest.mark.parametrize("size", [-1, 0, 1, 3_000_000])
def test_of_a_huge_commit_the_beginning_is_read_and_the_next_one_is_whole(
    sandbox: Sandbox, size: int
) -> None:
    start = len(sandbox.git("cat-file", "commit", write_commit(sandbox, {}, message=b"x"))) - 1
    message = b"subject\n\n" + b"y" * (history.COMMIT_BYTES - start - 9 + size)
    huge = write_commit(sandbox, {"a": "1"}, message=message)
    following = write_commit(sandbox, {"a": "2"}, huge, message=b"after")
    first, second = read(sandbox, huge, following)
    assert (first.subject, first.body, changes(first)) == (
        "subject", "y" * BODY_CHARACTERS, ["A a"],
    )  # fmt: skip
    assert (second.subject, changes(second)) == ("after", ["M a"])


# What must not matter


def test_neither_settings_nor_files_beside_the_commits_change_a_record(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = TEXT.replace("line", "row")
    files: dict[str, str | bytes | None] = {"a": TEXT, "b": TEXT + "b", "c": row, "ä": TEXT + "c"}
    base = sandbox.commit("base", files)
    sandbox.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--quiet", "--allow-empty",
                "-F", "-", stdin="Prüfe".encode("latin-1"))  # fmt: skip
    latin = sandbox.git("rev-parse", "HEAD")
    gone = dict.fromkeys("abc")
    moved = sandbox.commit("moved", {**gone, "a2": TEXT, "z": TEXT + "bz\n", "y": row + "y"})
    left = sandbox.commit("left", {"ä": "1"})
    merge = sandbox.git(
        "commit-tree", "-p", left, "-p", moved, "-m", "merge", sandbox.git("rev-parse", f"{base}:")
    )
    commits = [base, latin, moved, left, merge]
    plain = read_lines(sandbox, *commits)
    assert plain[1].subject == "Prüfe"
    assert changes(plain[2]) == ["R a a2", "R c y", "R b z"]
    assert [change.hunks for change in plain[2].changes][1:] == [
        "@@ -40,0 +41 @@\n+y\n", "@@ -41 +41 @@\n-b\n+bz\n",
    ]  # fmt: skip
    assert all(change.hunks for change in plain[4].changes)

    users = tmp_path / "gitconfig"
    for name, value in {
        "diff.algorithm": "histogram", "diff.indentHeuristic": "false", "diff.context": "9",
        "diff.interHunkContext": "9", "diff.mnemonicPrefix": "true", "diff.colorMoved": "zebra",
        "diff.mine.xfuncname": "line", "diff.submodule": "log", "diff.suppressBlankEmpty": "true",
        "diff.wsErrorHighlight": "all", "core.bigFileThreshold": "1",
        "core.whitespace": "cr-at-eol",
        "diff.renames": "false", "diff.renameLimit": "1", "diff.noprefix": "true",
        "diff.orderFile": "order", "diff.external": "false", "diff.mine.textconv": "false",
        "diff.mine.command": "false", "diff.mine.binary": "true", "diff.relative": "true",
        "diff.ignoreSubmodules": "all", "core.quotePath": "true", "core.abbrev": "5",
        "color.ui": "always", "log.showSignature": "true", "log.showRoot": "false",
        "log.mailmap": "true", "log.date": "relative", "log.follow": "true",
        "log.diffMerges": "separate", "i18n.logOutputEncoding": "UTF-16", "format.pretty": "email",
        "i18n.commitEncoding": "EUC-JP", "notes.displayRef": "*", "core.commentChar": "M",
    }.items():  # fmt: skip
        sandbox.git("config", name, value)
        sandbox.git("config", "--file", str(users), name, value)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(users))
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=9")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    sandbox.git("notes", "add", "-m", "a note", base)
    sandbox.git("replace", moved, base)
    sandbox.write({
        ".gitattributes": "* diff=mine\n", ".git/info/attributes": "* -diff\n", "order": "z\na2\n",
        ".mailmap": "Eve <eve@example.com> <ada@example.com>\n", ".git/info/grafts": f"{left}\n",
    })  # fmt: skip
    assert read_lines(sandbox, *commits) == plain
    assert newest_commits(Repository(sandbox.path), left) == [left, moved, latin, base]


# Clones


def test_a_clone_without_blobs_is_read_without_its_remote_and_has_exact_renames(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    base = sandbox.commit("base", {"a": TEXT, "b": TEXT + "b\n"})
    moved = sandbox.commit("moved", {"a": None, "a2": TEXT, "b": None, "b2": TEXT + "b\nb\n"})
    merge = sandbox.git(
        "commit-tree", "-p", moved, "-p", base, "-m", "m", sandbox.git("rev-parse", f"{base}:")
    )
    sandbox.git("update-ref", "refs/heads/main", merge)
    clone = sandbox.clone_to(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    sandbox.path.rename(tmp_path / "away")
    found = read(clone, base, moved, merge)
    assert [changes(record) for record in found] == [
        ["A a", "A b"], ["R a a2", "D b", "A b2"], [],
    ]  # fmt: skip
    assert clone.try_git("cat-file", "-e", f"{base}:a").returncode
    (tmp_path / "away").rename(sandbox.path)
    [first, _, last] = read(sandbox, base, moved, merge)
    assert [first, last] == [found[0], found[2]]


def test_a_clone_without_trees_is_refused_and_none_is_fetched(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    head = sandbox.commit("base", {"a": TEXT})
    clone = sandbox.clone_to(tmp_path / "clone", "--filter=tree:0", "--no-checkout")
    with pytest.raises(GitError, match="git diff-tree failed"):
        read(clone, head)
    sandbox.path.rename(tmp_path / "away")
    assert clone.try_git("cat-file", "-e", f"{head}:").returncode


def test_what_is_no_commit_of_the_clone_is_named(sandbox: Sandbox) -> None:
    head = sandbox.commit("base", {"a": TEXT})
    for name in (MISSING, sandbox.git("rev-parse", f"{head}:")):
        with pytest.raises(CommitNotFoundError, match=name):
            read(sandbox, head, name)
