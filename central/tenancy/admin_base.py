"""Base classes of every admin: audited, bounded, filtered."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin as DjangoModelAdmin
from django.db import transaction
from django.db.models import Model, QuerySet
from django.forms import BaseModelFormSet, ModelForm
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.paginator import InfinitePaginator
from unfold.sites import UnfoldAdminSite

from central.tenancy.audit import form_changes, form_values, record, user_actor
from central.tenancy.models import Organization


class AuditedSite(UnfoldAdminSite):  # type: ignore[misc] # unfold has no types
    """The admin. central.web.admin_dashboard fills its front page."""

    index_template = "administration/index.html"

    def register(
        self,
        model_or_iterable: type[Model] | Iterable[type[Model]],
        admin_class: "type[DjangoModelAdmin[Any]] | None" = None,
        **options: Any,
    ) -> None:
        """Leave out models of installed packages, whose changes would not be audited."""
        if admin_class is not None and issubclass(admin_class, AuditedAdmin):
            super().register(model_or_iterable, admin_class, **options)


class AuditedAdmin(ModelAdmin):  # type: ignore[misc] # unfold has no types
    """An admin that writes the audit log in the transaction of the change."""

    noun = ""  # of the audit log's actions, where it is not the model's name
    list_per_page = 50
    list_max_show_all = 0  # pages are bounded; unfold's link to all is hard to read on dark
    show_full_result_count = False  # it counts the table once more, without the filters

    def audit(
        self, request: HttpRequest, obj: Any, verb: str, detail: Mapping[str, Any] | None = None
    ) -> None:
        """Write one entry: `verb` in the past ("changed"), `detail` without secrets."""
        record(
            actor=user_actor(request.user),  # type: ignore[arg-type] # always a signed-in user
            action=f"{self.noun or self.opts.model_name}.{verb}",
            target=self.target_of(obj),
            organization=self.organization_of(obj),
            detail=detail,
        )

    def target_of(self, obj: Any) -> str:
        return str(obj)

    def organization_of(self, obj: Any) -> Organization | str:
        """Return its organisation; "" if it has none."""
        return getattr(obj, "organization", "")

    def save_related(
        self,
        request: HttpRequest,
        form: "ModelForm[Any]",
        formsets: "Iterable[BaseModelFormSet[Any, Any]]",
        change: bool,
    ) -> None:
        """Audit an add or change, as the last step of both."""
        super().save_related(request, form, formsets, change)
        if not change:
            self.audit(request, form.instance, "created", form_values(form))
        elif changes := form_changes(form):
            self.audit(request, form.instance, "changed", changes)
        for formset in formsets:
            self._audit_formset(request, formset)

    def _audit_formset(self, request: HttpRequest, formset: "BaseModelFormSet[Any, Any]") -> None:
        of_model = self.admin_site.get_model_admin(formset.model)
        forms = {id(form.instance): form for form in formset.forms}
        for obj in formset.new_objects:
            of_model.audit(request, obj, "created", form_values(forms[id(obj)]))
        for obj, _ in formset.changed_objects:
            of_model.audit(request, obj, "changed", form_changes(forms[id(obj)]))
        for obj in formset.deleted_objects:
            of_model.audit(request, obj, "deleted")

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete it, and record the rows that were deleted with it."""
        target, organization = self.target_of(obj), self.organization_of(obj)
        _, gone = obj.delete()
        record(
            actor=user_actor(request.user),  # type: ignore[arg-type]
            action=f"{self.noun or self.opts.model_name}.deleted",
            target=target,
            organization=organization,
            detail={"rows": gone},
        )

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete one by one, each with its entry."""
        for obj in queryset:
            self.delete_model(request, obj)

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> HttpResponseBase | None:
        """Run an action on all chosen rows, with their entries, or on none."""
        with transaction.atomic():
            answer: HttpResponseBase | None = super().response_action(request, queryset)
        return answer


class ReadOnlyAdmin(AuditedAdmin):
    """An admin of large read-only history, without row counts."""

    paginator = InfinitePaginator
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse it: only the service writes history."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse it: history does not change."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse it: history is deleted after its retention period."""
        return False


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
