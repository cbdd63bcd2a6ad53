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
    """Parents `a X d` and `a B c d e`, merged to `a X Y d e z`."""
    text = "@@@ -2,1 -2,2 +2,2 @@@\n -B\n -c\n +X\n++Y\n@@@ -3,0 -5,1 +5,2 @@@\n+ e\n++z\n"
    first, second = parse_hunks(text)
    assert (first.added, first.removed) == ([(3, "Y")], [])
    assert second.added == [(6, "z")]


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
