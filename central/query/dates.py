"""Dates of queries: days, times, and how long ago."""

import re
from datetime import UTC, datetime
from typing import Final

_AGO: Final = re.compile(r"(\d{1,4})(h|d|w|mo|y)")
_SECONDS: Final = {"h": 3_600, "d": 86_400, "w": 604_800, "mo": 2_592_000, "y": 31_536_000}


def read_time(value: str) -> int | None:
    """Return the seconds since 1970 of a date or time, of UTC unless it says; None: it is none."""
    try:
        time = datetime.fromisoformat(value)
        return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return None


def read_date(value: str, now: float) -> int | None:
    """Return the seconds since 1970 of a date or time, or of so long before `now`; None: neither.

    A month (`mo`) is 30 days, a year (`y`) 365.
    """
    if ago := _AGO.fullmatch(value):
        return int(now) - int(ago[1]) * _SECONDS[ago[2]]
    return read_time(value)
