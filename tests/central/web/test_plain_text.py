"""User text that rearranges nothing around it and fits its box."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.web.plain_text import columns, plain_line, plain_text, shortened


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\nb\rc\n\td", "a\nb\nc\n\td"),
        ("\u202egnp.exe\u2066\u200f\U000e0041", "[U+202E]gnp.exe[U+2066][U+200F][U+E0041]"),
        ("\x1b[31m\x00\x85\u2028", "�[31m���"),
        ("ab\u00adc\ufeff", "ab�c�"),
        ("検索 é ü 👩\u200d💻 عربي", "検索 é ü 👩\u200d💻 عربي"),
        ("\ud800", "�"),
    ],
)
def test_what_is_neither_sign_nor_blank_is_shown_as_such(text: str, shown: str) -> None:
    assert plain_text(text) == shown


def test_a_line_is_one_line() -> None:
    assert plain_line("a\nb\tc") == "a b c"


def test_what_fits_stays_as_it_is() -> None:
    assert shortened("Auth.verify", 11) == "Auth.verify"


def test_what_does_not_fit_ends_with_an_ellipsis() -> None:
    assert shortened("Auth.verify", 10) == "Auth.veri…"


def test_wide_characters_count_twice_and_combining_ones_not_at_all() -> None:
    assert shortened("検索する", 6) == "検索…"
    assert columns("e\u0301") == 1


@given(st.text("a_検<\u0301", max_size=60), st.integers(min_value=1, max_value=30))
def test_no_text_is_wider_than_its_box(text: str, limit: int) -> None:
    assert columns(shortened(text, limit)) <= limit
