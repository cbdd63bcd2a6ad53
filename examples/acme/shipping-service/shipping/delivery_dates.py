"""When a parcel will arrive."""

from datetime import date, timedelta


def delivery_date(ordered: date, transit_days: int, holidays: frozenset[date]) -> date:
    """Count working days from the day after the order: no weekends, no public holidays."""
    day, left = ordered, transit_days
    while left > 0:
        day += timedelta(days=1)
        if day.weekday() < 5 and day not in holidays:
            left -= 1
    return day
