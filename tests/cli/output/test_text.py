"""Times and commits in sentences."""

from datetime import UTC, datetime

import pytest

from aeterna_code_search.client.text import age, short_commit

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        (None, "never"),
        ("2026-11-22T12:00:05Z", "just now"),
        ("2026-11-22T11:59:01Z", "just now"),
        ("2026-11-22T11:58:59Z", "1 minute ago"),
        ("2026-11-22T09:00:00.5Z", "2 hours ago"),
        ("2026-10-22T12:00:00+00:00", "31 days ago"),
    ],
)
def test_an_age_is_told_in_its_largest_unit(moment: str | None, told: str) -> None:
    assert age(moment, NOW) == told


def test_a_commit_is_cut_and_none_is_a_dash() -> None:
    assert (short_commit("0123456789abcdef"), short_commit(None)) == ("0123456789", "-")
