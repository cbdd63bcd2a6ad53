from collections.abc import Callable
from pathlib import Path

import pytest

from aeterna_code_search.cli.overlay.line_map import EditedLines, Lines
from tests.indexer.repositories import Sandbox

BEFORE = {
    "a.py": "one()\ntwo()\nthree()\nfour()\n",
    "gone.py": "retry.call()\n",
    "same.py": "one()\n",
}
AFTER = {
    "a.py": "zero()\none()\ntwo(2)\nfour()\nfive.retry_later()\n",
    "gone.py": None,
    "new.py": "fresh()\n",
}


@pytest.fixture
def lines(tmp_path: Path) -> EditedLines:
    sandbox = Sandbox(tmp_path / "checkout")
    base = sandbox.commit("Before", dict(BEFORE))
    return EditedLines(sandbox.path, tmp_path / "objects", base, sandbox.commit("After", AFTER))


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [
        ("a.py", 1, 2),
        ("a.py", 2, None),
        ("a.py", 3, None),
        ("a.py", 4, 4),
        ("same.py", 1, 1),
        ("gone.py", 1, None),
    ],
)
def test_a_line_is_followed_unless_it_was_edited(
    lines: EditedLines, path: str, line: int, expected: int | None
) -> None:
    assert lines.map_line(path, line) == expected


@pytest.mark.parametrize(
    ("path", "first", "last", "expected"),
    [
        ("a.py", 1, 1, True),
        ("a.py", 2, 2, False),
        ("a.py", 2, 3, True),
        ("a.py", 4, 4, False),
        ("a.py", 5, 9, True),
        ("same.py", 1, 9, False),
        ("new.py", 1, 1, True),
    ],
)
def test_new_lines_are_known_by_their_numbers(
    lines: EditedLines, path: str, first: int, last: int, expected: bool
) -> None:
    assert lines.are_edited(path, first, last) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fresh", True),
        ("retry_later", True),
        ("retry", True),  # on a line that was removed
        ("later", False),  # a part of a word
        ("four", False),  # on a line that stayed
        ("a|b(", False),  # no pattern
    ],
)
def test_edited_lines_are_asked_for_whole_words(
    lines: EditedLines, name: str, expected: bool
) -> None:
    assert lines.is_mentioned([name]) == expected


@pytest.mark.parametrize(
    "ask", [lambda one: one.map_line("a", 1), lambda one: one.is_mentioned([])]
)
def test_nothing_is_claimed_where_a_commit_is_missing(
    ask: Callable[[Lines], object],
) -> None:
    assert not ask(Lines())
    assert Lines().are_edited("a", 1, 1)
    assert Lines().is_mentioned(["name"])
