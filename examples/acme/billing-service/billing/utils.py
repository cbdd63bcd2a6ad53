"""Dates and other small things of the billing service."""

from datetime import date, timedelta


def days_between(start: date, end: date) -> int:
    """Whole days from `start` to `end`; negative when `end` is earlier."""
    return (end - start).days


def first_of_next_month(day: date) -> date:
    """The day on which the next billing period starts."""
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1)
