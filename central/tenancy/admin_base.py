"""Base classes of every admin: read-only, bounded, filtered."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin as DjangoModelAdmin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.paginator import InfinitePaginator
from unfold.sites import UnfoldAdminSite


class AdminSite(UnfoldAdminSite):  # type: ignore[misc] # unfold has no types
    """The admin. central.web.admin_dashboard fills its front page."""

    index_template = "administration/index.html"

    def register(
        self,
        model_or_iterable: type[Model] | Iterable[type[Model]],
        admin_class: "type[DjangoModelAdmin[Any]] | None" = None,
        **options: Any,
    ) -> None:
        """Leave out models of installed packages, whose changes would not be audited."""
        if admin_class is not None and issubclass(admin_class, BoundedAdmin):
            super().register(model_or_iterable, admin_class, **options)


class BoundedAdmin(ModelAdmin):  # type: ignore[misc] # unfold has no types
    """An admin of ours, whose lists are bounded."""

    list_per_page = 50
    list_max_show_all = 0  # pages are bounded; unfold's link to all is hard to read on dark
    show_full_result_count = False  # it counts the table once more, without the filters


class ReadOnly:
    """Nothing is written here: pages and commands do that."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, BoundedAdmin):
    """An admin that shows; its lists do not count a table, which may be large."""

    paginator = InfinitePaginator
    actions = None


_MONTHS = 24
_SPANS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}


class WhenFilter(admin.SimpleListFilter):
    """A filter by time through the column's index; a date hierarchy reads the whole table."""

    title = "when"
    parameter_name = "when"
    column = ""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the last hour, day and week, then every month."""
        spans = [(name, f"the last {name}") for name in _SPANS]
        return [*spans, *((month, month) for month in _months(timezone.now()))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        if value is None:
            return queryset
        if value in _SPANS:
            return queryset.filter(**{f"{self.column}__gte": timezone.now() - _SPANS[value]})
        if value not in _months(timezone.now()):
            return queryset.none()
        first = datetime.strptime(value, "%Y-%m").replace(tzinfo=UTC)
        following = (first + timedelta(days=31)).replace(day=1)
        span = {f"{self.column}__gte": first, f"{self.column}__lt": following}
        return queryset.filter(**span)


def when(column_name: str) -> type[WhenFilter]:
    """Make a filter by that column, which needs an index."""
    return type("WhenFilter", (WhenFilter,), {"column": column_name})


def _months(now: datetime) -> list[str]:
    this = now.year * 12 + now.month - 1
    return [f"{n // 12}-{n % 12 + 1:02}" for n in range(this, this - _MONTHS, -1)]
