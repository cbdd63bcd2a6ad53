"""No text of a repository commands a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.output.terminal import (
    MESSAGE_CHARACTERS,
    escape_line,
    escape_lines,
    escape_text,
    first_names,
    first_sentences,
    foreign_line,
    show_hidden,
)


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    assert escape_line(text).isprintable()
    assert all(line.replace("\t", "").isprintable() for line in escape_lines(text))


@given(st.text())
def test_lines_are_those_that_line_numbers_count(text: str) -> None:
    assert len(escape_lines(text)) == text.removesuffix("\n").count("\n") + 1


def test_sequences_that_colour_move_and_turn_around_are_shown_as_signs() -> None:
    assert escape_line("\x1b]0;title\x07 \x9b31m \u202e end\n") == "�]0;title� �31m [U+202E] end "


@pytest.mark.parametrize(
    "char", [*"\u061c\u200e\u200f\u202a\u202e\u2066\u2069", "\U000e0001", "\U000e007f"]
)
def test_hidden_characters_are_shown_as_their_code_points(char: str) -> None:
    assert show_hidden(f"a{char}b") == f"a[U+{ord(char):04X}]b"


def test_text_of_every_script_has_no_hidden_characters() -> None:
    text = "déjà vu 検索 عربي עברית \u200c\u200d 👩\u200d💻 \ufeff\r\n\t"
    assert show_hidden(text) == text


def test_of_many_names_the_first_few_are_named() -> None:
    assert first_names(["a", "b" * 200]) == f"a, {'b' * 100}"
    assert first_names(range(80_000)) == "0, 1, 2, 3, 4 and 79,995 more"


def test_of_much_that_is_wrong_the_first_is_said() -> None:
    assert first_sentences(["a.", "b" * 900]) == f"a. {'b' * 500}"
    assert first_sentences("x" * 80_000).endswith("x x And 79,990 more.")


@given(st.binary() | st.text(st.characters()), st.integers(1, 50))
def test_a_message_of_others_is_one_line_that_can_be_stored_and_shown(
    message: bytes | str, most: int
) -> None:
    line = foreign_line(message, most)
    assert line.isprintable()
    assert line.encode().decode() == line.strip() == line
    assert len(line) <= most


def test_a_message_keeps_its_words() -> None:
    said = "\0remote:  fatal \x1b[31m\u202eerror:\n\tdamaged \ud800 pack\r\n\0".encode(
        errors="surrogatepass"
    )
    assert foreign_line(said) == "remote: fatal �[31m[U+202E]error: damaged ��� pack"
    assert len(foreign_line("x" * 2 * MESSAGE_CHARACTERS)) == MESSAGE_CHARACTERS
    assert foreign_line(b"\0\n") == ""


@given(st.text(st.characters()))
def test_a_text_keeps_its_lines(text: str) -> None:
    shown = escape_text(text)
    assert "\0" not in shown
    assert shown.split("\n") == escape_lines(text)


def test_letters_of_every_script_and_tabs_in_lines_stay() -> None:
    assert escape_lines("\tdéjà vu — 検索\r\n\u00a0x\n") == ["\tdéjà vu — 検索", " x"]
