"""No text of a repository commands a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from indexer.limits import MESSAGE_CHARACTERS
from indexer.output.terminal import escape_line, escape_lines, escape_text, foreign_line


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    assert escape_line(text).isprintable()
    assert all(line.replace("\t", "").isprintable() for line in escape_lines(text))


@given(st.text())
def test_lines_are_those_that_line_numbers_count(text: str) -> None:
    assert len(escape_lines(text)) == text.removesuffix("\n").count("\n") + 1


def test_sequences_that_colour_move_and_turn_around_are_shown_as_signs() -> None:
    assert escape_line("\x1b]0;title\x07 \x9b31m \u202e end\n") == "�]0;title� �31m � end "


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
    assert foreign_line(said) == "remote: fatal �[31m�error: damaged ��� pack"
    assert len(foreign_line("x" * 2 * MESSAGE_CHARACTERS)) == MESSAGE_CHARACTERS
    assert foreign_line(b"\0\n") == ""


@given(st.text(st.characters()))
def test_a_text_keeps_its_lines(text: str) -> None:
    shown = escape_text(text)
    assert "\0" not in shown
    assert shown.split("\n") == escape_lines(text)


def test_letters_of_every_script_and_tabs_in_lines_stay() -> None:
    assert escape_lines("\tdéjà vu — 検索\r\n\u00a0x\n") == ["\tdéjà vu — 検索", " x"]
