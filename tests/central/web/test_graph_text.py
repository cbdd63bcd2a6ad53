"""Text cut to the columns of a box."""

from hypothesis import given
from hypothesis import strategies as st

from central.web.graph_text import columns, shortened


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
