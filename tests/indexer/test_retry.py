"""How long a service asks to be left alone."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from indexer.retry import parse_retry_after


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7), (" 0.5 ", 0.5), ("-1", 0), (None, 0), ("", 0), ("soon", 0), ("inf", 0), ("nan", 0)],
)
def test_a_pause_in_seconds_is_kept_and_nonsense_is_none(
    header: str | None, seconds: float
) -> None:
    assert parse_retry_after(header) == seconds


def test_a_pause_until_a_date_is_kept() -> None:
    in_a_minute = datetime.now(UTC) + timedelta(seconds=60)
    assert 55 < parse_retry_after(format_datetime(in_a_minute, usegmt=True)) <= 60
    assert parse_retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0
