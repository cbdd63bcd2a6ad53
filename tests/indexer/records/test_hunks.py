"""Hunks: git's own output is read, and what is none is refused."""

import pytest

from indexer.records.hunks import HunkError, parse_hunks


def test_lines_of_a_commit_have_their_numbers() -> None:
    text = "@@ -2,2 +2 @@\n-b\n-c\n+X\n@@ -7,0 +7 @@\n+z\n"
    first, second = parse_hunks(text)
    assert first.removed == [(2, "b"), (3, "c")]
    assert first.added == [(2, "X")]
    assert (second.removed, second.added) == ([], [(7, "z")])


def test_a_merge_has_the_lines_that_are_new_to_all_its_parents() -> None:
    """As git prints it for parents `a X d` and `a B c d e`, merged to `a X Y d e z`."""
    text = "@@@ -2,1 -2,2 +2,2 @@@\n -B\n -c\n +X\n++Y\n@@@ -4,0 -5,1 +5,2 @@@\n+ e\n++z\n"
    first, second = parse_hunks(text)
    assert (first.added, first.removed) == ([(3, "Y")], [])
    assert second.added == [(6, "z")]


def test_a_merge_names_the_line_after_a_range_without_lines() -> None:
    """As git prints `a b c` and `a c`, merged to `a c`, then to `a c d`."""
    removed, added = parse_hunks("@@@ -2,1 -2,0 +2,0 @@@\n- b\n@@@ -4,0 -3,0 +3,1 @@@\n++d\n")
    assert [lines.start for lines in (*removed.old, removed.new)] == [2, 2, 2]
    assert [lines.start for lines in (*added.old, added.new)] == [4, 3, 3]
    assert added.added == [(3, "d")]


@pytest.mark.parametrize(
    "text",
    [
        "@@ -1 +1 @@\n-a\n+b",  # no line feed
        "@@ -1 +1 @@\n-a\n",  # a line is missing
        "@@ -1 +1 @@ def f():\n-a\n+b\n",
        "@@ -1 +1 @@\n-a\n b\n",  # context
        "@@@ -1 +1 @@@\n--a\n++b\n",  # a range is missing
        "@@ -1,9999999999 +1 @@\n-a\n",
        "@@ -5 +5 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n",  # descending
        "-a\n",
    ],
)
def test_what_is_no_hunk_is_refused(text: str) -> None:
    with pytest.raises(HunkError):
        list(parse_hunks(text))
