"""Text of others that rearranges nothing around it."""

import pytest

from central.web.plain_text import plain_line, plain_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\nb\rc\n\td", "a\nb\nc\n\td"),
        ("\u202egnp.exe\u2066\u200f", "�gnp.exe��"),
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
