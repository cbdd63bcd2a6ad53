"""The names that a regular expression spells out, whole or in part."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.query.identifiers import identifiers


@pytest.mark.parametrize(
    ("pattern", "whole", "parts"),
    [
        ("func NewServer", ["func", "NewServer"], []),
        (r"class \w+Session", ["class"], ["Session"]),
        (r"^\s*def\s+url_for\(", ["def", "url_for"], []),
        (r"(Foo|Bar)Session", ["Foo"], ["Bar", "Session"]),
        (r"class (\w+)Session", ["class"], ["Session"]),
        (r"colou?r_map", [], ["colo", "r_map"]),
        (r"[A-Z][a-z]+Error\b", [], ["Error"]),
        (r"[[:upper:]]Error", [], ["Error"]),
        (r"\p{Lu}Error|\x41Error", [], ["Error"]),
        (r"Handler.*Error", [], ["Handler", "Error"]),
        (r"(?P<name>Error)", [], ["Error"]),
        (r"x1 1234 ab", [], []),
        ("\\", [], []),
        ("", [], []),
    ],
)
def test_names_are_whole_unless_more_of_them_may_match(
    pattern: str, whole: list[str], parts: list[str]
) -> None:
    found = identifiers(pattern)
    assert [name for name, is_whole in found if is_whole] == whole
    assert [name for name, is_whole in found if not is_whole] == parts


@given(st.text(alphabet="ab_1\\w[]()*+?{}.|^$ é", max_size=40))
def test_names_in_any_text_have_three_characters_or_more(pattern: str) -> None:
    for name, _ in identifiers(pattern):
        assert len(name) >= 3
