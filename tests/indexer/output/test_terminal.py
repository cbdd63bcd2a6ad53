"""No text of a repository commands a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from indexer.output.terminal import escape_line, escape_lines


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    assert escape_line(text).isprintable()
    assert all(line.replace("\t", "").isprintable() for line in escape_lines(text))


@given(st.text())
def test_lines_are_those_that_line_numbers_count(text: str) -> None:
    assert len(escape_lines(text)) == text.removesuffix("\n").count("\n") + 1


def test_sequences_that_colour_move_and_turn_around_are_shown_as_signs() -> None:
    assert escape_line("\x1b]0;title\x07 \x9b31m \u202e end\n") == "�]0;title� �31m � end "


def test_letters_of_every_script_and_tabs_in_lines_stay() -> None:
    assert escape_lines("\tdéjà vu — 検索\r\n\u00a0x\n") == ["\tdéjà vu — 検索", " x"]
