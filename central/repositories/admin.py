"""Repositories in the admin, read-only."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.timesince import timesince
from unfold.admin import TabularInline
from unfold.decorators import display

from aeterna_code_search.contract.status import IndexState
from central.repositories.models import Branch, Repository
from central.repositories.states import LIVE_RUN_STATES, RunState, with_states
from central.tenancy.admin_base import ReadOnly, ReadOnlyAdmin

RETIRED = "purging"
NOTHING_TO_DO = "nothing to do"  # how a run is shown that had nothing to do
_LABELS: Final[dict[str, str]] = {  # of states of indexes and of runs, by their name
    **dict.fromkeys((IndexState.CURRENT, RunState.APPLIED, NOTHING_TO_DO), "success"),
    **dict.fromkeys((IndexState.INDEXING, *LIVE_RUN_STATES), "info"),
    **dict.fromkeys((IndexState.BEHIND, IndexState.NEVER), "warning"),
    **dict.fromkeys((RunState.STALE, RunState.EXPIRED), "warning"),
    IndexState.FAILED: "danger",
    **dict.fromkeys((IndexState.PAUSED, RETIRED, RunState.ABANDONED), "default"),
}
state_label: Callable[..., Callable[[Any], Any]] = partial(display, label=_LABELS)
_SHOWN_ERROR = 120


class StateFilter(admin.SimpleListFilter):
    """A filter by the state of the index."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return every state, and that of retired repositories."""
        del request, model_admin
        return [*((state.value, state.value) for state in IndexState), (RETIRED, RETIRED)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the repositories in the state."""
        del request
        if (state := self.value()) is None:
            return queryset
        if state == RETIRED:
            return queryset.filter(retired_at__isnull=False)
        return queryset.filter(retired_at=None, index_state=state)


class RequestedFilter(admin.EmptyFieldListFilter):
    """A filter by whether a re-index is requested."""

    def choices(self, changelist: Any) -> Any:
        """Name the choices."""
        for choice, name in zip(super().choices(changelist), ("All", "No", "Yes"), strict=True):
            yield {**choice, "display": name}


class BranchInline(ReadOnly, TabularInline):  # type: ignore[misc] # unfold has no types
    """The branches of a repository beside its default one."""

    model = Branch
    tab = True
    extra = 0
    fields = ["ref", "last_indexed_commit", "indexed_at", "files", "trouble", "is_indexed"]
    readonly_fields = fields

    @admin.display(description="indexed", boolean=True)
    def is_indexed(self, branch: Branch) -> bool:
        """Whether requests may read it."""
        return branch.is_indexed


@admin.register(Repository)
class RepositoryAdmin(ReadOnlyAdmin):
    paginator = Paginator
    list_display = [
        "name",
        "organization",
        "state",
        "commit",
        "age",
        "chunks",
        "reindex",
        "last_error",
    ]
    list_filter = [StateFilter, ("reindex_requested_at", RequestedFilter), "organization"]
    list_select_related = ["organization"]
    search_fields = ["name"]
    readonly_fields = [field.name for field in Repository._meta.fields]
    inlines = [BranchInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add the state of each in the same query."""
        return with_states(super().get_queryset(request))

    def view_on_site(self, obj: Repository) -> str | None:
        """Return the address of its page, which a retired repository does not have."""
        if obj.retired_at:
            return None
        return reverse("web:repository", args=[obj.organization.slug, obj.name])

    @state_label(description="state", ordering="index_state")
    def state(self, repository: Any) -> str:
        """Return the state for a badge."""
        return RETIRED if repository.retired_at else repository.index_state

    @admin.display(description="commit", ordering="last_indexed_commit")
    def commit(self, repository: Repository) -> str:
        """Return the indexed commit, shortened."""
        return repository.last_indexed_commit[:10] or "-"

    @admin.display(description="indexed", ordering="indexed_at")
    def age(self, repository: Repository) -> str:
        """Return how long ago it was indexed."""
        return _ago(repository.indexed_at)

    @admin.display(description="re-index requested", ordering="reindex_requested_at")
    def reindex(self, repository: Repository) -> str:
        """Return how long ago a re-index was requested."""
        return _ago(repository.reindex_requested_at)

    @admin.display(description="last error")
    def last_error(self, repository: Repository) -> str:
        """Return the beginning of the problem."""
        return Truncator(repository.trouble_detail).chars(_SHOWN_ERROR)


def _ago(at: datetime | None) -> str:
    return f"{timesince(at, depth=1)} ago" if at else "-"
