"""Changed lines of commits: what git prints of them leads from each parent to the commit."""

from pathlib import Path

import pytest

from indexer.git.history import read_commits
from indexer.git.repository import Repository
from indexer.records.files import FILE_BYTES
from indexer.records.history import (
    COMMIT_HUNKS_BYTES,
    COMMIT_PATHS,
    HUNKS_BYTES,
    ChangeStatus,
    Commit,
    PathChange,
    Unread,
)
from tests.indexer.git.applied_hunks import applied, split
from tests.indexer.git.written_commits import write_commit
from tests.indexer.repositories import Sandbox

TEXT = "".join(f"line {n}\n" for n in range(40))


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path / "shop")


def read(sandbox: Sandbox, *commits: str) -> list[Commit]:
    return list(read_commits(Repository(sandbox.path), commits, why_unread=lambda _: None))


def told(commit: Commit) -> dict[str, str]:
    """The hunks of each path, or why there are none."""
    return {change.path: change.unread or change.hunks for change in commit.changes}


def test_the_lines_of_an_edit_an_addition_and_a_removal_are_told(sandbox: Sandbox) -> None:
    base = write_commit(sandbox, {"a": TEXT, "b": "b\n"})
    head = write_commit(sandbox, {"a": TEXT.replace("line 7\n", "seven\n"), "c": "c\nd\n"}, base)
    [first, second] = read(sandbox, base, head)
    assert told(first)["b"] == "@@ -0,0 +1 @@\n+b\n"
    assert told(second) == {
        "a": "@@ -8 +8 @@\n-line 7\n+seven\n",
        "b": "@@ -1 +0,0 @@\n-b\n",
        "c": "@@ -0,0 +1,2 @@\n+c\n+d\n",
    }


def test_the_blob_tells_the_content_and_a_path_that_is_gone_has_none(sandbox: Sandbox) -> None:
    base = write_commit(sandbox, {"a": "1", "b": "1"})
    head = write_commit(sandbox, {"a": "2"}, base)
    blob = sandbox.git("hash-object", "--stdin", stdin=b"2")
    [record] = read(sandbox, head)
    assert [change.blob for change in record.changes] == [blob[:16], ""]


def test_a_rename_tells_its_edits_and_none_if_there_are_none(sandbox: Sandbox) -> None:
    base = write_commit(sandbox, {"a": TEXT, "b": TEXT.replace("line", "row")})
    head = write_commit(sandbox, {"a2": TEXT + "more\n", "b2": TEXT.replace("line", "row")}, base)
    [record] = read(sandbox, head)
    assert [(change.old_path, change.hunks) for change in record.changes] == [
        ("a", "@@ -40,0 +41 @@\n+more\n"), ("b", ""),
    ]  # fmt: skip
    assert {change.unread for change in record.changes} == {None}


@pytest.mark.parametrize(
    ("before", "after", "hunks"),
    [
        (b"a\r\nb\r\n", b"a\r\nc\r\n", "@@ -2 +2 @@\n-b\r\n+c\r\n"),
        (b"a\nb", b"a\nb\n", "@@ -2 +2 @@\n-b\n+b\n"),
        (b"a", b"b", "@@ -1 +1 @@\n-a\n+b\n"),
        (b"\xe9\n", b"\xe8\n", "@@ -1 +1 @@\n-\ufffd\n+\ufffd\n"),
        (b"a\x0cb\rc\n", b"d\n", "@@ -1 +1 @@\n-a\x0cb\rc\n+d\n"),
        (b"-- a\n", b"++ b\n", "@@ -1 +1 @@\n--- a\n+++ b\n"),
        (b"@@ -1 +1 @@\n", b"diff --git a/a b/a\n",
         "@@ -1 +1 @@\n-@@ -1 +1 @@\n+diff --git a/a b/a\n"),
        (b"0" * 40 + b"\n", b":100644\n", "@@ -1 +1 @@\n-" + "0" * 40 + "\n+:100644\n"),
        (b"\\ No\n", b"\\ Yes\n", "@@ -1 +1 @@\n-\\ No\n+\\ Yes\n"),
        (b"", b"\n", "@@ -0,0 +1 @@\n+\n"),
        (b"a\0", b"b\0", Unread.BINARY),
        (b"a\n" * 9_000 + b"\0", b"a\n" * 9_000 + b"\0\0", Unread.BINARY),
    ],
)  # fmt: skip
def test_lines_are_told_as_they_are(
    sandbox: Sandbox, before: bytes, after: bytes, hunks: str
) -> None:
    base = sandbox.commit("base", {"a": before, "b": "1\n"})
    head = sandbox.commit("head", {"a": after, "b": "2\n"})
    assert base != head
    [record] = read(sandbox, head)
    assert told(record) == {"a": hunks, "b": "@@ -1 +1 @@\n-1\n+2\n"}


def test_modes_and_submodules_have_no_lines_and_a_new_type_has_those_of_both(
    sandbox: Sandbox,
) -> None:
    base = sandbox.commit("base", {"a": "1\n2\n", "run": TEXT, "same": "1\n2\n", "z": "1\n"})
    for name in ("a", "same"):
        (sandbox.path / name).unlink()
        (sandbox.path / name).symlink_to("target")
    sandbox.git("add", "a", "same")
    sandbox.git("update-index", "--chmod=+x", "run")
    sandbox.git("update-index", "--add", "--cacheinfo", f"160000,{base},module")
    (sandbox.path / "z").write_text("2\n")
    sandbox.git("add", "z")
    sandbox.git("commit", "--quiet", "-m", "odd")
    [record] = read(sandbox, sandbox.git("rev-parse", "HEAD"))
    links = "@@ -1,2 +1 @@\n-1\n-2\n+target\n"
    assert told(record) == {
        "a": links, "module": "", "run": "", "same": links, "z": "@@ -1 +1 @@\n-1\n+2\n",
    }  # fmt: skip


def test_files_with_the_same_content_each_have_their_lines(sandbox: Sandbox) -> None:
    base = write_commit(sandbox, dict.fromkeys("abc", "1\n"))
    head = write_commit(sandbox, dict.fromkeys("abc", "2\n"), base)
    [record] = read(sandbox, head)
    assert told(record) == dict.fromkeys("abc", "@@ -1 +1 @@\n-1\n+2\n")


# Merges


def test_a_merge_tells_what_each_parent_had_of_its_lines(sandbox: Sandbox) -> None:
    texts = ["a\nX\nd\n", "a\nB\nc\nd\ne\n", "a\nX\nY\nd\ne\nz\n"]
    left, right = (write_commit(sandbox, {"f": text}) for text in texts[:2])
    merge = write_commit(sandbox, {"f": texts[2]}, left, right)
    [record] = read(sandbox, merge)
    [change] = record.changes
    assert change.hunks == (
        "@@@ -2,1 -2,2 +2,2 @@@\n -B\n -c\n +X\n++Y\n@@@ -4,0 -5,1 +5,2 @@@\n+ e\n++z\n"
    )
    for number, text in enumerate(texts[:2]):
        assert applied(change.hunks, number, text) == split(texts[2])


@pytest.mark.parametrize(
    ("texts", "merged"),
    [
        # without context git counts a line that it does not print
        (("1\n2\n3\n4\nx\n5\n", "1\n2\n3\ny\n4\n5\n"), "1\n2\n4\nz\n5\n"),
        # and fewer than none at the end of a file
        (("1\n2\n", "1\nx\n3\n4\n"), "1\ny\n"),
        (("a\n", "b\n", "c\nd\n"), "d\ne"),
        (("", "b\n"), "c\n"),
        (("a\r\nb\n", "b\n\n\nc"), "\nb\nc\n"),
    ],
)
def test_the_lines_of_a_merge_lead_from_each_parent_to_it(
    sandbox: Sandbox, texts: tuple[str, ...], merged: str
) -> None:
    parents = [
        write_commit(sandbox, {"f": text, "n": str(number)}) for number, text in enumerate(texts)
    ]
    [record] = read(sandbox, write_commit(sandbox, {"f": merged, "n": "0"}, *parents))
    [change] = record.changes
    for number, text in enumerate(texts):
        assert applied(change.hunks, number, text) == split(merged)


# Bounds


def test_more_lines_than_a_path_may_have_are_not_told_and_the_next_paths_are(
    sandbox: Sandbox,
) -> None:
    fits = "x" * (HUNKS_BYTES - len("@@ -0,0 +1 @@\n+\n")) + "\n"
    files = {"a": "x\n" * 500_000, "b": fits, "c": "x" + fits, "d": "é" + fits[2:], "z": "z\n"}
    large = write_commit(sandbox, files)
    following = write_commit(sandbox, {**files, "z": "y\n"}, large)
    [first, second] = read(sandbox, large, following)
    assert [change.unread for change in first.changes] == [
        Unread.LARGE, None, Unread.LARGE, None, None,
    ]  # fmt: skip
    assert len(first.changes[1].hunks) == HUNKS_BYTES
    assert told(second) == {"z": "@@ -1 +1 @@\n-z\n+y\n"}


def test_a_large_file_is_compared_by_nobody(sandbox: Sandbox) -> None:
    row = "x" * 1_023 + "\n"
    fits, large = row * (FILE_BYTES // 1_024), row * (FILE_BYTES // 1_024) + "x\n"
    base = write_commit(sandbox, {"a": fits, "b": large})
    head = write_commit(sandbox, {"a": "y\n" + fits[2:], "b": "y\n" + large[2:]}, base)
    [record] = read(sandbox, head)
    assert [change.unread for change in record.changes] == [None, Unread.BINARY]


def test_replaced_bytes_count_as_what_they_become(sandbox: Sandbox) -> None:
    head = sandbox.commit("head", {"a": b"\xff" * (HUNKS_BYTES // 2)})
    [record] = read(sandbox, head)
    assert told(record) == {"a": Unread.LARGE}


def test_paths_beyond_the_lines_of_a_commit_are_large(sandbox: Sandbox) -> None:
    most = COMMIT_HUNKS_BYTES // HUNKS_BYTES
    files = dict.fromkeys("abcdefg", "x" * (HUNKS_BYTES - 16) + "\n")
    [record] = read(sandbox, write_commit(sandbox, files))
    assert [change.unread for change in record.changes] == (
        [None] * most + [Unread.LARGE] * (len(files) - most)
    )


def test_lines_of_paths_beyond_the_number_that_is_told_are_skipped(sandbox: Sandbox) -> None:
    names = [f"{n:05}" for n in range(COMMIT_PATHS + 5)]
    many = write_commit(sandbox, dict.fromkeys(names, "1\n"))
    head = write_commit(sandbox, dict.fromkeys(names, "2\n"), many)
    [first, second] = read(sandbox, many, head)
    assert {change.hunks for change in first.changes} == {"@@ -0,0 +1 @@\n+1\n"}
    assert {change.hunks for change in second.changes} == {"@@ -1 +1 @@\n-1\n+2\n"}
    assert second.changed == len(names)


# What is not wanted, and what is not there


def test_lines_of_a_withheld_path_are_not_told_under_its_old_name_either(
    sandbox: Sandbox,
) -> None:
    base = write_commit(sandbox, {"key": TEXT, "z": "1\n"})
    head = write_commit(sandbox, {"open": TEXT + "more\n", "z": "2\n"}, base)
    found = read_commits(
        Repository(sandbox.path),
        [base, head],
        why_unread=lambda path: Unread.WITHHELD if path == "key" else None,
    )
    assert [told(record) for record in found] == [
        {"key": "withheld", "z": "@@ -0,0 +1 @@\n+1\n"},
        {"open": "withheld", "z": "@@ -1 +1 @@\n-1\n+2\n"},
    ]


def test_without_a_wish_for_lines_none_are_told(sandbox: Sandbox) -> None:
    head = write_commit(sandbox, {"a": "1"})
    [record] = read_commits(Repository(sandbox.path), [head])
    assert told(record) == {"a": "off"}


@pytest.mark.parametrize("is_promised", [True, False])
def test_of_a_clone_without_all_blobs_commits_that_have_theirs_are_told(
    sandbox: Sandbox, tmp_path: Path, is_promised: bool
) -> None:
    base = sandbox.commit("base", {"a": TEXT, "b": TEXT + "b\n"})
    moved = sandbox.commit("moved", {"a": None, "a2": TEXT, "b": None, "b2": TEXT + "b\nb\n"})
    head = sandbox.commit("head", {"c": "1\n"})
    clone = sandbox.clone_to(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    clone.git("cat-file", "-e", f"{head}:c")
    if not is_promised:  # as central's backfill leaves it
        clone.git("config", "--remove-section", "remote.origin")
    sandbox.path.rename(tmp_path / "away")
    [first, second, third] = read(clone, base, moved, head)
    assert told(first) == {"a": "absent", "b": "absent"}
    assert told(second) == {"a2": "", "b": "absent", "b2": "absent"}
    assert third.changes == (
        PathChange("c", ChangeStatus.ADDED, "", third.changes[0].blob, "@@ -0,0 +1 @@\n+1\n", None),
    )
    assert clone.try_git("cat-file", "-e", f"{base}:a").returncode


def test_a_commit_whose_blobs_a_clone_has_is_told_as_in_any_other(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    base = sandbox.commit("base", {"a": TEXT})
    moved = sandbox.commit("moved", {"a": None, "b": TEXT + "b\n"})
    sandbox.commit("head", {"b": None})
    clone = sandbox.clone_to(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    for name in (f"{base}:a", f"{moved}:b"):
        clone.git("cat-file", "-e", name)
    assert read(clone, base, moved) == read(sandbox, base, moved)
    assert told(read(clone, moved)[0]) == {"b": "@@ -40,0 +41 @@\n+b\n"}
