"""Colours of code on a terminal."""

import re

import pytest

from aeterna_code_search.cli.output.highlighting import Snippet, render_snippet
from aeterna_code_search.client.console import Console

WIDE = Console(is_terminal=True, width=80)
KEYWORD = "\x1b[94;49mreturn\x1b[0m"


@pytest.fixture(autouse=True)
def _a_terminal_that_knows_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")


def test_lines_before_decide_whether_code_is_text() -> None:
    text = '    return what was asked\n    """\n    return 1\n'
    alone = render_snippet(WIDE, Snippet(text, 3, "python"))
    assert alone.splitlines()[0].count(KEYWORD) == 1
    before = 'def f():\n    """Say.\n'
    known = render_snippet(WIDE, Snippet(text, 3, "python", before=before))
    first, _, last = known.splitlines()
    assert KEYWORD not in first
    assert KEYWORD in last


def test_lines_have_their_numbers_and_only_they_are_shown() -> None:
    before = "".join(f"hidden = {number}\n" for number in range(1, 100))
    shown = render_snippet(WIDE, Snippet("a\nb\n", 100, "text", before=before))
    assert "hidden" not in shown
    assert [line.split()[:2] for line in plain(shown)] == [["100", "a"], ["101", "b"]]


def test_matches_are_marked_behind_other_lines() -> None:
    shown = render_snippet(WIDE, Snippet("x needle\n", 3, "text", ["needle"], before="needle\n\n"))
    assert shown.count("\x1b[1;4") == 1


def test_why_colours_may_be_wrong_is_said_below() -> None:
    shown = render_snippet(WIDE, Snippet("x\n", 3, "text", note="    coloured alone"))
    assert plain(shown)[-1].strip() == "coloured alone"


def test_blank_lines_before_count() -> None:
    shown = render_snippet(WIDE, Snippet("\nx\n", 2, "python", before="\n"))
    assert [line.split() for line in plain(shown)] == [["2"], ["3", "x"]]


def plain(shown: str) -> list[str]:
    return [re.sub(r"\x1b\[[\d;]*m", "", line) for line in shown.splitlines()]
