"""Filters of the admin's large lists that read no more of a table than they show."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

_MONTHS = 24
_SPANS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}


class WhenFilter(admin.SimpleListFilter):
    """By time, through the column's index. Django's date hierarchy reads the whole table first."""

    title = "when"
    parameter_name = "when"
    column = ""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The last hour, day and week; then every month."""
        del request, model_admin
        spans = [(name, f"the last {name}") for name in _SPANS]
        return [*spans, *((month, month) for month in _months(timezone.now()))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of the time."""
        del request
        value = self.value()
        if value is None:
            return queryset
        if value in _SPANS:
            return queryset.filter(**{f"{self.column}__gte": timezone.now() - _SPANS[value]})
        if value not in _months(timezone.now()):
            return queryset.none()
        first = datetime.strptime(value, "%Y-%m").replace(tzinfo=UTC)
        span = {f"{self.column}__gte": first, f"{self.column}__lt": _next_month(first)}
        return queryset.filter(**span)


def when(column_name: str) -> type[WhenFilter]:
    """A filter by that column, which needs an index."""
    return type("WhenFilter", (WhenFilter,), {"column": column_name})


def _months(now: datetime) -> list[str]:
    """Newest first."""
    this = now.year * 12 + now.month - 1
    return [f"{n // 12}-{n % 12 + 1:02}" for n in range(this, this - _MONTHS, -1)]


def _next_month(first: datetime) -> datetime:
    return (first + timedelta(days=31)).replace(day=1)
